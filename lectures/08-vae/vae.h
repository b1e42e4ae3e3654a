/* vae.h: what the files of this chapter share. */
#ifndef LECTURES_VAE_H
#define LECTURES_VAE_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* A mixture of three Gaussians in the plane: shares, means, and one variance for both axes of each
 * class. */
typedef struct {
    double pi[3], mu[3][2], v[3];
} Mixture;
/* One E-step and one M-step on points (N, 2). with_prior false: the E-step leaves p(z) out. */
Mixture mixture_em_step(const Mixture *m, Tensor *x, bool with_prior);

#endif
