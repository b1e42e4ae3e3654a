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
typedef double TemperatureFor(double gap, double share);
TemperatureFor temperature_for_solved, temperature_for_wrong_share, temperature_for_wrong_inverse;
typedef double ScoreFactor(int d, double deviation);
ScoreFactor score_factor_solved, score_factor_wrong_once, score_factor_wrong_one_width;
typedef Tensor *Bilinear(Tensor *X, Tensor *W);
Bilinear bilinear_solved, bilinear_wrong_transposed;
typedef Tensor *HeadsSideBySide(Tensor *q, Tensor *k, Tensor *v, int heads, int d);
HeadsSideBySide heads_side_by_side_solved, heads_side_by_side_wrong_own_values,
    heads_side_by_side_wrong_one_query;
typedef double BestFactor(double a, double b, double rho);
BestFactor best_factor_solved, best_factor_wrong_numerator, best_factor_wrong_denominator;
typedef Tensor *HideFuture(Tensor *A);
HideFuture hide_future_solved, hide_future_wrong_again, hide_future_wrong_shared_out;
typedef Tensor *LookAtSource(Tensor *decoder, Tensor *encoder, Tensor *Wq, Tensor *Wk, Tensor *Wv);
LookAtSource look_at_source_solved, look_at_source_wrong_exchanged, look_at_source_wrong_keys_alone;
typedef double KeysUsed(const real *a, int n);
KeysUsed keys_used_solved, keys_used_wrong_entropy, keys_used_wrong_largest;
typedef void CutHead(Tensor *Wo, int h, int d);
CutHead cut_head_solved, cut_head_wrong_channel;
typedef Tensor *OfTheSet(Tensor *y);
OfTheSet of_the_set_solved, of_the_set_wrong_first, of_the_set_wrong_constant;
typedef int PairsKept(int n, int w);
PairsKept pairs_kept_solved, pairs_kept_wrong_half, pairs_kept_wrong_both_ends;
typedef double MultiplyAdds(double n, double m, double d);
MultiplyAdds multiply_adds_solved, multiply_adds_wrong_without_out, multiply_adds_wrong_one_length;
typedef double LogSum(Stream *from);
LogSum log_sum_solved, log_sum_wrong_unscaled, log_sum_wrong_hidden;

#endif
