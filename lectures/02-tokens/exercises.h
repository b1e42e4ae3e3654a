/* exercises.h: the functions of solutions.c. */
#ifndef LECTURES_TOKENS_EXERCISES_H
#define LECTURES_TOKENS_EXERCISES_H

#include "lectures/02-tokens/tokens.h"

/* Of each function to be changed a solution, and mistakes that students make. */
typedef void LookUpGradient(double *dE, const int *id, const real *G, int T, int C);
LookUpGradient look_up_gradient_solved, look_up_gradient_wrong_mean, look_up_gradient_wrong_first;
typedef int FrequentPair(const int32_t *ids, int n, int32_t pair[2]);
FrequentPair frequent_pair_solved, frequent_pair_wrong_overlapping, frequent_pair_wrong_last;

#endif
