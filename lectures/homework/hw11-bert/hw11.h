/* hw11.h: the functions of homework 11. You write them in hw11.c; README.md says what they compute.
 *
 * Tokens are ids from 0 to v - 1; those below `specials` are special: padding, [CLS], [SEP],
 * [MASK]. */
#ifndef HW11_H
#define HW11_H

#include "../prelude.h" /* what holds for all arrays and functions; real, and the mark TASK */

enum { CHANNELS_MOST = 8, CLASSES_MOST = 16 }; /* c, and v or classes, are never larger */

/* 1. [CLS] a [SEP] b [SEP], with segment 0 up to the first [SEP] and 1 after it. If that is longer
 *    than `longest`, the longer of both sentences loses its last token, again and again, until it
 *    fits; where both are equally long, b loses one. Returns the length; later elements are left
 *    alone.
 *    ids, segments: (longest), a: (na), b: (nb), na, nb: 0 or more, longest: 3 or more */
TASK int pack(int *ids, int *segments, const int *a, int na, const int *b, int nb, int longest,
              int cls, int sep);

/* 2. Sequences of different lengths as one batch: row i has length[i] tokens of `tokens`, where all
 *    sequences stand one after the other, and then `pad`.
 *    ids: (batch, t), length: (batch), from 0 to t */
TASK void pad_batch(int *ids, const int *tokens, const int *length, int batch, int t, int pad);

/* 3. The softmax of each query's scores over the keys that are no padding; other keys get 0. All
 *    rows of queries that are padding themselves are 0. Scores may be very large.
 *    y, scores: (batch, t, t), length: (batch), from 0 to t */
TASK void padded_softmax(real *y, const real *scores, const int *length, int batch, int t);

/* 4. Chooses tokens and changes them (equations 1 and 2). labels gets the token that was chosen,
 *    and -1 at all other positions.
 *    ids, labels, tokens: (n), choose, change, word: (n), numbers from 0 up to, not including, 1 */
TASK void mask_tokens(int *ids, int *labels, const int *tokens, int n, int v, int specials,
                      int mask, real share, const real *choose, const real *change,
                      const real *word);

/* 5. The mean over the positions with a label of 0 or more of -log softmax(hidden E^T +
 *    bias)[label]; 0 if there is none. E is the embedding, which is used a second time here.
 *    hidden: (n, c), embedding: (v, c), bias: (v), labels: (n) */
TASK real masked_loss(const real *hidden, const real *embedding, const real *bias,
                      const int *labels, int n, int c, int v);

/* 6. Its gradients, times dloss.
 *    dhidden, hidden: (n, c), dembedding, embedding: (v, c), dbias, bias: (v) */
TASK void masked_loss_backward(real *dhidden, real *dembedding, real *dbias, real dloss,
                               const real *hidden, const real *embedding, const real *bias,
                               const int *labels, int n, int c, int v);

/* 7. The logits of a sentence's class, from the state of [CLS], which is its token 0:
 *    tanh(h W^T + b) U^T + d.
 *    logits: (batch, classes), hidden: (batch, t, c), w: (c, c), b: (c), u: (classes, c),
 *    d: (classes) */
TASK void classify(real *logits, const real *hidden, const real *w, const real *b, const real *u,
                   const real *d, int batch, int t, int c, int classes);

/* 8. Its gradients.
 *    dhidden: (batch, t, c), dw: (c, c), db: (c), du: (classes, c), dd: (classes),
 *    dlogits: (batch, classes) */
TASK void classify_backward(real *dhidden, real *dw, real *db, real *du, real *dd,
                            const real *dlogits, const real *hidden, const real *w, const real *b,
                            const real *u, int batch, int t, int c, int classes);

#endif
