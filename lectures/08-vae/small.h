/* small.h: a small variational autoencoder of digits, trained for the claims of row 57.
 *
 * The digits are data_digits' at half their size, 14 x 14, and each pixel is 0 or 1: then p(x | z)
 * is a probability of x, and so is p(x). With two latents p(x) can be computed by quadrature, which
 * no larger VAE allows. */
#ifndef LECTURES_SMALL_VAE_H
#define LECTURES_SMALL_VAE_H

#include "examples/common/pictures.h"
#include "examples/vae/model.h"
#include "lectures/08-vae/vae.h"

enum {
    SMALL_SIDE = 14,
    SMALL_PIXELS = SMALL_SIDE * SMALL_SIDE,
    SMALL_HIDDEN = 64,
    SMALL_LATENT = 2
};
extern const VaeConfig small_config;
enum { SMALL_TRAIN = 2000, SMALL_TEST = 500 };

/* Trained on distortion + beta rate: for beta = 1 that is -ELBO. */
typedef struct {
    Params *params;
    Vae vae;
    double beta;
} SmallVae;

/* Digits of a seed, kept until another seed is asked for. */
Pictures *small_digits(uint64_t seed);

/* A model trained with this beta, one of small_betas, kept until another seed is asked for. NULL
 * after an error. */
enum { SMALL_BETAS = 6, SMALL_COLLAPSED = 5 };
extern const double small_betas[SMALL_BETAS]; /* 1/4 to 4, and 20, with which the code collapses */
enum { SMALL_PLAIN = 2 };                     /* beta = 1 */
const SmallVae *small_vae(uint64_t seed, int which);

enum { SMALL_BATCH = 100, SMALL_STEPS = 60 * SMALL_TRAIN / SMALL_BATCH };

/* Means over the training images, in nats a picture: rate, KL(q(z|x) || p(z)), and distortion, -E_q
 * log p(x|z). */
typedef struct {
    double rate, distortion;
} RateDistortion;
RateDistortion small_rate_distortion(const SmallVae *s, uint64_t seed);

/* log N(z; mean, e^log_variance) of each row: (N). mean NULL: N(0, I). */
Tensor *small_log_normal(Tensor *z, Tensor *mean, Tensor *log_variance);

/* log p(x | z) of images x (N, n) and latents z (N, d), row by row: (N) */
Tensor *small_log_likelihood(const Vae *m, Tensor *x, Tensor *z);

#endif
