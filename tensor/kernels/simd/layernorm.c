/* layernorm.c: LayerNorm.
 *
 * A statistic of a row is gathered by the thread that owns the row (kernels/simd/rows.c). A
 * statistic of a column (the gradients of gain and bias) is gathered down the rows, one thread
 * owning a strip of columns:
 *
 *    row 0  |  strip 0  |  strip 1  |  ..
 *    row 1  |     +     |     +     |      FLOAT_ROWS rows are summed separately before they are added to the
 *    ..     |     +     |     +     |      total, so that rounding does not grow with the number of rows
 *
 * Up to STRIPS neighbouring strips proceed side by side, so that each row is read in more than one
 * cache line. Either way the order of additions is a function of the shape alone. */
#include "tensor/kernels/simd/simd.h"

#include <float.h>

/* One call on x (rows, n). A kernel uses the fields that its equation names. */
typedef struct {
    float *y, *stats, *dgain, *dbias;
    const float *x, *dy, *gain, *bias;
    float epsilon;
    int64_t rows, n;
} Rows;

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

/* sum of (x_j - mean)^2; prefetches the row that row_sum reads BATCH rows later.
 * The mean is subtracted first, because the difference mean(x^2) - mean(x)^2 cancels. The lanes
 * beyond the row hold the mean and contribute 0. */
static float row_squares(const float *x, float mean, int64_t n)
{
    Vector sum[2] = {0};
    int64_t j = 0;
    for (; j + 2 * W <= n; j += 2 * W)
        for (int v = 0; v < 2; v++) {
            Vector gap = load(x + j + v * W) - mean;
            __builtin_prefetch(x + BATCH * n + j + v * W);
            sum[v] += gap * gap;
        }
    for (; j < n; j += W) {
        Vector gap = load_partial(x + j, n - j, mean) - mean;
        sum[0] += gap * gap;
    }
    return horizontal_sum(sum[0] + sum[1]);
}

/* 1 / sqrt(variance + epsilon). Squares that overflow, of numbers above 1e19, are added up again
 * with x scaled by 2^-96; then epsilon is as nothing. */
static float row_rstd(const float *x, float mean, float epsilon, int64_t n)
{
    float squares = row_squares(x, mean, n);
    if (squares <= FLT_MAX)
        return 1 / sqrtf(squares / (float)n + epsilon);
    squares = 0;
    for (int64_t j = 0; j < n; j++)
        squares += (x[j] - mean) * 0x1p-96f * ((x[j] - mean) * 0x1p-96f);
    return 0x1p-96f / sqrtf(squares / (float)n);
}

/* y = (x - mean) rstd gain + bias */
static inline void row_out(const Rows *r, int64_t row)
{
    const float *x = r->x + row * r->n, *gain = r->gain, *bias = r->bias;
    const float mean = r->stats[2 * row], rstd = r->stats[2 * row + 1];
    float *y = r->y + row * r->n;
    for (int64_t j = 0, n = r->n; j < n; j += W) {
        Vector z = (load_partial(x + j, n - j, 0) - mean) * rstd;
        Vector out = z * load_partial(gain + j, n - j, 0) + load_partial(bias + j, n - j, 0);
        store_partial(y + j, out, n - j);
    }
}

/* rstd = 1 / sqrt(variance + epsilon); Ba, Kiros and Hinton, "Layer normalization" (2016). Three
 * passes over a row, of which the first reads memory and the others the cache. Each pass goes over
 * BATCH rows before the next pass, so that the sums and the root of one row do not wait for those
 * of another. */
static void layernorm_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    int64_t n = r->n;
    for (int64_t after; begin < end; begin = after) {
        after = end - begin < BATCH ? end : begin + BATCH;
        for (int64_t row = begin; row < after; row++)
            r->stats[2 * row] = row_sum(r->x + row * n, n) / (float)n;
        for (int64_t row = begin; row < after; row++)
            r->stats[2 * row + 1] = row_rstd(r->x + row * n, r->stats[2 * row], r->epsilon, n);
        for (int64_t row = begin; row < after; row++)
            row_out(r, row);
    }
}

void ISA_NAME(layernorm)(float *y, float *stats, const float *x, const float *gain,
                         const float *bias, float epsilon, int64_t rows, int64_t n)
{
    Rows r = {
        .y = y, .stats = stats, .x = x, .gain = gain, .bias = bias, .epsilon = epsilon, .n = n};
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

/* The gradient of x is divided among threads by rows, those of gain and bias by columns. */
void ISA_NAME(layernorm_backward)(float *dx, float *dgain, float *dbias, const float *dy,
                                  const float *x, const float *stats, const float *gain,
                                  int64_t rows, int64_t n)
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
