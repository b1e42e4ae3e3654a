/* hw3.c: attention. README.md has the equations, hw3.h the contracts.
 *
 * Functions of your own may be added, static ones for choice; include what you need of the C standard. */
#include "hw3.h"

#include <math.h>
#include <stdlib.h>

/* ---- 1. places ------------------------------------------------------------------------------------- */

void positions(real *p, int t, int c, real base)
{
    /* stub| (void)p, (void)t, (void)c, (void)base; */
    /* BEGIN SOLUTION: p[k][2i] = sin(k / base^(2i / c)), p[k][2i + 1] = cos of the same */
    for (int k = 0; k < t; k++)
        for (int i = 0; i < c / 2; i++) {
            double angle = k / pow((double)base, 2.0 * i / c);
            p[k * c + 2 * i] = (real)sin(angle);
            p[k * c + 2 * i + 1] = (real)cos(angle);
        }
    /* END SOLUTION */
}

/* ---- 2. masks -------------------------------------------------------------------------------------- */

void make_keep(int *keep, int n, int m, int causal, int length)
{
    /* stub| (void)keep, (void)n, (void)m, (void)causal, (void)length; */
    /* BEGIN SOLUTION: 1 where j < length and, if causal, j <= i + m - n */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            int known = j < length;
            int past = !causal || j <= i + m - n;
            keep[i * m + j] = known && past;
        }
    /* END SOLUTION */
}

/* ---- 3. weights ------------------------------------------------------------------------------------ */

void attention_weights(real *a, const real *q, const real *k, const int *keep, int batch, int n,
                       int m, int d)
{
    /* stub| (void)a, (void)q, (void)k, (void)keep, (void)batch, (void)n, (void)m, (void)d; */
    /* BEGIN SOLUTION: row by row: scores, -infinity where not kept, softmax with the largest subtracted */
    double scale = 1 / sqrt((double)d);
    for (int r = 0; r < batch * n; r++) {
        const real *query = q + r * d, *keys = k + r / n * m * d;
        const int *kept = keep ? keep + r % n * m : NULL;
        real *row = a + r * m;
        double top = -INFINITY, sum = 0;
        for (int j = 0; j < m; j++) {
            double score = 0;
            for (int e = 0; e < d; e++)
                score += (double)query[e] * keys[j * d + e];
            row[j] = (real)(score * scale);
            if (kept && !kept[j])
                row[j] = -(real)INFINITY;
            top = row[j] > top ? row[j] : top;
        }
        for (int j = 0; j < m; j++)
            sum += exp(row[j] - top);
        for (int j = 0; j < m; j++)
            row[j] = top == -INFINITY ? 0 : (real)(exp(row[j] - top) / sum);
    }
    /* END SOLUTION */
}

/* ---- 4. the weighted sum --------------------------------------------------------------------------- */

void attend(real *y, const real *a, const real *v, int batch, int n, int m, int d)
{
    /* stub| (void)y, (void)a, (void)v, (void)batch, (void)n, (void)m, (void)d; */
    /* BEGIN SOLUTION: row i of y is the sum over j of a_ij times row j of v */
    for (int b = 0; b < batch; b++, y += n * d, a += n * m, v += m * d)
        for (int i = 0; i < n; i++)
            for (int e = 0; e < d; e++) {
                double sum = 0;
                for (int j = 0; j < m; j++)
                    sum += (double)a[i * m + j] * v[j * d + e];
                y[i * d + e] = (real)sum;
            }
    /* END SOLUTION */
}

/* ---- 5. backward ----------------------------------------------------------------------------------- */

/* BEGIN SOLUTION: perhaps a helper for what comes up twice, such as a dot product */
static double dot(const real *x, const real *y, int d)
{
    double sum = 0;
    for (int e = 0; e < d; e++)
        sum += (double)x[e] * y[e];
    return sum;
}
/* END SOLUTION */

void attention_backward(real *dq, real *dk, real *dv, const real *dy, const real *a, const real *q,
                        const real *k, const real *v, int batch, int n, int m, int d)
{
    /* stub| (void)dq, (void)dk, (void)dv, (void)dy, (void)a, (void)q, (void)k, (void)v; */
    /* stub| (void)batch, (void)n, (void)m, (void)d; */
    /* BEGIN SOLUTION: dV = A^T dY; dA = dY V^T; dS by softmax's backward, times 1 / sqrt(d); dQ, dK */
    double factor = 1 / sqrt((double)d);
    for (int r = 0; r < batch * n; r++) {
        const real *up = dy + r * d, *weight = a + r * m;
        const real *keys = k + r / n * m * d, *values = v + r / n * m * d;
        real *key_grads = dk + r / n * m * d, *value_grads = dv + r / n * m * d;
        double mean = 0;
        for (int j = 0; j < m; j++)
            mean += weight[j] * dot(up, values + j * d, d);
        for (int j = 0; j < m; j++) {
            double da = dot(up, values + j * d, d);
            double ds = weight[j] * (da - mean);
            for (int e = 0; e < d; e++) {
                value_grads[j * d + e] += weight[j] * up[e];
                dq[r * d + e] += (real)(ds * factor * keys[j * d + e]);
                key_grads[j * d + e] += (real)(ds * factor * q[r * d + e]);
            }
        }
    }
    /* END SOLUTION */
}

/* ---- 6. heads -------------------------------------------------------------------------------------- */

void split_heads(real *y, const real *x, int t, int heads, int d)
{
    /* stub| (void)y, (void)x, (void)t, (void)heads, (void)d; */
    /* BEGIN SOLUTION: element (i, h d + e) of x becomes (h, i, e) of y */
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < t; i++)
            for (int e = 0; e < d; e++)
                y[(h * t + i) * d + e] = x[(i * heads + h) * d + e];
    /* END SOLUTION */
}

void merge_heads(real *y, const real *x, int t, int heads, int d)
{
    /* stub| (void)y, (void)x, (void)t, (void)heads, (void)d; */
    /* BEGIN SOLUTION: element (h, i, e) of x becomes (i, h d + e) of y */
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < t; i++)
            for (int e = 0; e < d; e++)
                y[(i * heads + h) * d + e] = x[(h * t + i) * d + e];
    /* END SOLUTION */
}

/* ---- 7. all together ------------------------------------------------------------------------------- */

/* BEGIN SOLUTION: perhaps a helper: y = x w^T comes up four times */
static void linear(real *y, const real *x, const real *w, int t, int c)
{
    for (int i = 0; i < t; i++)
        for (int o = 0; o < c; o++) {
            double sum = 0;
            for (int j = 0; j < c; j++)
                sum += (double)x[i * c + j] * w[o * c + j];
            y[i * c + o] = (real)sum;
        }
}
/* END SOLUTION */

void multi_head(real *y, const real *x, const real *w_in, const real *w_out, int t, int c,
                int heads, int causal)
{
    /* stub| (void)y, (void)x, (void)w_in, (void)w_out, (void)t, (void)c, (void)heads, (void)causal; */
    /* BEGIN SOLUTION: project, split, weights, attend with the heads as the batch, merge, project */
    int d = c / heads, size = t * c;
    real *room = malloc(sizeof(real) * (size_t)(5 * size + heads * t * t));
    int *keep = malloc(sizeof(int) * (size_t)(t * t));
    if (room && keep) {
        real *q = room, *k = q + size, *v = k + size, *flat = v + size, *out = flat + size;
        real *a = out + size;
        linear(flat, x, w_in, t, c);
        split_heads(q, flat, t, heads, d);
        linear(flat, x, w_in + c * c, t, c);
        split_heads(k, flat, t, heads, d);
        linear(flat, x, w_in + 2 * c * c, t, c);
        split_heads(v, flat, t, heads, d);
        make_keep(keep, t, t, causal, t);
        attention_weights(a, q, k, keep, heads, t, t, d);
        attend(out, a, v, heads, t, t, d);
        merge_heads(flat, out, t, heads, d);
        linear(y, flat, w_out, t, c);
    }
    free(room);
    free(keep);
    /* END SOLUTION */
}
