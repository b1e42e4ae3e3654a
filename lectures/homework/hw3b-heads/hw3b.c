/* hw3b.c: multi-head attention. README.md has the equations, hw3b.h the contracts. You may add
 * static functions. */
#include "hw3b.h"

#include <stdlib.h>

/* ---- 1. heads -------------------------------------------------------------------------------- */

void split_heads(real *y, const real *x, int t, int heads, int d)
{
    /* BEGIN SOLUTION: element (i, h d + e) of x becomes element (h, i, e) of y */
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < t; i++)
            for (int e = 0; e < d; e++)
                y[(h * t + i) * d + e] = x[(i * heads + h) * d + e];
    /* END SOLUTION */
}

void merge_heads(real *y, const real *x, int t, int heads, int d)
{
    /* BEGIN SOLUTION: element (h, i, e) of x becomes element (i, h d + e) of y */
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < t; i++)
            for (int e = 0; e < d; e++)
                y[(i * heads + h) * d + e] = x[(h * t + i) * d + e];
    /* END SOLUTION */
}

/* ---- 2. a projection ------------------------------------------------------------------------- */

void project(real *y, const real *x, const real *w, int t, int in, int out)
{
    /* BEGIN SOLUTION: y_io = sum over j of x_ij w_oj */
    for (int i = 0; i < t; i++)
        for (int o = 0; o < out; o++) {
            double sum = 0;
            for (int j = 0; j < in; j++)
                sum += (double)x[i * in + j] * w[o * in + j];
            y[i * out + o] = (real)sum;
        }
    /* END SOLUTION */
}

void project_backward(real *dx, real *dw, const real *dy, const real *x, const real *w, int t,
                      int in, int out)
{
    /* BEGIN SOLUTION: add dY W to dx and dY^T X to dw */
    for (int i = 0; i < t; i++)
        for (int o = 0; o < out; o++) {
            real up = dy[i * out + o];
            for (int j = 0; j < in; j++) {
                dx[i * in + j] += up * w[o * in + j];
                dw[o * in + j] += up * x[i * in + j];
            }
        }
    /* END SOLUTION */
}

/* ---- 3. multi-head attention ----------------------------------------------------------------- */

/* BEGIN SOLUTION: perhaps a struct and a function for what forward and backward both compute */
typedef struct {
    real *flat, *q, *k, *v, *a, *heads, *merged; /* (n, c) or (m, c), but a: (heads, n, m) */
} Scratch;

static Scratch scratch_new(int n, int m, int c, int heads)
{
    int t = n > m ? n : m;
    real *next = calloc((size_t)(6 * t * c + heads * n * m), sizeof(real));
    Scratch s = {.flat = next};
    if (!next)
        return s;
    s.q = s.flat + t * c;
    s.k = s.q + t * c;
    s.v = s.k + t * c;
    s.heads = s.v + t * c;
    s.merged = s.heads + t * c;
    s.a = s.merged + t * c;
    return s;
}

/* Everything up to the merged heads. */
static void attend_heads(Scratch *s, const Attention *attention, const real *x, const real *memory,
                         const real *w_in, int n, int m, int c, int heads, int causal)
{
    int d = c / heads;
    project(s->flat, x, w_in, n, c, c);
    split_heads(s->q, s->flat, n, heads, d);
    project(s->flat, memory, w_in + c * c, m, c, c);
    split_heads(s->k, s->flat, m, heads, d);
    project(s->flat, memory, w_in + 2 * c * c, m, c, c);
    split_heads(s->v, s->flat, m, heads, d);
    attention->forward(s->heads, s->a, s->q, s->k, s->v, heads, n, m, d, causal);
    merge_heads(s->merged, s->heads, n, heads, d);
}
/* END SOLUTION */

void multi_head(real *y, const real *x, const real *memory, const real *w_in, const real *w_out,
                int n, int m, int c, int heads, int causal, const Attention *attention)
{
    /* BEGIN SOLUTION: project, split, attend with the heads as the batch, merge, project */
    Scratch s = scratch_new(n, m, c, heads);
    if (s.flat) {
        attend_heads(&s, attention, x, memory, w_in, n, m, c, heads, causal);
        project(y, s.merged, w_out, n, c, c);
    }
    free(s.flat);
    /* END SOLUTION */
}

/* ---- 4. backward ----------------------------------------------------------------------------- */

/* BEGIN SOLUTION: perhaps a function for the way from one head's gradient to dx, dmemory and
 * dw_in */
static void input_backward(real *dx, real *dw, const real *dheads, const real *x, const real *w,
                           real *flat, int t, int c, int heads)
{
    merge_heads(flat, dheads, t, heads, c / heads);
    project_backward(dx, dw, flat, x, w, t, c, c);
}
/* END SOLUTION */

void multi_head_backward(real *dx, real *dmemory, real *dw_in, real *dw_out, const real *dy,
                         const real *x, const real *memory, const real *w_in, const real *w_out,
                         int n, int m, int c, int heads, int causal, const Attention *attention)
{
    /* BEGIN SOLUTION: compute the forward pass again, then take its steps in reverse order */
    int d = c / heads;
    Scratch s = scratch_new(n, m, c, heads), g = scratch_new(n, m, c, heads);
    if (s.flat && g.flat) {
        attend_heads(&s, attention, x, memory, w_in, n, m, c, heads, causal);
        project_backward(g.merged, dw_out, dy, s.merged, w_out, n, c, c);
        split_heads(g.heads, g.merged, n, heads, d);
        attention->backward(g.q, g.k, g.v, g.heads, s.a, s.q, s.k, s.v, heads, n, m, d);
        input_backward(dx, dw_in, g.q, x, w_in, g.flat, n, c, heads);
        input_backward(dmemory, dw_in + c * c, g.k, memory, w_in + c * c, g.flat, m, c, heads);
        input_backward(dmemory, dw_in + 2 * c * c, g.v, memory, w_in + 2 * c * c, g.flat, m, c,
                       heads);
    }
    free(s.flat);
    free(g.flat);
    /* END SOLUTION */
}
