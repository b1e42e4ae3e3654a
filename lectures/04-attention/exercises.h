/* exercises.h: what the exercises of this chapter and solutions.c share. */
#ifndef LECTURES_ATTENTION_EXERCISES_H
#define LECTURES_ATTENTION_EXERCISES_H

#include "lectures/04-attention/attention.h"

/* A with 0 for the weights of later keys. */
Tensor *without_later(Tensor *A);

/* Scores that can be read once, one after another. */
typedef struct {
    const double *s;
    int left;
} Stream;

bool next_score(Stream *from, double *score);

/* Of each function to be changed a solution, and mistakes that students make. */
typedef Tensor *LookUp(Tensor *q, Tensor *k, Tensor *v);
LookUp look_up_solved, look_up_wrong_scaled, look_up_wrong_small_factor;
typedef Tensor *Attend(Tensor *Q, Tensor *K, Tensor *V);
Attend attend_solved, attend_wrong_unscaled, attend_wrong_by_d;
typedef Tensor *HideFuture(Tensor *A);
HideFuture hide_future_solved, hide_future_wrong_again, hide_future_wrong_shared_out;
typedef Tensor *OfTheSet(Tensor *y);
OfTheSet of_the_set_solved, of_the_set_wrong_first, of_the_set_wrong_constant;
typedef double LogSum(Stream *from);
LogSum log_sum_solved, log_sum_wrong_unscaled, log_sum_wrong_hidden;

#endif
