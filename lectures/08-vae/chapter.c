/* chapter.c: chapter 8, variational autoencoders: its claims and figures in the order of their rows. */
#include "lectures/08-vae/vae.h"

static const Claim *const claims[] = {
    &claim_em_rises,           &claim_bayes_softmax,
    &claim_em_gradient,        &claim_quadrature,
    &claim_dimension,          &claim_rejection,
    &claim_jensen_gap,         &claim_elbo_identity,
    &claim_elbo_maximum,       &claim_no_entropy,
    &claim_theta_gradient,     &claim_one_objective,
    &claim_encoder_posterior,  &claim_single_q,
    &claim_amortisation,       &claim_theta_sampled,
    &claim_unbiased,           &claim_phi_gradient,
    &claim_estimator_variance, &claim_kl_twice,
    &claim_bounds_rise,        &claim_reconstructed,
    &claim_rate_distortion,    &claim_collapse,
    &claim_aggregated,         NULL,
};

static const Figure *const figures[] = {
    &figure_em,
    &figure_dimension,
    &figure_elbo,
    &figure_zigzag,
    &figure_estimators,
    &figure_codes,
    &figure_manifold,
    &figure_rate_distortion,
    &figure_bounds,
    &figure_reconstructions,
    NULL,
};

const Chapter chapter_vae = {
    .number = 8,
    .folder = "08-vae",
    .title = "variational autoencoders",
    .first_row = 52,
    .last_row = 57,
    .claims = claims,
    .figures = figures,
    .exercises = vae_exercises,
    .questions = vae_questions,
};
