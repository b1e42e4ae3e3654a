/* hw6.h: the functions of homework 6. You write them in hw6.c; README.md says what they compute. */
#ifndef HW6_H
#define HW6_H

#include "../prelude.h" /* what holds for all arrays and functions; real, and the mark TASK */

enum { BYTES_MOST = 64, CHANNELS_MOST = 8 }; /* n, and d, are never larger */

/* Token 0 to 255 is the byte of that number; token 256 + i is the pair of merge i. */
typedef struct {
    int left, right;
} Merge;

/* 1. Replaces each pair (left, right) of neighbours by `whole`, from left to right: in x x x the
 *    first two are a pair. Returns how many tokens are left. Elements after them are left alone.
 *    ids: (n), n: 0 or more */
TASK int merge(int *ids, int n, Merge pair, int whole);

/* 2. The pair that merge would replace most often. Of several, the one with the smaller left token;
 *    of these, the one with the smaller right token. Sets *pair to it and returns how often; if there
 *    is no pair, returns 0 and leaves *pair alone.
 *    ids: (n), n: 0 or more */
TASK int most_frequent(Merge *pair, const int *ids, int n);

/* 3. Byte-pair encoding: merges the most frequent pair of the text again and again, as long as it
 *    occurs at least twice, and at most `most` times. Returns the number of merges.
 *    merges: (most), bytes: (n) */
TASK int train(Merge *merges, int most, const unsigned char *bytes, int n);

/* 4. The tokens of any text: all merges, one after the other, in the order of training. Returns how
 *    many tokens there are.
 *    ids: (n) or more, bytes: (n), merges: (count), n, count: 0 or more */
TASK int encode(int *ids, const unsigned char *bytes, int n, const Merge *merges, int count);

/* 5. The bytes of these tokens. Returns how many there are.
 *    bytes: as many as needed, ids: (n), merges: (count), n, count: 0 or more */
TASK int decode(unsigned char *bytes, const int *ids, int n, const Merge *merges);

/* 6. Skip-gram with negative samples: the loss of one word and one of its contexts (equation 1).
 *    word, context: (d), negatives: (k, d). Products may be very large. */
TASK real skip_gram(const real *word, const real *context, const real *negatives, int k, int d);

/* 7. Its gradients.
 *    dword, dcontext, word, context: (d), dnegatives, negatives: (k, d) */
TASK void skip_gram_backward(real *dword, real *dcontext, real *dnegatives, const real *word,
                             const real *context, const real *negatives, int k, int d);

/* 8. CBOW with negative samples: the loss of one word in the midst of its contexts (equation 2).
 *    contexts: (m, d), word: (d), negatives: (k, d), which are words here */
TASK real cbow(const real *contexts, const real *word, const real *negatives, int m, int k, int d);

/* 9. Its gradients.
 *    dcontexts, contexts: (m, d), dword, word: (d), dnegatives, negatives: (k, d) */
TASK void cbow_backward(real *dcontexts, real *dword, real *dnegatives, const real *contexts,
                        const real *word, const real *negatives, int m, int k, int d);

/* 10. "a is to b as c is to ?": the rank of `answer` among all words but a, b and c, by the cosine
 *     of their vectors with b - a + c. 1 is the best; a word with an equal cosine does not count as
 *     better. No vector is 0.
 *     vectors: (v, d), a, b, c, answer: four different rows */
TASK int analogy_rank(const real *vectors, int v, int d, int a, int b, int c, int answer);

#endif
