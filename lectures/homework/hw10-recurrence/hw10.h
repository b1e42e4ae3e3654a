/* hw10.h: the functions of homework 10. You write them in hw10.c; README.md says what they
 * compute. */
#ifndef HW10_H
#define HW10_H

#include "../prelude.h" /* what holds for all arrays and functions; real, and the mark TASK */

enum { STATE_MOST = 8, STEPS_MOST = 8 }; /* n, and t or keys, are never larger */

/* 1. An RNN over t tokens (equation 1). Row i of h is the state after token i; h0 is the state
 *    before token 0.
 *    h: (t, n), x: (t, c), h0, b: (n), w: (n, c), u: (n, n) */
TASK void rnn(real *h, const real *x, const real *h0, const real *w, const real *u, const real *b,
              int t, int c, int n);

/* 2. Backward through time. dh has the gradient that each state gets from the loss directly, not
 *    through later states. h is rnn's result.
 *    dx, x: (t, c), dh0, db, h0: (n), dw, w: (n, c), du, u: (n, n), dh, h: (t, n) */
TASK void rnn_backward(real *dx, real *dh0, real *dw, real *du, real *db, const real *dh,
                       const real *h, const real *x, const real *h0, const real *w, const real *u,
                       int t, int c, int n);

/* 3. One step of a GRU (equation 3). The rows of w, u and b belong to the gates r, z and the new
 *    state s, n rows each, in this order.
 *    next, h: (n), x: (c), w: (3 n, c), u: (3 n, n), b: (3 n) */
TASK void gru(real *next, const real *x, const real *h, const real *w, const real *u, const real *b,
              int c, int n);

/* 4. Its gradients, from that of the next state.
 *    dx, x: (c), dh, h, dnext: (n), dw, w: (3 n, c), du, u: (3 n, n), db, b: (3 n) */
TASK void gru_backward(real *dx, real *dh, real *dw, real *du, real *db, const real *dnext,
                       const real *x, const real *h, const real *w, const real *u, const real *b,
                       int c, int n);

/* 5. One step of an LSTM (equations 5 and 6). The rows of w, u and b belong to the gates i and f,
 *    the candidate g and the gate o, n rows each, in this order. cell and next_cell are the cell
 *    states.
 *    next, next_cell, h, cell: (n), x: (c), w: (4 n, c), u: (4 n, n), b: (4 n) */
TASK void lstm(real *next, real *next_cell, const real *x, const real *h, const real *cell,
               const real *w, const real *u, const real *b, int c, int n);

/* 6. Its gradients. dnext and dnext_cell come from later steps, and from the loss.
 *    dx, x: (c), dh, dcell, h, cell, dnext, dnext_cell: (n), dw, w: (4 n, c), du, u: (4 n, n),
 *    db, b: (4 n) */
TASK void lstm_backward(real *dx, real *dh, real *dcell, real *dw, real *du, real *db,
                        const real *dnext, const real *dnext_cell, const real *x, const real *h,
                        const real *cell, const real *w, const real *u, const real *b, int c,
                        int n);

/* 7. Additive attention of one query (equation 10). alpha gets the weights, y the mean of the keys.
 *    y: (d), alpha: (keys), q: (n), k: (keys, d), w: (a, n), u: (a, d), v: (a), a <= STATE_MOST */
TASK void additive(real *y, real *alpha, const real *q, const real *k, const real *w, const real *u,
                   const real *v, int keys, int n, int d, int a);

/* 8. Its gradients, from that of y.
 *    dq, q: (n), dk, k: (keys, d), dw, w: (a, n), du, u: (a, d), dv, v: (a), dy: (d) */
TASK void additive_backward(real *dq, real *dk, real *dw, real *du, real *dv, const real *dy,
                            const real *q, const real *k, const real *w, const real *u,
                            const real *v, int keys, int n, int d, int a);

#endif
