/* hw8b.h: the functions of homework 8b. You write them in hw8b.c; README.md says what they compute.
 *
 * Words are numbers from 0 to v - 1. */
#ifndef HW8B_H
#define HW8B_H

#include "../prelude.h" /* what holds for all arrays and functions; real, and the mark TASK */

enum { WORDS_MOST = 8, LONGEST = 8, BEAM_MOST = 8 }; /* v, n and beam are never larger */

/* A language model: sets log_p[w] to log p(w | words[0], ..., words[n - 1]) for each of its v
 * words. n may be 0: then w is the first word, and words is not read. `model` is what you were
 * given together with the function. */
typedef void Next(real *log_p, const int *words, int n, const void *model);

/* 1. log p(words[0], ..., words[n - 1]).   words: (n) */
TASK real log_probability(const int *words, int n, int v, Next *next, const void *model);

/* 2. Greedy search: n words, each the most probable one after those before it. Returns their log
 *    probability. */
TASK real greedy(int *words, int n, int v, Next *next, const void *model);

/* 3. The most probable of all v^n sequences of n words. Returns its log probability. */
TASK real exhaustive(int *words, int n, int v, Next *next, const void *model);

/* 4. The score of n words is log p / n^alpha. best is the highest score of a finished hypothesis;
 *    the most probable open one has n words and the log probability log_p. Returns 1 if no open one
 *    can get a higher score than best, however it goes on up to `longest` words, and else 0.
 *    n < longest, alpha >= 0 */
TASK int may_stop(real best, real log_p, int n, int longest, real alpha);

/* 5. Beam search as in the README, part 3. Sets *length to the number of words of the result,
 *    words[0] to words[*length - 1] to these words (the end word included, if there is one) and all
 *    further ones to -1; returns the score. `end` is the end word; -1: there is none.
 *    words: (longest) */
TASK real beam_search(int *words, int *length, int beam, int longest, real alpha, int v, int end,
                      Next *next, const void *model);

#endif
