/* exercises.h: what the exercises of this chapter and solutions.c share. */
#ifndef LECTURES_LANGUAGE_EXERCISES_H
#define LECTURES_LANGUAGE_EXERCISES_H

#include "lectures/06-language/language.h"

/* Of a cache (row 40): its keys, and the channels of each. */
enum { RING = 4, RING_WIDTH = 8 };

/* The excess loss of a model of n parameters that was trained on d words is a n^-alpha + b d^-beta,
 * and its training takes 6 n d operations (Hoffmann et al. 2022). */
typedef struct {
    double a, alpha, b, beta;
} TwoLaws;

/* Of T5's training (row 47): ids below SENTINEL are words; a text has TEXT of them, and source and
 * target have at most PAIR ids each. */
enum { WORDS_32 = 32, SENTINEL = WORDS_32, TEXT = 20, PAIR = TEXT + 2 };

typedef Tensor *TextLogProbability(Tensor *logits, Tensor *next);
TextLogProbability text_log_probability_solved, text_log_probability_wrong_logits,
    text_log_probability_wrong_mean;
typedef void RingInsert(real *ring, int n, const real *key);
RingInsert ring_insert_solved, ring_insert_wrong_last_slot;
typedef void MixedInputs(const int *right, const int *own, int n, double share, Rng *rng, int *in);
MixedInputs mixed_inputs_solved, mixed_inputs_wrong_first, mixed_inputs_wrong_exchanged,
    mixed_inputs_wrong_once;
typedef void MinP(double *p, int n, double share);
MinP min_p_solved, min_p_wrong_sum;
typedef void WholeWords(const int *word, const bool *chosen, int n, bool *masked);
WholeWords whole_words_solved, whole_words_wrong_later;
typedef int RankNeeded(const double *sigma, int n, double share);
RankNeeded rank_needed_solved, rank_needed_wrong_sums, rank_needed_wrong_squared;
typedef void Corrupt(const int *x, const bool *hidden, int n, int *source, int *target,
                     int length[2]);
Corrupt corrupt_solved, corrupt_wrong_words, corrupt_wrong_same;

#endif
