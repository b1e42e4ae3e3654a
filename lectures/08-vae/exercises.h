/* exercises.h: the functions of solutions.c. */
#ifndef LECTURES_VAE_EXERCISES_H
#define LECTURES_VAE_EXERCISES_H

#include "lectures/08-vae/vae.h"

typedef double Baseline(const double *f, int n, int i);
Baseline baseline_solved, baseline_wrong_one_other, baseline_wrong_all;
typedef double BoundOfPairs(const double *log_w, int n);
BoundOfPairs bound_of_pairs_solved, bound_of_pairs_wrong_underflow, bound_of_pairs_wrong_itself;
typedef Tensor *FreeBits(Tensor *kl, real least);
FreeBits free_bits_solved, free_bits_wrong_each_picture, free_bits_wrong_whole_rate;

#endif
