/* rows.c: softmax, log-softmax, cross-entropy and LayerNorm, one row at a time.
 *
 * A statistic of a row (its maximum, its mean) is gathered in the lanes of a vector, which are
 * folded at the end:
 *
 *      row  | x_0 .. x_W-1 | x_W .. x_2W-1 | .. |     acc[l] = sum of x_l, x_W+l, x_2W+l, ..
 *             -> one thread owns a row; all passes but the first read it from the first-level cache
 *
 * A statistic of a column (the gradients of LayerNorm's gain and bias) is gathered down the rows,
 * one thread owning a strip of columns:
 *
 *    row 0  |  strip 0  |  strip 1  |  ..
 *    row 1  |     +     |     +     |      FLOAT_ROWS rows are summed separately before they are added to the
 *    ..     |     +     |     +     |      total, so that rounding does not grow with the number of rows
 *
 * Up to STRIPS neighbouring strips proceed side by side, so that each row is read in more than one
 * cache line. Either way the order of additions is a function of the shape alone. */
#include "tensor/kernels/simd/simd.h"

/* COST: of an element, in additions. */
enum { FLOAT_ROWS = 64, STRIPS = 4, COST_ADD = 1, COST_EXP = 3 };

/* One call on x (rows, n). A kernel uses the fields that its equation names. row_stats is what
 * forward left for backward. */
typedef struct {
    float *y, *stats, *dgain, *dbias;
    const float *x, *dy, *gain, *bias, *row_stats;
    const int32_t *target;
    int32_t ignore;
    float scalar; /* epsilon, or the factor alpha */
    int64_t rows, n;
} Rows;

/* ---- softmax --------------------------------------------------------------------------------- */

/* The maximum of a row; -infinity for an empty row. A NaN is ignored here and enters the result
 * through row_exp. */
static float row_max(const float *x, int64_t n)
{
    Vector most = fill_lanes(-INFINITY), other = most;
    for (int64_t j = 0; j < n; j += 2 * W) {
        most = vector_max(load_partial(x + j, n - j, -INFINITY), most);
        other = vector_max(load_partial(x + j + W, n - j - W, -INFINITY), other);
    }
    return horizontal_max(vector_max(most, other));
}

/* Stores exp(x_j - shift) where y is not NULL, and returns the sum; prefetches the next row. The
 * padding of the last vector is -infinity and contributes 0. */
static inline __attribute__((always_inline)) float row_exp(float *y, const float *x, float shift,
                                                           int64_t n)
{
    Vector total = {0};
    int64_t j = 0;
    for (; j + 4 * W <= n; j += 4 * W)
#pragma GCC unroll 4
        for (int64_t k = j; k < j + 4 * W; k += W) {
            Vector e = weight_lanes(load(x + k) - shift);
            prefetch_read(x + n + k);
            total += e;
            if (y)
                store(y + k, e);
        }
    for (; j < n; j += W) {
        Vector e = weight_lanes(load_partial(x + j, n - j, -INFINITY) - shift);
        total += e;
        if (y)
            store_partial(y + j, e, n - j);
    }
    return horizontal_sum(total);
}

/* Two passes after the maximum: the exponentials are stored and summed, then multiplied by the
 * reciprocal of their sum. */
static void softmax_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    int64_t n = r->n;
    for (int64_t row = begin; row < end; row++) {
        const float *x = r->x + row * n;
        float *y = r->y + row * n, share = 1 / row_exp(y, x, row_max(x, n), n);
        for (int64_t j = 0; j < n; j += W)
            store_partial(y + j, load_partial(y + j, n - j, 0) * share, n - j);
    }
}

/* The kernel `softmax`, each row by one thread. */
static void softmax(float *y, const float *x, int64_t rows, int64_t n)
{
    Rows r = {.y = y, .x = x, .n = n};
    parallel_for(rows, parallel_grain(n * COST_EXP), softmax_body, &r);
}

/* dx_j += y_j (dy_j - sum_k dy_k y_k)
 * Each thread owns whole rows of dx. */
static void softmax_backward_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    int64_t n = r->n;
    for (int64_t row = begin; row < end; row++) {
        const float *dy = r->dy + row * n, *y = r->x + row * n;
        float *dx = r->y + row * n, dot = (float)dot_of(dy, y, n);
        for (int64_t j = 0; j < n; j += W) {
            Vector share = load_partial(y + j, n - j, 0) * (load_partial(dy + j, n - j, 0) - dot);
            store_partial(dx + j, load_partial(dx + j, n - j, 0) + share, n - j);
        }
    }
}

static void softmax_backward(float *dx, const float *dy, const float *y, int64_t rows, int64_t n)
{
    Rows r = {.y = dx, .dy = dy, .x = y, .n = n};
    parallel_for(rows, parallel_grain(n * COST_ADD), softmax_backward_body, &r);
}

/* y_j = x_j - max - log sum_k exp(x_k - max), in this order: max + log sum may not fit into one
 * float. */
static void log_softmax_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    int64_t n = r->n;
    for (int64_t row = begin; row < end; row++) {
        const float *x = r->x + row * n;
        float most = row_max(x, n), log_total = logf(row_exp(NULL, x, most, n));
        for (int64_t j = 0; j < n; j += W)
            store_partial(r->y + row * n + j, load_partial(x + j, n - j, 0) - most - log_total,
                          n - j);
    }
}

static void log_softmax(float *y, const float *x, int64_t rows, int64_t n)
{
    Rows r = {.y = y, .x = x, .n = n};
    parallel_for(rows, parallel_grain(n * COST_EXP), log_softmax_body, &r);
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
            Vector p = weight_lanes(load_partial(y + j, n - j, 0));
            Vector share = load_partial(dy + j, n - j, 0) - p * total;
            store_partial(dx + j, load_partial(dx + j, n - j, 0) + share, n - j);
        }
    }
}

static void log_softmax_backward(float *dx, const float *dy, const float *y, int64_t rows,
                                 int64_t n)
{
    Rows r = {.y = dx, .dy = dy, .x = y, .n = n};
    parallel_for(rows, parallel_grain(n * COST_EXP), log_softmax_backward_body, &r);
}

/* ---- cross-entropy --------------------------------------------------------------------------- */

/* loss = log sum_j exp(x_j - max) - (x_target - max). The difference is in double, because both
 * terms may be large and near each other. */
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

/* The kernel `cross_entropy`. An ignored row has statistics, too, and the loss 0. */
static void cross_entropy(float *losses, float *stats, const float *x, const int32_t *target,
                          int32_t ignore, int64_t rows, int64_t n)
{
    Rows r = {.y = losses, .stats = stats, .x = x, .target = target, .ignore = ignore, .n = n};
    parallel_for(rows, parallel_grain(n * COST_EXP), cross_entropy_body, &r);
}

/* dx_j += alpha (exp(x_j - max - log_sum) - [j == target]). An ignored row has no gradient; where
 * the result replaces x (dx is x), it becomes zeros. */
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
            Vector p = weight_lanes(load_partial(x + j, n - j, 0) - most - log_sum);
            prefetch_read(x + n + j);
            prefetch_write(dx + n + j);
            Vector before = dx == x ? (Vector){0} : load_partial(dx + j, n - j, 0);
            store_partial(dx + j, before + r->scalar * p, n - j);
        }
        if (counts)
            dx[r->target[row]] -= r->scalar;
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
              .scalar = alpha,
              .n = n};
    parallel_for(rows, parallel_grain(n * COST_EXP), cross_entropy_backward_body, &r);
}

/* ---- LayerNorm ------------------------------------------------------------------------------- */

/* Forward of 4096 rows of 512 takes 0.57 ms with one thread and 0.28 with two, where copying takes
 * 0.56 and 0.27, on a shared Xeon with AVX-512, gcc 12 -O3, 2026-11-20. */

/* The sum of a row in 2 W float lanes: two vectors, so that an addition need not wait for the one
 * before. */
static float row_sum(const float *x, int64_t n)
{
    Vector sum[2] = {0};
    int64_t j = 0;
    for (; j + 2 * W <= n; j += 2 * W)
        for (int v = 0; v < 2; v++)
            sum[v] += load(x + j + v * W);
    for (; j < n; j += W)
        sum[0] += load_partial(x + j, n - j, 0);
    return horizontal_sum(sum[0] + sum[1]);
}

/* sum of (x_j - mean)^2; prefetches the next row.
 * The mean is subtracted first, because the difference mean(x^2) - mean(x)^2 cancels. The lanes
 * beyond the row hold the mean and contribute 0. */
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
        Vector gap = load_partial(x + j, n - j, mean) - mean;
        sum[0] += gap * gap;
    }
    return horizontal_sum(sum[0] + sum[1]);
}

/* y = (x - mean) rstd gain + bias, rstd = 1 / sqrt(variance + epsilon); Ba, Kiros and Hinton,
 * "Layer normalization" (2016). Three passes over a row, of which the first reads memory and the
 * others the cache. */
static void layernorm_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    int64_t n = r->n;
    for (int64_t row = begin; row < end; row++) {
        const float *x = r->x + row * n;
        float *y = r->y + row * n, mean = row_sum(x, n) / (float)n;
        float rstd = 1 / sqrtf(row_squares(x, mean, n) / (float)n + r->scalar);
        for (int64_t j = 0; j < n; j += W) {
            Vector z = (load_partial(x + j, n - j, 0) - mean) * rstd;
            Vector out =
                z * load_partial(r->gain + j, n - j, 0) + load_partial(r->bias + j, n - j, 0);
            store_partial(y + j, out, n - j);
            prefetch_write(y + n + j);
        }
        r->stats[2 * row] = mean;
        r->stats[2 * row + 1] = rstd;
    }
}

/* The kernel `layernorm`. */
static void layernorm(float *y, float *stats, const float *x, const float *gain, const float *bias,
                      float epsilon, int64_t rows, int64_t n)
{
    Rows r = {
        .y = y, .stats = stats, .x = x, .gain = gain, .bias = bias, .scalar = epsilon, .n = n};
    parallel_for(rows, parallel_grain(n * 2 * COST_ADD), layernorm_body, &r);
}

/* dx += rstd (u - mean(u) - z mean(u z)),  z = (x - mean) rstd,  u = dy gain
 * The first pass computes both means of u, the second the gradient; z and u are computed twice,
 * since two multiplications cost less than storing them. */
static void layernorm_rows_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    int64_t n = r->n;
    for (int64_t row = begin; row < end; row++) {
        const float *x = r->x + row * n, *dy = r->dy + row * n;
        float *dx = r->y + row * n, mean = r->stats[2 * row], rstd = r->stats[2 * row + 1];
        Vector u_sum = {0}, uz_sum = {0};
        for (int64_t j = 0; j < n; j += W) {
            Vector z = (load_partial(x + j, n - j, mean) - mean) * rstd;
            Vector u = load_partial(dy + j, n - j, 0) * load_partial(r->gain + j, n - j, 0);
            u_sum += u;
            uz_sum += u * z;
        }
        float u_mean = horizontal_sum(u_sum) / (float)n,
              uz_mean = horizontal_sum(uz_sum) / (float)n;
        for (int64_t j = 0; j < n; j += W) {
            Vector z = (load_partial(x + j, n - j, mean) - mean) * rstd;
            Vector u = load_partial(dy + j, n - j, 0) * load_partial(r->gain + j, n - j, 0);
            Vector share = rstd * (u - u_mean - z * uz_mean);
            store_partial(dx + j, load_partial(dx + j, n - j, 0) + share, n - j);
        }
    }
}

/* dgain += sum of dy z and dbias += sum of dy, for the columns of one strip of `vectors` vectors, a
 * constant. NULL gradients are computed and not stored. */
static inline __attribute__((always_inline)) void layernorm_strip(const Rows *r, int vectors,
                                                                  int64_t j)
{
    int64_t left = r->n - j;
    Vector gain[STRIPS] = {0}, bias[STRIPS] = {0};
    for (int64_t row = 0; row < r->rows; row += FLOAT_ROWS) {
        int64_t end = r->rows - row < FLOAT_ROWS ? r->rows : row + FLOAT_ROWS;
        Vector some_gain[STRIPS] = {0}, some_bias[STRIPS] = {0};
        for (int64_t i = row; i < end; i++) {
            float mean = r->stats[2 * i], rstd = r->stats[2 * i + 1];
            const float *dy_row = r->dy + i * r->n + j, *x = r->x + i * r->n + j;
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++) {
                Vector dy = load_partial(dy_row + v * W, left - v * W, 0);
                some_gain[v] += dy * ((load_partial(x + v * W, left - v * W, mean) - mean) * rstd);
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
            store_partial(r->dgain + j, load_partial(r->dgain + j, left, 0) + gain[v], left);
        if (r->dbias)
            store_partial(r->dbias + j, load_partial(r->dbias + j, left, 0) + bias[v], left);
    }
}

/* The body of parallel_for: the strips begin to end - 1, one vector wide each; four at a time
 * where all four are whole. */
static void layernorm_columns_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    for (; end - begin >= STRIPS && begin * W + STRIPS * W <= r->n; begin += STRIPS)
        layernorm_strip(r, STRIPS, begin * W);
    for (; begin < end; begin++)
        layernorm_strip(r, 1, begin * W);
}

/* The kernel `layernorm_backward`. The gradient of x is divided among threads by rows, those of
 * gain and bias by columns. */
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
        parallel_for(rows, parallel_grain(n * 2 * COST_ADD), layernorm_rows_body, &r);
    if (dgain || dbias)
        parallel_for((n + W - 1) / W, parallel_grain(rows * W * COST_ADD), layernorm_columns_body,
                     &r);
}

void ISA_NAME(kernels_fill_rows)(Kernels *k)
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
