/* chapter.c: chapter 8, variational autoencoders: the tables of its files. */
#include "lectures/08-vae/vae.h"

/* clang-format off */
#define CLAIMS(X) X(mixture_claims) X(integral_claims) X(elbo_claims) X(variational_claims) \
    X(vae_sampling_claims) X(small_vae_claims)
#define FIGURES(X) X(vae_drawings) X(mixture_figures) X(integral_figures) X(elbo_figures) \
    X(variational_figures) X(vae_sampling_figures) X(small_figures)
#define EXERCISES(X) X(vae_exercises)
/* clang-format on */

CHAPTER(chapter_vae, vae_questions, .number = 8, .folder = "08-vae",
        .title = "variational autoencoders", .first_row = 52, .last_row = 57);
