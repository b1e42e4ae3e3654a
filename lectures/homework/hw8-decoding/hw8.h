/* hw8.h: the functions of homework 8. You write them in hw8.c; README.md says what they compute.
 *
 * Words are numbers from 0 to v - 1. */
#ifndef HW8_H
#define HW8_H

#include "../prelude.h" /* what holds for all arrays and functions; real, and the mark TASK */

/* 1. exp of minus the mean log probability of a word, over all words of all texts. Text i has
 *    length[i] words; what follows them in row i is padding.
 *    log_p: (texts, longest), length: (texts), from 1 to longest */
TASK real perplexity(const real *log_p, const int *length, int texts, int longest);

/* 2. prob = softmax(logits / t). t = 0 and t = INFINITY are the limits: for 0, the words with the
 *    largest logit share the probability equally. Logits may be very large.
 *    logits, prob: (v), t >= 0 */
TASK void temperature(real *prob, const real *logits, int v, real t);

/* 3. The distribution over the k most probable words alone, 0 for all others. Of equally probable
 *    words the one with the lower number comes first. k may be larger than v: then all are kept.
 *    prob, kept: (v) */
TASK void top_k(real *kept, const real *prob, int v, int k);

/* 4. The same over the nucleus: words are taken in the same order until their probabilities sum to
 *    p or more. Returns how many words are kept.   0 < p < 1, prob, kept: (v) */
TASK int top_p(real *kept, const real *prob, int v, real p);

/* 5. The first word i with prob[0] + ... + prob[i] > u. Where rounding leaves no such word: the
 *    last word whose probability is not 0.
 *    prob: (v), sums to 1 up to rounding, 0 <= u < 1 */
TASK int draw(const real *prob, int v, real u);

#endif
