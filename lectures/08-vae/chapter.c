/* chapter.c: chapter 8, variational autoencoders: the tables of its files. */
#include "lectures/08-vae/vae.h"

extern const Question vae_questions[];
extern const Claim mixture_claims[], integral_claims[], elbo_claims[], variational_claims[],
    vae_sampling_claims[], small_vae_claims[], vae_exercises[];
extern const Figure vae_drawings[], mixture_figures[], integral_figures[], elbo_figures[],
    variational_figures[], vae_sampling_figures[], small_figures[];

const Chapter chapter_vae = {
    .number = 8,
    .folder = "08-vae",
    .title = "variational autoencoders",
    .first_row = 52,
    .last_row = 57,
    .claims =
        (const Claim *const[]){mixture_claims, integral_claims, elbo_claims, variational_claims,
                               vae_sampling_claims, small_vae_claims, NULL},
    .figures =
        (const Figure *const[]){vae_drawings, mixture_figures, integral_figures, elbo_figures,
                                variational_figures, vae_sampling_figures, small_figures, NULL},
    .exercises = (const Claim *const[]){vae_exercises, NULL},
    .questions = vae_questions,
};
