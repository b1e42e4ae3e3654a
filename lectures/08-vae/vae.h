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
enum { MIXTURE_CLASSES = 3, MIXTURE_POINTS = 400 };
/* Draws from a mixture of three classes, (MIXTURE_POINTS, 2): first the class, then the point. */
Tensor *mixture_points(Tape *tape, uint64_t seed);
/* Three of the points as means, the variance of all for each class. */
Mixture mixture_start(const Tensor *x, Rng *rng);
/* p(z = k) p(x | z = k) of one point, and the mean of log p(x), in double. */
double mixture_joint(const Mixture *m, const real *p, int k);
double mixture_log_p(const Mixture *m, const Tensor *x);
/* One step of gradient ascent on that mean, in the logits of pi, mu and log v. False with an
 * error. */
bool mixture_gradient_step(Mixture *m, Tensor *x, double rate);
/* One E-step and one M-step on points (N, 2). with_prior false: the E-step leaves p(z) out. */
Mixture mixture_em_step(const Mixture *m, Tensor *x, bool with_prior);

#endif
