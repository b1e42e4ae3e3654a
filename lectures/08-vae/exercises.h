/* exercises.h: the functions of solutions.c. */
#ifndef LECTURES_VAE_EXERCISES_H
#define LECTURES_VAE_EXERCISES_H

#include "lectures/08-vae/vae.h"

/* Of each function to be changed a solution, and mistakes that students make. */
typedef void Posterior(const double *log_prior, const double *log_likelihood, double *p);
Posterior posterior_solved, posterior_wrong_underflow, posterior_wrong_likelihood;
typedef double Weight(double x, double z, double mean, double deviation);
Weight weight_solved, weight_wrong_deviation, weight_wrong_inverse;
typedef double GaussianElbo(double x, double w, double s2, double m, double v);
GaussianElbo gaussian_elbo_solved, gaussian_elbo_wrong_entropy, gaussian_elbo_wrong_spread;
typedef void BestQ(const double *mean, const double *variance, int n, double *c, double *v);
BestQ best_q_solved, best_q_wrong_precision, best_q_wrong_turned;
typedef double Baseline(const double *f, int n, int i);
Baseline baseline_solved, baseline_wrong_one_other, baseline_wrong_all;
typedef double BoundOfPairs(const double *log_w, int n);
BoundOfPairs bound_of_pairs_solved, bound_of_pairs_wrong_underflow, bound_of_pairs_wrong_itself;
typedef Tensor *FreeBits(Tensor *kl, real least);
FreeBits free_bits_solved, free_bits_wrong_each_picture, free_bits_wrong_whole_rate;

#endif
