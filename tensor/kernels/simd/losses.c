/* losses.c: losses that compare two tensors element by element, fast.
 *
 *      | chunk 0 | chunk 1 | .. |      at most CHUNKS, of a length that depends on n alone; the sum of each has
 *          |         |                 one owner, in lanes and, every STRETCH numbers, in double
 *          +----+----+                 and they are added in their order
 *               y
 */
#include "tensor/kernels/simd/elementwise.h"

enum { CHUNKS = 128, STRETCH = 1024 };

typedef struct {
    Vector (*term)(Vector a, Vector b);
    const float *a, *b;
    int64_t n, chunk;
    double sum[CHUNKS];
} Sum;

/* Of the last, partial vector, only the lanes that are there count. */
static double stretch_sum(const Sum *s, int64_t i, int64_t end)
{
    Vector sum = {0};
    for (; i + W <= end; i += W)
        sum += s->term(load(s->a + i), load(s->b + i));
    double total = (double)lanes_sum(sum);
    if (i < end) {
        Vector last = s->term(load_some(s->a + i, end - i, 0), load_some(s->b + i, end - i, 0));
        for (int64_t l = 0; l < end - i; l++)
            total += (double)last[l];
    }
    return total;
}

static void sum_body(int64_t begin, int64_t end, void *context)
{
    Sum *s = context;
    for (int64_t c = begin; c < end; c++) {
        int64_t last = (c + 1) * s->chunk < s->n ? (c + 1) * s->chunk : s->n;
        s->sum[c] = 0;
        for (int64_t i = c * s->chunk; i < last; i += STRETCH)
            s->sum[c] += stretch_sum(s, i, last - i < STRETCH ? last : i + STRETCH);
    }
}

static double sum_terms(Vector (*term)(Vector, Vector), const float *a, const float *b, int64_t n)
{
    Sum s = {.term = term, .a = a, .b = b, .n = n};
    int64_t stretches = (n + STRETCH - 1) / STRETCH;
    s.chunk = (stretches + CHUNKS - 1) / CHUNKS * STRETCH;
    int64_t chunks = n > 0 ? (n + s.chunk - 1) / s.chunk : 0;
    parallel_for(chunks, parallel_grain(s.chunk * COSTLY), sum_body, &s);
    double total = 0;
    for (int64_t c = 0; c < chunks; c++)
        total += s.sum[c];
    return total;
}

static Vector square_of_gap(Vector a, Vector b)
{
    return (a - b) * (a - b);
}

static void mse(float *y, const float *a, const float *b, int64_t n)
{
    *y = (float)(sum_terms(square_of_gap, a, b, n) / (double)n);
}

/* softplus(x) - x t */
static Vector bce_term(Vector x, Vector t)
{
    return softplus_lanes(x) - x * t;
}

static void bce(float *y, const float *x, const float *t, int64_t n)
{
    *y = (float)(sum_terms(bce_term, x, t, n) / (double)n);
}

/* dx += dy (s - t) / n,  dt -= dy x / n; a is x, b is t, y and m what they bring. s - t is made as
 * (1 - t) s - t (1 - s), and 1 - s = 1 / (1 + e^x) without the subtraction, which would lose its digits near 1. */
static void bce_back_run(const Elements *e, int64_t i, int64_t end)
{
    for (; i < end; i += W) {
        int64_t left = end - i;
        Vector x = load_some(e->a + i, left, 0), t = load_some(e->b + i, left, 0);
        if (e->y) {
            Vector gap = (1 - t) * sigmoid_lanes(x) - t * sigmoid_lanes(-x);
            store_some(e->y + i, load_some(e->y + i, left, 0) + e->number * gap, left);
        }
        if (e->m)
            store_some(e->m + i, load_some(e->m + i, left, 0) - e->number * x, left);
    }
}

static void bce_backward(float *dx, float *dt, float dy, const float *x, const float *t, int64_t n)
{
    Elements e = {.run = bce_back_run, .y = dx, .m = dt, .a = x, .b = t, .number = dy / (float)n};
    e.n = n;
    share(&e, COSTLY);
}

/* da += 2 dy (a - b) / n, and db less that. */
static void mse_back_run(const Elements *e, int64_t i, int64_t end)
{
    for (; i < end; i += W) {
        int64_t left = end - i;
        Vector g = e->number * (load_some(e->a + i, left, 0) - load_some(e->b + i, left, 0));
        if (e->y)
            store_some(e->y + i, load_some(e->y + i, left, 0) + g, left);
        if (e->m)
            store_some(e->m + i, load_some(e->m + i, left, 0) - g, left);
    }
}

static void mse_backward(float *da, float *db, float dy, const float *a, const float *b, int64_t n)
{
    Elements e = {.run = mse_back_run, .y = da, .m = db, .a = a, .b = b};
    e.number = 2 * dy / (float)n;
    e.n = n;
    share(&e, CHEAP);
}

void FAST(kernels_fill_losses)(Kernels *k)
{
    k->mse = mse;
    k->mse_backward = mse_backward;
    k->bce = bce;
    k->bce_backward = bce_backward;
}
