/* vae.h: what the files of this chapter share, and the claims and figures that chapter.c lists. */
#ifndef LECTURES_VAE_H
#define LECTURES_VAE_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* questions.c, exercises.c */
extern const Question vae_questions[];
extern const Claim *const vae_exercises[];

/* mixture.c */
extern const Claim claim_em_rises, claim_bayes_softmax, claim_em_gradient;
extern const Figure figure_em;

/* integral.c */
extern const Claim claim_quadrature, claim_dimension, claim_rejection, claim_jensen_gap;
extern const Figure figure_dimension;

/* elbo.c */
extern const Claim claim_elbo_identity, claim_elbo_maximum, claim_no_entropy, claim_theta_gradient;
extern const Figure figure_elbo;

/* variational.c */
extern const Claim claim_one_objective, claim_encoder_posterior, claim_single_q;
extern const Figure figure_zigzag;

/* amortise.c */
extern const Claim claim_amortisation;

/* sampling.c */
extern const Claim claim_unbiased, claim_estimator_variance, claim_phi_gradient,
    claim_theta_sampled;
extern const Figure figure_estimators;

/* small_vae.c, small_figures.c */
extern const Claim claim_kl_twice, claim_bounds_rise, claim_reconstructed, claim_rate_distortion,
    claim_collapse, claim_aggregated;
extern const Figure figure_codes, figure_manifold, figure_rate_distortion, figure_bounds,
    figure_reconstructions;

/* A mixture of three Gaussians in the plane: shares, means, and one variance for both axes of each class. */
typedef struct {
    double pi[3], mu[3][2], v[3];
} Mixture;
/* One E-step and one M-step on points (N, 2). with_prior false: the E-step leaves p(z) out. */
Mixture mixture_em_step(const Mixture *m, Tensor *x, bool with_prior);

#endif
