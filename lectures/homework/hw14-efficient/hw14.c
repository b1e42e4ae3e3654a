/* hw14.c: attention and fine-tuning at less cost. README.md has the equations, hw14.h the
 * contracts. You may add static functions of your own. */
#include "hw14.h"

#include <math.h>

/* BEGIN SOLUTION: perhaps a helper: the product of two rows */
static double product(const real *row, const real *other, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)row[i] * (double)other[i];
    return sum;
}
/* END SOLUTION */

void add_tile(real *m, real *l, real *y, const real *q, const real *k, const real *v, int n,
              int tile, int d, int c)
{
    /* BEGIN SOLUTION: for each score: if it is above m, rescale l and y and raise m; then add */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < tile; j++) {
            double score = product(q + i * d, k + j * d, d) / sqrt(d);
            if (score > (double)m[i]) {
                double factor = exp((double)m[i] - score);
                l[i] = (real)((double)l[i] * factor);
                for (int e = 0; e < c; e++)
                    y[i * c + e] = (real)((double)y[i * c + e] * factor);
                m[i] = (real)score;
            }
            double part = exp(score - (double)m[i]);
            l[i] += (real)part;
            for (int e = 0; e < c; e++)
                y[i * c + e] += (real)(part * (double)v[j * c + e]);
        }
    /* END SOLUTION */
}

void finish(real *y, real *log_sum, const real *m, const real *l, int n, int c)
{
    /* BEGIN SOLUTION: divide y by l; log_sum = m + log l */
    for (int i = 0; i < n; i++) {
        for (int e = 0; e < c; e++)
            y[i * c + e] /= l[i];
        log_sum[i] = (real)((double)m[i] + log((double)l[i]));
    }
    /* END SOLUTION */
}

void tile_backward(real *dq, real *dk, real *dv, const real *dy, const real *y, const real *log_sum,
                   const real *q, const real *k, const real *v, int n, int tile, int d, int c)
{
    /* BEGIN SOLUTION: compute the weight again from the score and log_sum, then equations 6 to 8 */
    for (int i = 0; i < n; i++) {
        double mean = product(dy + i * c, y + i * c, c);
        for (int j = 0; j < tile; j++) {
            double score = product(q + i * d, k + j * d, d) / sqrt(d);
            double weight = exp(score - (double)log_sum[i]);
            double slope = weight * (product(dy + i * c, v + j * c, c) - mean);
            slope /= sqrt(d);
            for (int e = 0; e < c; e++)
                dv[j * c + e] += (real)(weight * (double)dy[i * c + e]);
            for (int e = 0; e < d; e++) {
                dq[i * d + e] += (real)(slope * (double)k[j * d + e]);
                dk[j * d + e] += (real)(slope * (double)q[i * d + e]);
            }
        }
    }
    /* END SOLUTION */
}

/* BEGIN SOLUTION: perhaps a helper: the mean of values, weighted by the softmax of their scores */
static void weigh(real *y, const double *scores, const real *const *values, int count, int c)
{
    double top = scores[0];
    for (int j = 1; j < count; j++)
        top = fmax(top, scores[j]);
    for (int e = 0; e < c; e++) {
        double sum = 0, weighted = 0;
        for (int j = 0; j < count; j++) {
            sum += exp(scores[j] - top);
            weighted += exp(scores[j] - top) * (double)values[j][e];
        }
        y[e] = (real)(weighted / sum);
    }
}

enum { MOST = 64 }; /* keys in a window or in a cache; the tests have fewer */
/* END SOLUTION */

void window(real *y, const real *q, const real *k, const real *v, int n, int d, int c, int w)
{
    /* BEGIN SOLUTION: the softmax over the keys from max(0, i - w + 1) to i */
    for (int i = 0; i < n; i++) {
        double scores[MOST];
        const real *values[MOST];
        int first = i - w + 1 > 0 ? i - w + 1 : 0, count = 0;
        for (int j = first; j <= i; j++) {
            scores[count] = product(q + i * d, k + j * d, d) / sqrt(d);
            values[count++] = v + j * c;
        }
        weigh(y + i * c, scores, values, count, c);
    }
    /* END SOLUTION */
}

void ring_store(real *cache, const real *x, int position, int capacity, int d)
{
    /* BEGIN SOLUTION: copy x to row position mod capacity */
    int slot = position % capacity;
    for (int e = 0; e < d; e++)
        cache[slot * d + e] = x[e];
    /* END SOLUTION */
}

int ring_position(int slot, int last, int capacity)
{
    /* BEGIN SOLUTION: the largest position up to `last` that leaves the remainder `slot` */
    int newest = last % capacity;
    int position = last - newest + slot;
    if (slot > newest)
        position -= capacity;
    return position < 0 ? -1 : position;
    /* END SOLUTION */
}

void ring_attend(real *y, const real *q, const real *keys, const real *values, int last,
                 int capacity, int d, int c, real slope)
{
    /* BEGIN SOLUTION: ask ring_position for each slot; leave out the empty ones */
    double scores[MOST];
    const real *kept[MOST];
    int count = 0;
    for (int slot = 0; slot < capacity; slot++) {
        int position = ring_position(slot, last, capacity);
        if (position < 0)
            continue;
        double distance = last - position;
        scores[count] = product(q, keys + slot * d, d) / sqrt(d) - (double)slope * distance;
        kept[count++] = values + slot * c;
    }
    weigh(y, scores, kept, count, c);
    /* END SOLUTION */
}

void lora_forward(real *y, const real *x, const real *w, const real *a, const real *b, int rows,
                  int in, int out, int r, real scale)
{
    /* BEGIN SOLUTION: per row: h = A x, then y = W x + scale B h */
    for (int i = 0; i < rows; i++)
        for (int o = 0; o < out; o++) {
            double sum = product(x + i * in, w + o * in, in);
            for (int s = 0; s < r; s++) {
                double h = product(x + i * in, a + s * in, in);
                sum += (double)scale * (double)b[o * r + s] * h;
            }
            y[i * out + o] = (real)sum;
        }
    /* END SOLUTION */
}

void lora_backward(real *dx, real *da, real *db, const real *dy, const real *x, const real *w,
                   const real *a, const real *b, int rows, int in, int out, int r, real scale)
{
    /* BEGIN SOLUTION: per row: h = A x, dh = scale B^T dy, then equations 11 to 13 */
    for (int i = 0; i < rows; i++) {
        const real *row = x + i * in, *up = dy + i * out;
        for (int o = 0; o < out; o++)
            for (int e = 0; e < in; e++)
                dx[i * in + e] += (real)((double)up[o] * (double)w[o * in + e]);
        for (int s = 0; s < r; s++) {
            double h = product(row, a + s * in, in), dh = 0;
            for (int o = 0; o < out; o++) {
                db[o * r + s] += (real)((double)scale * (double)up[o] * h);
                dh += (double)scale * (double)up[o] * (double)b[o * r + s];
            }
            for (int e = 0; e < in; e++)
                da[s * in + e] += (real)(dh * (double)row[e]);
            for (int e = 0; e < in; e++)
                dx[i * in + e] += (real)(dh * (double)a[s * in + e]);
        }
    }
    /* END SOLUTION */
}

void lora_merge(real *merged, const real *w, const real *a, const real *b, int in, int out, int r,
                real scale)
{
    /* BEGIN SOLUTION: W + scale B A */
    for (int o = 0; o < out; o++)
        for (int e = 0; e < in; e++) {
            double change = 0;
            for (int s = 0; s < r; s++)
                change += (double)b[o * r + s] * (double)a[s * in + e];
            merged[o * in + e] = (real)((double)w[o * in + e] + (double)scale * change);
        }
    /* END SOLUTION */
}
