/* rows.c: softmax, log-softmax and cross-entropy, one row at a time.
 *
 * A statistic of a row (its maximum, the sum of its exponentials) is gathered in the lanes of a
 * vector, which are folded at the end:
 *
 *      row  | x_0 .. x_W-1 | x_W .. x_2W-1 | .. |     acc[l] = sum of x_l, x_W+l, x_2W+l, ..
 *             -> one thread owns a row; all passes but the first read it from the first-level cache
 *
 * The order of additions is a function of the shape alone. */
#include "tensor/kernels/simd/simd.h"

/* One call on x (rows, n). A kernel uses the fields that its equation names. row_stats is what
 * forward left for backward. */
typedef struct {
    float *y, *stats;
    const float *x, *dy, *row_stats;
    const int32_t *target;
    int32_t ignore;
    bool add;
    float alpha;
    int64_t n;
} Rows;

/* Defines `body`, for parallel_for, which calls `one` for the rows begin to end - 1. */
#define EACH_ROW(body, one)                                     \
    static void body(int64_t begin, int64_t end, void *context) \
    {                                                           \
        for (int64_t row = begin; row < end; row++)             \
            one(context, row);                                  \
    }

/* Computes all rows; cost is that of one element. The fields of a Rows follow. */
#define ALL_ROWS(body, rows, cost, ...) \
    parallel_for(rows, parallel_grain(n *(cost)), body, &(Rows){__VA_ARGS__})

/* ---- softmax --------------------------------------------------------------------------------- */

/* The maximum of a row; -infinity for an empty row. A NaN is ignored here and enters the result
 * through row_exp. */
static float row_max(const float *x, int64_t n)
{
    Vector most[BATCH];
    int64_t j = 0;
    for (int k = 0; k < BATCH; k++)
        most[k] = fill_lanes(-INFINITY);
    for (; j + BATCH * W <= n; j += BATCH * W)
        for (int k = 0; k < BATCH; k++)
            most[k] = vector_max(load(x + j + k * W), most[k]);
    for (; j < n; j += W)
        most[0] = vector_max(load_partial(x + j, n - j, -INFINITY), most[0]);
    return horizontal_max(vector_max(vector_max(most[0], most[1]), vector_max(most[2], most[3])));
}

/* Stores exp(x_j - shift) where y is not NULL, and returns the sum; prefetches the next row. The
 * padding of the last vector is -infinity and contributes 0. */
static inline __attribute__((always_inline)) float row_exp(float *y, const float *x, float shift,
                                                           int64_t n)
{
    Vector total = {0};
    int64_t j = 0;
    for (; j + BATCH * W <= n; j += BATCH * W) {
        Vector e[BATCH];
#pragma GCC unroll 4
        for (int k = 0; k < BATCH; k++) {
            __builtin_prefetch(x + n + j + k * W);
            e[k] = weight_lanes(load(x + j + k * W) - shift);
        }
#pragma GCC unroll 4
        for (int k = 0; k < BATCH; k++) {
            total += e[k];
            if (y)
                store(y + j + k * W, e[k]);
        }
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
static inline void softmax_row(const Rows *r, int64_t row)
{
    const int64_t n = r->n;
    const float *x = r->x + row * n;
    float *y = r->y + row * n, share = 1 / row_exp(y, x, row_max(x, n), n);
    for (int64_t j = 0; j < n; j += W)
        store_partial(y + j, load_partial(y + j, n - j, 0) * share, n - j);
}
EACH_ROW(softmax_rows, softmax_row)

void ISA_NAME(softmax)(float *y, const float *x, int64_t rows, int64_t n)
{
    ALL_ROWS(softmax_rows, rows, COST_EXP, .y = y, .x = x, .n = n);
}

/* dx_j += y_j (dy_j - sum_k dy_k y_k) */
static inline void softmax_backward_row(const Rows *r, int64_t row)
{
    const int64_t n = r->n;
    const float *dy = r->dy + row * n, *y = r->x + row * n;
    float *dx = r->y + row * n, dot = (float)dot_of(dy, y, n);
    for (int64_t j = 0; j < n; j += W) {
        Vector share = load_partial(y + j, n - j, 0) * (load_partial(dy + j, n - j, 0) - dot);
        store_partial(dx + j, load_partial(dx + j, n - j, 0) + share, n - j);
    }
}
EACH_ROW(softmax_backward_rows, softmax_backward_row)

void ISA_NAME(softmax_backward)(float *dx, const float *dy, const float *y, int64_t rows, int64_t n)
{
    ALL_ROWS(softmax_backward_rows, rows, COST_ADD, .y = dx, .dy = dy, .x = y, .n = n);
}

/* y_j = x_j - max - log sum_k exp(x_k - max), in this order: max + log sum may not fit into one
 * float. */
static inline void log_softmax_row(const Rows *r, int64_t row)
{
    const int64_t n = r->n;
    const float *x = r->x + row * n;
    float *y = r->y + row * n, most = row_max(x, n), log_total = logf(row_exp(NULL, x, most, n));
    for (int64_t j = 0; j < n; j += W)
        store_partial(y + j, load_partial(x + j, n - j, 0) - most - log_total, n - j);
}
EACH_ROW(log_softmax_rows, log_softmax_row)

void ISA_NAME(log_softmax)(float *y, const float *x, int64_t rows, int64_t n)
{
    ALL_ROWS(log_softmax_rows, rows, COST_EXP, .y = y, .x = x, .n = n);
}

/* dx_j += dy_j - exp(y_j) sum_k dy_k */
static inline void log_softmax_backward_row(const Rows *r, int64_t row)
{
    const int64_t n = r->n;
    const float *dy = r->dy + row * n, *y = r->x + row * n;
    float *dx = r->y + row * n, total = (float)sum_of(dy, n);
    for (int64_t j = 0; j < n; j += W) {
        Vector p = weight_lanes(load_partial(y + j, n - j, 0));
        Vector share = load_partial(dy + j, n - j, 0) - p * total;
        store_partial(dx + j, load_partial(dx + j, n - j, 0) + share, n - j);
    }
}
EACH_ROW(log_softmax_backward_rows, log_softmax_backward_row)

void ISA_NAME(log_softmax_backward)(float *dx, const float *dy, const float *y, int64_t rows,
                                    int64_t n)
{
    ALL_ROWS(log_softmax_backward_rows, rows, COST_EXP, .y = dx, .dy = dy, .x = y, .n = n);
}

/* ---- cross-entropy --------------------------------------------------------------------------- */

/* loss = log sum_j exp(x_j - max) - (x_target - max). The difference is in double, because both
 * terms may be large and near each other. */
static inline void cross_entropy_row(const Rows *r, int64_t row)
{
    const float *x = r->x + row * r->n, most = row_max(x, r->n);
    const int32_t target = r->target[row];
    const double log_sum = log((double)row_exp(NULL, x, most, r->n));
    r->stats[2 * row] = most;
    r->stats[2 * row + 1] = (float)log_sum;
    r->y[row] = target == r->ignore ? 0 : (float)(log_sum - ((double)x[target] - (double)most));
}
EACH_ROW(cross_entropy_rows, cross_entropy_row)

/* An ignored row has statistics, too, and the loss 0. */
void ISA_NAME(cross_entropy)(float *losses, float *stats, const float *x, const int32_t *target,
                             int32_t ignore, int64_t rows, int64_t n)
{
    ALL_ROWS(cross_entropy_rows, rows, COST_EXP, .y = losses, .stats = stats, .x = x,
             .target = target, .ignore = ignore, .n = n);
}

/* The probability of a class with the logit x. In this order: max + log_sum may not fit into one
 * float. */
static inline Vector probability(Vector x, float max, float log_sum)
{
    return weight_lanes(x - max - log_sum);
}

/* dx_j += alpha p_j of a row, or = where `add`, a constant at every call, is false. */
static inline __attribute__((always_inline)) void add_probabilities(bool add, float *dx,
                                                                    float alpha, const float *x,
                                                                    float max, float log_sum,
                                                                    int64_t n)
{
    int64_t j = 0;
    for (; j + BATCH * W <= n; j += BATCH * W) {
        Vector sum[BATCH];
#pragma GCC unroll 4
        for (int k = 0; k < BATCH; k++) {
            const float *at = x + j + k * W;
            __builtin_prefetch(at + n);
            __builtin_prefetch(dx + n + j + k * W, 1);
            Vector before = add ? load(dx + j + k * W) : (Vector){0};
            sum[k] = before + alpha * probability(load(at), max, log_sum);
        }
#pragma GCC unroll 4
        for (int k = 0; k < BATCH; k++)
            store(dx + j + k * W, sum[k]);
    }
    for (; j < n; j += W) {
        Vector before = add ? load_partial(dx + j, n - j, 0) : (Vector){0};
        Vector p = probability(load_partial(x + j, n - j, 0), max, log_sum);
        store_partial(dx + j, before + alpha * p, n - j);
    }
}

/* dx_j += alpha (exp(x_j - max - log_sum) - [j == target]). An ignored row has no gradient: zeros
 * where nothing is added to. */
static inline void cross_entropy_backward_row(const Rows *r, int64_t row)
{
    const int64_t n = r->n;
    const float *x = r->x + row * n, *stats = r->row_stats + 2 * row;
    const bool counts = r->target[row] != r->ignore;
    float *dx = r->y + row * n;
    if (!r->add && !counts)
        memset(dx, 0, (size_t)n * sizeof *dx);
    else if (!r->add)
        add_probabilities(false, dx, r->alpha, x, stats[0], stats[1], n);
    else if (counts)
        add_probabilities(true, dx, r->alpha, x, stats[0], stats[1], n);
    if (counts)
        dx[r->target[row]] -= r->alpha;
}
EACH_ROW(cross_entropy_backward_rows, cross_entropy_backward_row)

void ISA_NAME(cross_entropy_backward)(float *dx, float alpha, const float *x, const float *stats,
                                      const int32_t *target, int32_t ignore, int64_t rows,
                                      int64_t n, bool add)
{
    ALL_ROWS(cross_entropy_backward_rows, rows, COST_EXP, .y = dx, .x = x, .row_stats = stats,
             .target = target, .ignore = ignore, .add = add, .alpha = alpha, .n = n);
}
