/* hw14.h: the functions of homework 14. You write them in hw14.c; README.md says what they compute.
 *
 * A score is q.k / sqrt(d). */
#ifndef HW14_H
#define HW14_H

#include "../prelude.h" /* what holds for all arrays and functions; real, and the mark TASK */

/* 1. Adds a tile of keys and values to the state of an online softmax, which has for each query the
 *    largest score so far, m; the sum of exp(score - m), l; and the sum of exp(score - m) times the
 *    value, y. Before the first tile m is -INFINITY, and l and y are 0. Scores may be very large.
 *    m, l: (n), y: (n, c), q: (n, d), k: (tile, d), v: (tile, c) */
TASK void add_tile(real *m, real *l, real *y, const real *q, const real *k, const real *v, int n,
                   int tile, int d, int c);

/* 2. After the last tile: y becomes the output of attention, and log_sum the logarithm of the sum
 *    of exp(score) over all keys.
 *    y: (n, c), log_sum, m, l: (n) */
TASK void finish(real *y, real *log_sum, const real *m, const real *l, int n, int c);

/* 3. The gradients through one tile of keys and values, from the final y and log_sum of all tiles.
 *    Adds to dq, to this tile's dk and to this tile's dv.
 *    dq, q: (n, d), dk, k: (tile, d), dv, v: (tile, c), dy, y: (n, c), log_sum: (n) */
TASK void tile_backward(real *dq, real *dk, real *dv, const real *dy, const real *y,
                        const real *log_sum, const real *q, const real *k, const real *v, int n,
                        int tile, int d, int c);

/* 4. Causal attention within a window: query i looks at itself and at the w - 1 keys before it, or
 *    at all keys before it if those are fewer.
 *    q, k: (n, d), v, y: (n, c) */
TASK void window(real *y, const real *q, const real *k, const real *v, int n, int d, int c, int w);

/* 5. Writes x, which belongs to the token at `position`, into its row of a ring cache, and leaves
 *    the other rows as they are.
 *    cache: (capacity, d), x: (d), position: 0 or more */
TASK void ring_store(real *cache, const real *x, int position, int capacity, int d);

/* 6. Which position's row is in this slot, if the newest position that was stored is `last`? -1 if
 *    the slot is still empty.
 *    0 <= slot < capacity, last: 0 or more */
TASK int ring_position(int slot, int last, int capacity);

/* 7. Attention of one query, at position `last`, over all rows of the ring caches that are not
 *    empty. The score of the key at position j is q.k / sqrt(d) - slope (last - j).
 *    y: (c), q: (d), keys: (capacity, d), values: (capacity, c) */
TASK void ring_attend(real *y, const real *q, const real *keys, const real *values, int last,
                      int capacity, int d, int c, real slope);

/* 8. A linear layer with a change of low rank: y = x W^T + scale (x A^T) B^T.
 *    x: (rows, in), w: (out, in), a: (r, in), b: (out, r), y: (rows, out) */
TASK void lora_forward(real *y, const real *x, const real *w, const real *a, const real *b,
                       int rows, int in, int out, int r, real scale);

/* 9. Its gradients. W is frozen and gets none. Adds to dx, da and db.
 *    dx, x: (rows, in), da, a: (r, in), db, b: (out, r), dy: (rows, out), w: (out, in) */
TASK void lora_backward(real *dx, real *da, real *db, const real *dy, const real *x, const real *w,
                        const real *a, const real *b, int rows, int in, int out, int r, real scale);

/* 10. The one matrix that computes the same: x merged^T = lora_forward's y, for every x.
 *     merged, w: (out, in), a: (r, in), b: (out, r) */
TASK void lora_merge(real *merged, const real *w, const real *a, const real *b, int in, int out,
                     int r, real scale);

#endif
