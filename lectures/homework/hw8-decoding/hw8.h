/* hw8.h: the functions of homework 8. You write them in hw8.c; README.md says what they compute.
 *
 * Words are numbers from 0 to v - 1. Matrices are stored row by row. All sizes are at least 1. A
 * function sets every element of its result, does not change what is const, and frees what it
 * allocates. */
#ifndef HW8_H
#define HW8_H

/* The grader compiles your file twice, with float and with double. Write real. */
#ifdef GRADUS_F64
typedef double real;
#else
typedef float real;
#endif

#ifndef TASK
#define TASK /* the grader's own mark; it means nothing to you */
#endif

enum { WORDS_MOST = 8, LONGEST = 8, BEAM_MOST = 8 }; /* v, n and beam are never larger */

/* A language model: sets log_p[w] to log p(w | words[0], ..., words[n - 1]) for each of its v
 * words. n may be 0: then w is the first word, and words is not read. `model` is what you were
 * given together with the function. */
typedef void Next(real *log_p, const int *words, int n, const void *model);

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

/* 5. log p(words[0], ..., words[n - 1]).   words: (n) */
TASK real log_probability(const int *words, int n, int v, Next *next, const void *model);

/* 6. Greedy search: n words, each the most probable one after those before it. Returns their log
 *    probability. */
TASK real greedy(int *words, int n, int v, Next *next, const void *model);

/* 7. The most probable of all v^n sequences of n words. Returns its log probability. */
TASK real exhaustive(int *words, int n, int v, Next *next, const void *model);

/* 8. The score of n words is log p / n^alpha. best is the highest score of a finished hypothesis;
 *    the most probable open one has n words and the log probability log_p. Returns 1 if no open one
 *    can get a higher score than best, however it goes on up to `longest` words, and else 0.
 *    n < longest, alpha >= 0 */
TASK int may_stop(real best, real log_p, int n, int longest, real alpha);

/* 9. Beam search as in the README, part 6. Sets *length to the number of words of the result,
 *    words[0] to words[*length - 1] to these words (the end word included, if there is one) and all
 *    further ones to -1; returns the score. `end` is the end word; -1: there is none.
 *    words: (longest) */
TASK real beam_search(int *words, int *length, int beam, int longest, real alpha, int v, int end,
                      Next *next, const void *model);

#endif
