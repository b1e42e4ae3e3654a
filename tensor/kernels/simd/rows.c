/* rows.c: rows and columns, fast: softmax, LayerNorm, cross-entropy.
 *
 * What is said of a row (its maximum, its mean) is gathered in lanes, which are folded at the end:
 *
 *      row   | x_0 .. x_W-1 | x_W .. x_2W-1 | .. |     acc[l] = sum of x_l, x_W+l, x_2W+l, ..
 *              -> one owner a row; passes over it find it in the nearest cache
 *
 * What is said of a column (the gradients of LayerNorm's gain and bias) is gathered down the rows, a strip of
 * columns having one owner:
 *
 *      row 0   |  strip 0  |  strip 1  |  ..
 *      row 1   |     +     |     +     |           STRETCH rows are summed by themselves first, so that
 *      ..      |     +     |     +     |           rounding does not grow with the number of rows
 *
 * Neighbouring strips go down together, WIDE at a time, so that memory is read by more than a line.
 *
 * Either way the order of additions is a function of the shape alone. */
#include "tensor/kernels/simd/simd.h"

enum { STRETCH = 64, WIDE = 4 };

/* What an element costs, in units of a plain addition. */
enum { CHEAP = 1, COSTLY = 3 };

typedef struct {
    float *y, *stats, *dgain, *dbias;
    const float *x, *dy, *gain, *bias, *row_stats;
    const int32_t *target;
    int32_t ignore;
    float number; /* epsilon, or alpha */
    int64_t rows, n;
} Rows;

/* ---- softmax ------------------------------------------------------------------------------------------ */

static float row_max(const float *x, int64_t n)
{
    Vector most = splat(-INFINITY);
    for (int64_t j = 0; j < n; j += W)
        most = larger(load_some(x + j, n - j, -INFINITY), most);
    return lanes_max(most);
}

/* y_j = exp(x_j - shift), where a y is wanted; returns their sum. */
static inline __attribute__((always_inline)) float row_exp(float *y, const float *x, float shift,
                                                           int64_t n)
{
    Vector total = {0};
    for (int64_t j = 0; j < n; j += W) {
        Vector e = weight_lanes(load_some(x + j, n - j, -INFINITY) - shift);
        total += e;
        if (y)
            store_some(y + j, e, n - j);
    }
    return lanes_sum(total);
}

static void softmax_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    int64_t n = r->n;
    for (int64_t row = begin; row < end; row++) {
        const float *x = r->x + row * n;
        float *y = r->y + row * n, share = 1 / row_exp(y, x, row_max(x, n), n);
        for (int64_t j = 0; j < n; j += W)
            store_some(y + j, load_some(y + j, n - j, 0) * share, n - j);
    }
}

static void softmax(float *y, const float *x, int64_t rows, int64_t n)
{
    Rows r = {.y = y, .x = x, .n = n};
    parallel_for(rows, parallel_grain(n * COSTLY), softmax_body, &r);
}

/* dx_j += y_j (dy_j - sum_k dy_k y_k) */
static void softmax_backward_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    int64_t n = r->n;
    for (int64_t row = begin; row < end; row++) {
        const float *dy = r->dy + row * n, *y = r->x + row * n;
        float *dx = r->y + row * n, dot = (float)dot_of(dy, y, n);
        for (int64_t j = 0; j < n; j += W) {
            Vector share = load_some(y + j, n - j, 0) * (load_some(dy + j, n - j, 0) - dot);
            store_some(dx + j, load_some(dx + j, n - j, 0) + share, n - j);
        }
    }
}

static void softmax_backward(float *dx, const float *dy, const float *y, int64_t rows, int64_t n)
{
    Rows r = {.y = dx, .dy = dy, .x = y, .n = n};
    parallel_for(rows, parallel_grain(n * CHEAP), softmax_backward_body, &r);
}

/* y_j = x_j - max - log sum_k exp(x_k - max), in this order: max and sum need not fit into one float. */
static void log_softmax_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    int64_t n = r->n;
    for (int64_t row = begin; row < end; row++) {
        const float *x = r->x + row * n;
        float most = row_max(x, n), log_total = logf(row_exp(NULL, x, most, n));
        for (int64_t j = 0; j < n; j += W)
            store_some(r->y + row * n + j, load_some(x + j, n - j, 0) - most - log_total, n - j);
    }
}

static void log_softmax(float *y, const float *x, int64_t rows, int64_t n)
{
    Rows r = {.y = y, .x = x, .n = n};
    parallel_for(rows, parallel_grain(n * COSTLY), log_softmax_body, &r);
}

/* dx_j += dy_j - exp(y_j) sum_k dy_k */
static void log_softmax_backward_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    int64_t n = r->n;
    for (int64_t row = begin; row < end; row++) {
        const float *dy = r->dy + row * n, *y = r->x + row * n;
        float *dx = r->y + row * n, total = (float)sum_of(dy, n);
        for (int64_t j = 0; j < n; j += W) {
            Vector p = weight_lanes(load_some(y + j, n - j, 0));
            Vector share = load_some(dy + j, n - j, 0) - p * total;
            store_some(dx + j, load_some(dx + j, n - j, 0) + share, n - j);
        }
    }
}

static void log_softmax_backward(float *dx, const float *dy, const float *y, int64_t rows,
                                 int64_t n)
{
    Rows r = {.y = dx, .dy = dy, .x = y, .n = n};
    parallel_for(rows, parallel_grain(n * COSTLY), log_softmax_backward_body, &r);
}

/* ---- cross-entropy ------------------------------------------------------------------------------------ */

static void cross_entropy_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    for (int64_t row = begin; row < end; row++) {
        const float *x = r->x + row * r->n;
        int32_t target = r->target[row];
        float most = row_max(x, r->n);
        double log_sum = log((double)row_exp(NULL, x, most, r->n));
        r->stats[2 * row] = most;
        r->stats[2 * row + 1] = (float)log_sum;
        r->y[row] = target == r->ignore ? 0 : (float)(log_sum - ((double)x[target] - (double)most));
    }
}

static void cross_entropy(float *losses, float *stats, const float *x, const int32_t *target,
                          int32_t ignore, int64_t rows, int64_t n)
{
    Rows r = {.y = losses, .stats = stats, .x = x, .target = target, .ignore = ignore, .n = n};
    parallel_for(rows, parallel_grain(n * COSTLY), cross_entropy_body, &r);
}

static void cross_entropy_backward_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    int64_t n = r->n;
    for (int64_t row = begin; row < end; row++) {
        const float *x = r->x + row * n;
        float *dx = r->y + row * n, most = r->row_stats[2 * row];
        float log_sum = r->row_stats[2 * row + 1];
        bool counts = r->target[row] != r->ignore;
        if (dx == x && !counts)
            memset(dx, 0, (size_t)n * sizeof *dx);
        for (int64_t j = 0; counts && j < n; j += W) {
            Vector p = weight_lanes(load_some(x + j, n - j, 0) - most - log_sum);
            Vector before = dx == x ? (Vector){0} : load_some(dx + j, n - j, 0);
            store_some(dx + j, before + r->number * p, n - j);
        }
        if (counts)
            dx[r->target[row]] -= r->number;
    }
}

static void cross_entropy_backward(float *dx, float alpha, const float *x, const float *stats,
                                   const int32_t *target, int32_t ignore, int64_t rows, int64_t n)
{
    Rows r = {.y = dx,
              .x = x,
              .row_stats = stats,
              .target = target,
              .ignore = ignore,
              .number = alpha,
              .n = n};
    parallel_for(rows, parallel_grain(n * COSTLY), cross_entropy_backward_body, &r);
}

/* 4096 rows of 512: 0.57 ms by one thread and 0.28 by two, where copying them takes 0.56 and 0.27: a Xeon with
 * AVX-512 that did other work too, gcc 12 -O3, 2026-11-20. */
/* ---- LayerNorm ------------------------------------------------------------------------------------------ */

static float row_sum(const float *x, int64_t n)
{
    Vector sum[2] = {0};
    int64_t j = 0;
    for (; j + 2 * W <= n; j += 2 * W)
        for (int v = 0; v < 2; v++)
            sum[v] += load(x + j + v * W);
    for (; j < n; j += W)
        sum[0] += load_some(x + j, n - j, 0);
    return lanes_sum(sum[0] + sum[1]);
}

/* sum of (x_j - mean)^2; on the way, the next row is asked for. */
static float row_squares(const float *x, float mean, int64_t n)
{
    Vector sum[2] = {0};
    int64_t j = 0;
    for (; j + 2 * W <= n; j += 2 * W)
        for (int v = 0; v < 2; v++) {
            Vector gap = load(x + j + v * W) - mean;
            prefetch_read(x + n + j + v * W);
            sum[v] += gap * gap;
        }
    for (; j < n; j += W) {
        Vector gap = load_some(x + j, n - j, mean) - mean;
        sum[0] += gap * gap;
    }
    return lanes_sum(sum[0] + sum[1]);
}

static void layernorm_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    int64_t n = r->n;
    for (int64_t row = begin; row < end; row++) {
        const float *x = r->x + row * n;
        float *y = r->y + row * n, mean = row_sum(x, n) / (float)n;
        float rstd = 1 / sqrtf(row_squares(x, mean, n) / (float)n + r->number);
        for (int64_t j = 0; j < n; j += W) {
            Vector z = (load_some(x + j, n - j, 0) - mean) * rstd;
            Vector out = z * load_some(r->gain + j, n - j, 0) + load_some(r->bias + j, n - j, 0);
            store_some(y + j, out, n - j);
            prefetch_write(y + n + j);
        }
        r->stats[2 * row] = mean;
        r->stats[2 * row + 1] = rstd;
    }
}

static void layernorm(float *y, float *stats, const float *x, const float *gain, const float *bias,
                      float epsilon, int64_t rows, int64_t n)
{
    Rows r = {
        .y = y, .stats = stats, .x = x, .gain = gain, .bias = bias, .number = epsilon, .n = n};
    parallel_for(rows, parallel_grain(n * 2 * CHEAP), layernorm_body, &r);
}

/* dx += rstd (u - mean(u) - z mean(u z)),  z = (x - mean) rstd,  u = dy gain */
static void layernorm_rows_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    int64_t n = r->n;
    for (int64_t row = begin; row < end; row++) {
        const float *x = r->x + row * n, *dy = r->dy + row * n;
        float *dx = r->y + row * n, mean = r->stats[2 * row], rstd = r->stats[2 * row + 1];
        Vector u_sum = {0}, uz_sum = {0};
        for (int64_t j = 0; j < n; j += W) {
            Vector z = (load_some(x + j, n - j, mean) - mean) * rstd;
            Vector u = load_some(dy + j, n - j, 0) * load_some(r->gain + j, n - j, 0);
            u_sum += u;
            uz_sum += u * z;
        }
        float u_mean = lanes_sum(u_sum) / (float)n, uz_mean = lanes_sum(uz_sum) / (float)n;
        for (int64_t j = 0; j < n; j += W) {
            Vector z = (load_some(x + j, n - j, mean) - mean) * rstd;
            Vector u = load_some(dy + j, n - j, 0) * load_some(r->gain + j, n - j, 0);
            Vector share = rstd * (u - u_mean - z * uz_mean);
            store_some(dx + j, load_some(dx + j, n - j, 0) + share, n - j);
        }
    }
}

/* dgain += sum of dy z, dbias += sum of dy, for the columns of one strip of so many vectors, a constant. */
static inline __attribute__((always_inline)) void layernorm_strip(const Rows *r, int vectors,
                                                                  int64_t j)
{
    int64_t left = r->n - j;
    Vector gain[WIDE] = {0}, bias[WIDE] = {0};
    for (int64_t row = 0; row < r->rows; row += STRETCH) {
        int64_t end = r->rows - row < STRETCH ? r->rows : row + STRETCH;
        Vector some_gain[WIDE] = {0}, some_bias[WIDE] = {0};
        for (int64_t i = row; i < end; i++) {
            float mean = r->stats[2 * i], rstd = r->stats[2 * i + 1];
            const float *dy_row = r->dy + i * r->n + j, *x = r->x + i * r->n + j;
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++) {
                Vector dy = load_some(dy_row + v * W, left - v * W, 0);
                some_gain[v] += dy * ((load_some(x + v * W, left - v * W, mean) - mean) * rstd);
                some_bias[v] += dy;
            }
        }
        for (int v = 0; v < vectors; v++) {
            gain[v] += some_gain[v];
            bias[v] += some_bias[v];
        }
    }
    for (int v = 0; v < vectors; v++, j += W, left -= W) {
        if (r->dgain)
            store_some(r->dgain + j, load_some(r->dgain + j, left, 0) + gain[v], left);
        if (r->dbias)
            store_some(r->dbias + j, load_some(r->dbias + j, left, 0) + bias[v], left);
    }
}

static void layernorm_columns_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    for (; end - begin >= WIDE && begin * W + WIDE * W <= r->n; begin += WIDE)
        layernorm_strip(r, WIDE, begin * W);
    for (; begin < end; begin++)
        layernorm_strip(r, 1, begin * W);
}

static void layernorm_backward(float *dx, float *dgain, float *dbias, const float *dy,
                               const float *x, const float *stats, const float *gain, int64_t rows,
                               int64_t n)
{
    Rows r = {.y = dx,
              .dgain = dgain,
              .dbias = dbias,
              .dy = dy,
              .x = x,
              .stats = (float *)stats,
              .gain = gain,
              .rows = rows,
              .n = n};
    if (dx)
        parallel_for(rows, parallel_grain(n * 2 * CHEAP), layernorm_rows_body, &r);
    if (dgain || dbias)
        parallel_for((n + W - 1) / W, parallel_grain(rows * W * CHEAP), layernorm_columns_body, &r);
}

void FAST(kernels_fill_rows)(Kernels *k)
{
    k->softmax = softmax;
    k->softmax_backward = softmax_backward;
    k->log_softmax = log_softmax;
    k->log_softmax_backward = log_softmax_backward;
    k->layernorm = layernorm;
    k->layernorm_backward = layernorm_backward;
    k->cross_entropy = cross_entropy;
    k->cross_entropy_backward = cross_entropy_backward;
}
