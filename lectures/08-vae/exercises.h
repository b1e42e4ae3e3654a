/* exercises.h: the functions of solutions.c. */
#ifndef LECTURES_VAE_EXERCISES_H
#define LECTURES_VAE_EXERCISES_H

#include "lectures/08-vae/vae.h"

typedef double Baseline(const double *f, int n, int i);
Baseline baseline_solved, baseline_wrong_one_other, baseline_wrong_all;

#endif
