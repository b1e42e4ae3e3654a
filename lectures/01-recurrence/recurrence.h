/* recurrence.h: what the files of this chapter share. */
#ifndef LECTURES_RECURRENCE_H
#define LECTURES_RECURRENCE_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* direct.c */
/* left[k], k = 0 .. T - 1: the mean of log |dL/dx_(T-k)| / |dL/dy_T| over sequences of T tokens, of
 * one layer of attention with its first weights; NaN where backward failed. */
void direct_log_gradients(uint64_t seed, int T, double *left);

#endif
