/* exercises.h: what the exercises of this chapter and solutions.c share. */
#ifndef LECTURES_LANGUAGE_EXERCISES_H
#define LECTURES_LANGUAGE_EXERCISES_H

#include "lectures/06-language/language.h"

/* Of a cache (row 40): its keys, and the channels of each. */
enum { RING = 4, RING_WIDTH = 8 };

typedef Tensor *TextLogProbability(Tensor *logits, Tensor *next);
TextLogProbability text_log_probability_solved, text_log_probability_wrong_logits,
    text_log_probability_wrong_mean;
typedef void RingInsert(real *ring, int n, const real *key);
RingInsert ring_insert_solved, ring_insert_wrong_last_slot;
typedef void MinP(double *p, int n, double share);
MinP min_p_solved, min_p_wrong_sum;
typedef void WholeWords(const int *word, const bool *chosen, int n, bool *masked);
WholeWords whole_words_solved, whole_words_wrong_later;

#endif
