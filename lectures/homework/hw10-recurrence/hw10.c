/* hw10.c: recurrence and additive attention. README.md has the equations, hw10.h the contracts.
 * You may add static functions of your own. */
#include "hw10.h"

#include <math.h>

/* BEGIN SOLUTION: perhaps helpers: row times row, the logistic function, and the backward of
 * y = W x for one element of y */
static double product(const real *row, const real *other, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)row[i] * (double)other[i];
    return sum;
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static void product_backward(real *drow, real *dother, double slope, const real *row,
                             const real *other, int n)
{
    for (int i = 0; i < n; i++) {
        drow[i] += (real)(slope * (double)other[i]);
        dother[i] += (real)(slope * (double)row[i]);
    }
}
/* END SOLUTION */

void rnn(real *h, const real *x, const real *h0, const real *w, const real *u, const real *b, int t,
         int c, int n)
{
    /* BEGIN SOLUTION: for each token: tanh(W x + U times the state before + b) */
    for (int i = 0; i < t; i++) {
        const real *before = i > 0 ? h + (i - 1) * n : h0;
        for (int j = 0; j < n; j++)
            h[i * n + j] = (real)tanh(product(w + j * c, x + i * c, c) +
                                      product(u + j * n, before, n) + (double)b[j]);
    }
    /* END SOLUTION */
}

void rnn_backward(real *dx, real *dh0, real *dw, real *du, real *db, const real *dh, const real *h,
                  const real *x, const real *h0, const real *w, const real *u, int t, int c, int n)
{
    /* BEGIN SOLUTION: from the last token to the first; what reaches a state from the one after it
     * is added to its own gradient */
    real later[STATE_MOST] = {0};
    for (int i = t - 1; i >= 0; i--) {
        const real *before = i > 0 ? h + (i - 1) * n : h0;
        real earlier[STATE_MOST] = {0};
        for (int j = 0; j < n; j++) {
            double up = (double)dh[i * n + j] + (double)later[j], y = (double)h[i * n + j];
            double slope = up * (1 - y * y);
            db[j] += (real)slope;
            product_backward(dw + j * c, dx + i * c, slope, w + j * c, x + i * c, c);
            product_backward(du + j * n, earlier, slope, u + j * n, before, n);
        }
        for (int j = 0; j < n; j++)
            later[j] = earlier[j];
    }
    for (int j = 0; j < n; j++)
        dh0[j] += later[j];
    /* END SOLUTION */
}

/* BEGIN SOLUTION: perhaps a struct with what a GRU computes on the way, which both functions
 * need */
typedef struct {
    double r, z, s;
    double inner; /* U_s h, before the reset gate */
} Gru;

static Gru gru_unit(const real *x, const real *h, const real *w, const real *u, const real *b,
                    int c, int n, int j)
{
    Gru g;
    g.r = logistic(product(w + j * c, x, c) + product(u + j * n, h, n) + (double)b[j]);
    int row = n + j;
    g.z = logistic(product(w + row * c, x, c) + product(u + row * n, h, n) + (double)b[row]);
    row = 2 * n + j;
    g.inner = product(u + row * n, h, n);
    g.s = tanh(product(w + row * c, x, c) + g.r * g.inner + (double)b[row]);
    return g;
}
/* END SOLUTION */

void gru(real *next, const real *x, const real *h, const real *w, const real *u, const real *b,
         int c, int n)
{
    /* BEGIN SOLUTION: equation 3 */
    for (int j = 0; j < n; j++) {
        Gru g = gru_unit(x, h, w, u, b, c, n, j);
        next[j] = (real)((1 - g.z) * g.s + g.z * (double)h[j]);
    }
    /* END SOLUTION */
}

void gru_backward(real *dx, real *dh, real *dw, real *du, real *db, const real *dnext,
                  const real *x, const real *h, const real *w, const real *u, const real *b, int c,
                  int n)
{
    /* BEGIN SOLUTION: the paths of dnext: to s, to z, to h itself; then through each gate */
    for (int j = 0; j < n; j++) {
        Gru g = gru_unit(x, h, w, u, b, c, n, j);
        double up = (double)dnext[j];
        double ds = up * (1 - g.z) * (1 - g.s * g.s);
        double dz = up * ((double)h[j] - g.s) * g.z * (1 - g.z);
        double dr = ds * g.inner * g.r * (1 - g.r);
        dh[j] += (real)(up * g.z);
        const double input[3] = {dr, dz, ds};
        const double state[3] = {dr, dz, ds * g.r};
        for (int gate = 0; gate < 3; gate++) {
            int row = gate * n + j;
            db[row] += (real)input[gate];
            product_backward(dw + row * c, dx, input[gate], w + row * c, x, c);
            product_backward(du + row * n, dh, state[gate], u + row * n, h, n);
        }
    }
    /* END SOLUTION */
}

/* BEGIN SOLUTION: perhaps the same for an LSTM */
typedef struct {
    double i, f, g, o, cell;
} Lstm;

static Lstm lstm_unit(const real *x, const real *h, const real *cell, const real *w, const real *u,
                      const real *b, int c, int n, int j)
{
    double sum[4];
    for (int gate = 0; gate < 4; gate++) {
        int row = gate * n + j;
        sum[gate] = product(w + row * c, x, c) + product(u + row * n, h, n) + (double)b[row];
    }
    Lstm l = {logistic(sum[0]), logistic(sum[1]), tanh(sum[2]), logistic(sum[3]), 0};
    l.cell = l.f * (double)cell[j] + l.i * l.g;
    return l;
}
/* END SOLUTION */

void lstm(real *next, real *next_cell, const real *x, const real *h, const real *cell,
          const real *w, const real *u, const real *b, int c, int n)
{
    /* BEGIN SOLUTION: equations 5 and 6 */
    for (int j = 0; j < n; j++) {
        Lstm l = lstm_unit(x, h, cell, w, u, b, c, n, j);
        next_cell[j] = (real)l.cell;
        next[j] = (real)(l.o * tanh(l.cell));
    }
    /* END SOLUTION */
}

void lstm_backward(real *dx, real *dh, real *dcell, real *dw, real *du, real *db, const real *dnext,
                   const real *dnext_cell, const real *x, const real *h, const real *cell,
                   const real *w, const real *u, const real *b, int c, int n)
{
    /* BEGIN SOLUTION: the cell state's gradient comes from dnext_cell and through tanh; then
     * through each gate */
    for (int j = 0; j < n; j++) {
        Lstm l = lstm_unit(x, h, cell, w, u, b, c, n, j);
        double output = tanh(l.cell), up = (double)dnext[j];
        double dc = (double)dnext_cell[j] + up * l.o * (1 - output * output);
        double slope[4];
        slope[0] = dc * l.g * l.i * (1 - l.i);
        slope[1] = dc * (double)cell[j] * l.f * (1 - l.f);
        slope[2] = dc * l.i * (1 - l.g * l.g);
        slope[3] = up * output * l.o * (1 - l.o);
        dcell[j] += (real)(dc * l.f);
        for (int gate = 0; gate < 4; gate++) {
            int row = gate * n + j;
            db[row] += (real)slope[gate];
            product_backward(dw + row * c, dx, slope[gate], w + row * c, x, c);
            product_backward(du + row * n, dh, slope[gate], u + row * n, h, n);
        }
    }
    /* END SOLUTION */
}

/* BEGIN SOLUTION: perhaps a helper: the hidden layer of the score of one key */
static void hidden_of(double *hidden, const real *q, const real *key, const real *w, const real *u,
                      int a, int n, int d)
{
    for (int e = 0; e < a; e++)
        hidden[e] = tanh(product(w + e * n, q, n) + product(u + e * d, key, d));
}
/* END SOLUTION */

void additive(real *y, real *alpha, const real *q, const real *k, const real *w, const real *u,
              const real *v, int keys, int n, int d, int a)
{
    /* BEGIN SOLUTION: the scores, their softmax, the mean of the keys */
    double score[STEPS_MOST], hidden[STATE_MOST], top = -INFINITY, sum = 0;
    for (int j = 0; j < keys; j++) {
        hidden_of(hidden, q, k + j * d, w, u, a, n, d);
        score[j] = 0;
        for (int e = 0; e < a; e++)
            score[j] += (double)v[e] * hidden[e];
        top = fmax(top, score[j]);
    }
    for (int j = 0; j < keys; j++)
        sum += exp(score[j] - top);
    for (int e = 0; e < d; e++)
        y[e] = 0;
    for (int j = 0; j < keys; j++) {
        double share = exp(score[j] - top) / sum;
        alpha[j] = (real)share;
        for (int e = 0; e < d; e++)
            y[e] += (real)(share * (double)k[j * d + e]);
    }
    /* END SOLUTION */
}

void additive_backward(real *dq, real *dk, real *dw, real *du, real *dv, const real *dy,
                       const real *q, const real *k, const real *w, const real *u, const real *v,
                       int keys, int n, int d, int a)
{
    /* BEGIN SOLUTION: a key gets gradient as a value, and through its score; the score's goes
     * through the softmax to v, to the hidden layer, and to both matrices */
    real y[STATE_MOST], alpha[STEPS_MOST];
    additive(y, alpha, q, k, w, u, v, keys, n, d, a);
    double mean = product(dy, y, d);
    for (int j = 0; j < keys; j++) {
        double hidden[STATE_MOST], weight = (double)alpha[j];
        double dscore = weight * (product(dy, k + j * d, d) - mean);
        for (int e = 0; e < d; e++)
            dk[j * d + e] += (real)(weight * (double)dy[e]);
        hidden_of(hidden, q, k + j * d, w, u, a, n, d);
        for (int e = 0; e < a; e++) {
            dv[e] += (real)(dscore * hidden[e]);
            double slope = dscore * (double)v[e] * (1 - hidden[e] * hidden[e]);
            product_backward(dw + e * n, dq, slope, w + e * n, q, n);
            product_backward(du + e * d, dk + j * d, slope, u + e * d, k + j * d, d);
        }
    }
    /* END SOLUTION */
}
