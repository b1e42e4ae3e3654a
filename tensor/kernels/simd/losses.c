/* losses.c: losses that compare two tensors element by element.
 *
 *    | chunk 0 | chunk 1 | .. |  at most CHUNKS chunks, whose length depends on n alone. One thread sums a chunk:
 *        |         |             FLOAT_RUN elements in float lanes, the runs in double. The chunks' sums are
 *        +----+----+             added in their order.
 *             y */
#include "tensor/kernels/simd/elementwise.h"

enum { CHUNKS = 128, FLOAT_RUN = 1024 };

/* A sum over all elements of term(a_i, b_i), and its partial sums. */
typedef struct {
    Vector (*term)(Vector a, Vector b);
    const float *a, *b;
    int64_t n, chunk;
    double sum[CHUNKS];
} Sum;

/* Only the lanes of the last, partial vector that hold elements are added.
 * A lane beyond them would add term(0, 0), which is not 0 for binary cross-entropy. */
static double run_sum(const Sum *s, int64_t i, int64_t end)
{
    Vector sum = {0};
    for (; i + W <= end; i += W)
        sum += s->term(load(s->a + i), load(s->b + i));
    double total = (double)horizontal_sum(sum);
    if (i < end) {
        Vector last =
            s->term(load_partial(s->a + i, end - i, 0), load_partial(s->b + i, end - i, 0));
        for (int64_t l = 0; l < end - i; l++)
            total += (double)last[l];
    }
    return total;
}

/* The body of parallel_for: the chunks begin to end - 1, run by run. */
static void sum_body(int64_t begin, int64_t end, void *context)
{
    Sum *s = context;
    for (int64_t c = begin; c < end; c++) {
        int64_t last = (c + 1) * s->chunk < s->n ? (c + 1) * s->chunk : s->n;
        s->sum[c] = 0;
        for (int64_t i = c * s->chunk; i < last; i += FLOAT_RUN)
            s->sum[c] += run_sum(s, i, last - i < FLOAT_RUN ? last : i + FLOAT_RUN);
    }
}

/* The sum over n elements. The chunks depend on n alone; hence the result has the same bits for
 * any number of threads. 128 chunks suffice to share the work among as many threads. */
static double sum_terms(Vector (*term)(Vector, Vector), const float *a, const float *b, int64_t n)
{
    Sum s = {.term = term, .a = a, .b = b, .n = n};
    int64_t runs = (n + FLOAT_RUN - 1) / FLOAT_RUN;
    s.chunk = (runs + CHUNKS - 1) / CHUNKS * FLOAT_RUN;
    int64_t chunks = n > 0 ? (n + s.chunk - 1) / s.chunk : 0;
    parallel_for(chunks, parallel_grain(s.chunk * COST_EXP), sum_body, &s);
    double total = 0;
    for (int64_t c = 0; c < chunks; c++)
        total += s.sum[c];
    return total;
}

/* The term of the mean squared error. */
static Vector squared_difference(Vector a, Vector b)
{
    return (a - b) * (a - b);
}

/* y = sum_i (a_i - b_i)^2 / n */
void ISA_NAME(mse)(float *y, const float *a, const float *b, int64_t n)
{
    *y = (float)(sum_terms(squared_difference, a, b, n) / (double)n);
}

/* softplus(x) - x t is the binary cross-entropy of the logit x and the target t. */
static Vector bce_term(Vector x, Vector t)
{
    return softplus_lanes(x) - x * t;
}

/* y = sum_i (softplus(x_i) - x_i t_i) / n */
void ISA_NAME(bce)(float *y, const float *x, const float *t, int64_t n)
{
    *y = (float)(sum_terms(bce_term, x, t, n) / (double)n);
}

/* dx += dy (s - t) / n and dt -= dy x / n; a is x, b is t, y is dx and m is dt. The difference s -
 * t is computed as (1 - t) s - t (1 - s) with 1 - s = 1 / (1 + e^x), because subtracting s from 1
 * cancels where s is near 1. */
static void bce_backward_run(const ElementwiseJob *e, int64_t i, int64_t end)
{
    for (; i < end; i += W) {
        int64_t left = end - i;
        Vector x = load_partial(e->a + i, left, 0), t = load_partial(e->b + i, left, 0);
        if (e->y) {
            Vector gap = (1 - t) * sigmoid_lanes(x) - t * sigmoid_lanes(-x);
            store_partial(e->y + i, load_partial(e->y + i, left, 0) + e->scalar * gap, left);
        }
        if (e->m)
            store_partial(e->m + i, load_partial(e->m + i, left, 0) - e->scalar * x, left);
    }
}

void ISA_NAME(bce_backward)(float *dx, float *dt, float dy, const float *x, const float *t,
                            int64_t n)
{
    ELEMENTWISE(COST_EXP, .run = bce_backward_run, .y = dx, .m = dt, .a = x, .b = t,
                .scalar = dy / (float)n, .n = n);
}

/* da += 2 dy (a - b) / n, and db -= the same. */
static void mse_backward_run(const ElementwiseJob *e, int64_t i, int64_t end)
{
    for (; i < end; i += W) {
        int64_t left = end - i;
        Vector g = e->scalar * (load_partial(e->a + i, left, 0) - load_partial(e->b + i, left, 0));
        if (e->y)
            store_partial(e->y + i, load_partial(e->y + i, left, 0) + g, left);
        if (e->m)
            store_partial(e->m + i, load_partial(e->m + i, left, 0) - g, left);
    }
}

void ISA_NAME(mse_backward)(float *da, float *db, float dy, const float *a, const float *b,
                            int64_t n)
{
    ELEMENTWISE(COST_ADD, .run = mse_backward_run, .y = da, .m = db, .a = a, .b = b,
                .scalar = 2 * dy / (float)n, .n = n);
}
