/* elementwise.c: elementwise binary operations, dropout and Adam. The compiler vectorises the plain
 * loops; the functions of one number, which are written with vectors, are in
 * kernels/simd/functions.c.
 *
 * The loops read like those of kernels/ref/elementwise.c. They are faster because this file is
 * compiled with -O3 for one instruction set, and because long arrays are divided into blocks for
 * several threads. Compilers vectorise a loop well only where its strides are constants; hence the
 * separate loops for the strides 0 and 1, which an op with broadcasting asks for most often. */
#include "tensor/kernels/simd/elementwise.h"
#include "tensor/kernels/simd/philox.h"

#include <stdatomic.h>

/* ---- plain loops ----------------------------------------------------------------------------- */

/* y = a operator b. Strides of 1 and 0, the most frequent, have loops of their own. */
#define BINARY(name, operator)                                                                    \
    static void name##_run(const ElementwiseJob *e, int64_t i, int64_t end)                       \
    {                                                                                             \
        float *y = e->y, scalar;                                                                  \
        const float *a = e->a, *b = e->b;                                                         \
        if (e->sa == 1 && e->sb == 1)                                                             \
            for (; i < end; i++)                                                                  \
                y[i] = a[i] operator b[i];                                                        \
        else if (e->sa == 1 && e->sb == 0)                                                        \
            for (scalar = *b; i < end; i++)                                                       \
                y[i] = a[i] operator scalar;                                                      \
        else                                                                                      \
            for (; i < end; i++)                                                                  \
                y[i] = a[i * e->sa] operator b[i * e->sb];                                        \
    }                                                                                             \
    static void name(float *y, const float *a, int64_t sa, const float *b, int64_t sb, int64_t n) \
    {                                                                                             \
        run_parallel(                                                                             \
            &(ElementwiseJob){                                                                    \
                .run = name##_run, .y = y, .a = a, .sa = sa, .b = b, .sb = sb, .n = n},           \
            COST_ADD);                                                                            \
    }
/* y may be a or b where that has stride 1 (kernels.h): each iteration reads its elements before it
 * writes y[i]. */
BINARY(add, +)
BINARY(sub, -)
BINARY(mul, *)
BINARY(divide, /)

/* Ops call the next three for each row of a bias, so that a short row goes straight to its loop. */

/* The elements i to end - 1 of axpy, for sy != 0. A sum (sy = 0) takes another way: over
 * contiguous elements one thread computes it with the partial sums of simd.h, over strided ones
 * the reference does. */
static inline void axpy_loop(float *y, int64_t sy, float alpha, const float *x, int64_t sx,
                             int64_t i, int64_t end)
{
    if (sy == 1 && sx == 1)
        for (; i < end; i++)
            y[i] += alpha * x[i];
    else
        for (; i < end; i++)
            y[i * sy] += alpha * x[i * sx];
}

static void axpy_run(const ElementwiseJob *e, int64_t begin, int64_t end)
{
    axpy_loop(e->y, e->sy, e->scalar, e->a, e->sa, begin, end);
}

/* y_(i sy) += alpha x_(i sx) */
static void axpy(float *y, int64_t sy, float alpha, const float *x, int64_t sx, int64_t n)
{
    if (sy == 0 && sx == 1)
        *y += (float)(alpha * sum_of(x, n));
    else if (sy == 0)
        kernels_ref.axpy(y, sy, alpha, x, sx, n);
    else if (n <= BLOCK)
        axpy_loop(y, sy, alpha, x, sx, 0, n);
    else
        run_parallel(
            &(ElementwiseJob){
                .run = axpy_run, .y = y, .sy = sy, .scalar = alpha, .a = x, .sa = sx, .n = n},
            COST_ADD);
}

/* With sb = 0, the factor b is loaded once: the compiler cannot know that y does not overlap it. */
static inline void muladd_loop(float *y, int64_t sy, float alpha, const float *a, int64_t sa,
                               const float *b, int64_t sb, int64_t i, int64_t end)
{
    float scalar;
    if (sy == 1 && sa == 1 && sb == 1)
        for (; i < end; i++)
            y[i] += alpha * a[i] * b[i];
    else if (sy == 1 && sa == 1 && sb == 0)
        for (scalar = *b; i < end; i++)
            y[i] += alpha * a[i] * scalar;
    else
        for (; i < end; i++)
            y[i * sy] += alpha * a[i * sa] * b[i * sb];
}

static void muladd_run(const ElementwiseJob *e, int64_t begin, int64_t end)
{
    muladd_loop(e->y, e->sy, e->scalar, e->a, e->sa, e->b, e->sb, begin, end);
}

/* y_(i sy) += alpha a_(i sa) b_(i sb) */
static void muladd(float *y, int64_t sy, float alpha, const float *a, int64_t sa, const float *b,
                   int64_t sb, int64_t n)
{
    if (sy == 0 && sa == 1 && sb == 1)
        *y += (float)(alpha * dot_of(a, b, n));
    else if (sy == 0)
        kernels_ref.muladd(y, sy, alpha, a, sa, b, sb, n);
    else if (n <= BLOCK)
        muladd_loop(y, sy, alpha, a, sa, b, sb, 0, n);
    else
        run_parallel(&(ElementwiseJob){.run = muladd_run,
                                       .y = y,
                                       .sy = sy,
                                       .scalar = alpha,
                                       .a = a,
                                       .sa = sa,
                                       .b = b,
                                       .sb = sb,
                                       .n = n},
                     COST_ADD);
}

/* The elements i to end - 1 of y. A contiguous copy is left to the C library's memcpy. */
static inline void copy_loop(float *y, const float *x, int64_t sx, int64_t i, int64_t end)
{
    if (sx == 1)
        memcpy(y + i, x + i, (size_t)(end - i) * sizeof *y);
    else
        for (; i < end; i++)
            y[i] = x[i * sx];
}

static void copy_run(const ElementwiseJob *e, int64_t begin, int64_t end)
{
    copy_loop(e->y, e->a, e->sa, begin, end);
}

/* A short array, the most frequent case (one row of a view), is copied without a call of
 * parallel_for. */
static void copy(float *y, const float *x, int64_t sx, int64_t n)
{
    if (n > 0 && n <= BLOCK)
        copy_loop(y, x, sx, 0, n);
    else
        run_parallel(&(ElementwiseJob){.run = copy_run, .y = y, .a = x, .sa = sx, .n = n},
                     COST_ADD);
}

/* 0 x is 0, or NaN where x is NaN or infinite: a sum of these products tells whether such an x
 * exists. Four sums proceed side by side, because each addition waits for the one before. A thread
 * that finds one sets the flag; the reference kernel then finds the first position. */
typedef struct {
    const float *x;
    int64_t n;
    atomic_bool found;
} Search;

/* Searches the blocks begin to end - 1. The comparison != 0 is true for the NaN that a non-finite
 * element leaves in the sum. A relaxed store suffices: parallel_for synchronises all threads
 * before the flag is read, and they all store the same value. */
static void search_body(int64_t begin, int64_t end, void *context)
{
    Search *s = context;
    int64_t i = begin * BLOCK, last = end * BLOCK < s->n ? end * BLOCK : s->n;
    Vector sum[4] = {0};
    for (; i + 4 * W <= last; i += 4 * W)
        for (int k = 0; k < 4; k++)
            sum[k] += 0 * load(s->x + i + k * W);
    for (; i < last; i += W)
        sum[0] += 0 * load_partial(s->x + i, last - i, 0);
    if (horizontal_sum(sum[0] + sum[1] + (sum[2] + sum[3])) != 0)
        atomic_store_explicit(&s->found, true, memory_order_relaxed);
}

/* The kernel `finite`. The four sums of a block let the search run at the speed of a read from
 * memory, hence a quarter of the cost of an addition. The usual answer is n; only the other one
 * pays for a second pass. */
static int64_t all_finite(const float *x, int64_t n)
{
    Search s = {.x = x, .n = n};
    parallel_for((n + BLOCK - 1) / BLOCK, parallel_grain(BLOCK * COST_ADD / 4), search_body, &s);
    return atomic_load_explicit(&s.found, memory_order_relaxed) ? kernels_ref.finite(x, n) : n;
}

/* y_i = s x_i; y may be x. */
static void scale_run(const ElementwiseJob *e, int64_t i, int64_t end)
{
    float *y = e->y, s = e->scalar;
    const float *x = e->a;
    for (; i < end; i++)
        y[i] = s * x[i];
}

/* The kernel `scale`. */
static void scale(float *y, const float *x, float s, int64_t n)
{
    run_parallel(&(ElementwiseJob){.run = scale_run, .y = y, .a = x, .scalar = s, .n = n},
                 COST_ADD);
}

/* ---- dropout --------------------------------------------------------------------------------- */

/* y (+)= a / (1 - p) where element i is kept. BLOCK is a multiple of the 4 W random numbers that
 * one call makes. sy = 1 adds to y, sy = 0 overwrites it. */
static void dropout_run(const ElementwiseJob *e, int64_t i, int64_t end)
{
    const Dropout d = {e->seed, e->stream, e->scalar};
    const float keep_probability = 1 - e->scalar;
    for (; i < end; i += 4 * W) {
        Uint32Lanes numbers[4];
        philox_numbers(&d, (uint64_t)i / 4, numbers);
        for (int64_t v = 0, j = i; v < 4 && j < end; v++, j += W) {
            Vector scaled = load_partial(e->a + j, end - j, 0) / keep_probability;
            Vector y = select_lanes(philox_keeps(&d, numbers[v]), scaled, (Vector){0});
            store_partial(e->y + j, e->sy ? load_partial(e->y + j, end - j, 0) + y : y, end - j);
        }
    }
}

static void dropout_parallel(float *y, bool add, const float *x, float p, uint64_t seed,
                             uint64_t stream, int64_t n)
{
    run_parallel(&(ElementwiseJob){.run = dropout_run,
                                   .y = y,
                                   .sy = add,
                                   .a = x,
                                   .scalar = p,
                                   .seed = seed,
                                   .stream = stream,
                                   .n = n},
                 COST_EXP);
}

/* The kernels `dropout` and `dropout_backward` differ in that backward adds to dx. */
static void dropout(float *y, const float *x, float p, uint64_t seed, uint64_t stream, int64_t n)
{
    dropout_parallel(y, false, x, p, seed, stream, n);
}

static void dropout_backward(float *dx, const float *dy, float p, uint64_t seed, uint64_t stream,
                             int64_t n)
{
    dropout_parallel(dx, true, dy, p, seed, stream, n);
}

/* ---- Adam: one pass, which also zeroes the gradient ------------------------------------------ */

/* The equations are those of nn.h, with the bias corrections already in s. A plain loop: every
 * element is independent, and the compiler vectorises the root and the division as well. */
static void adam_run(const ElementwiseJob *e, int64_t i, int64_t end)
{
    const AdamStep s = *e->adam;
    const float decay1 = (float)s.beta1, gain1 = (float)(1 - s.beta1);
    const float decay2 = (float)s.beta2, gain2 = (float)(1 - s.beta2);
    float *restrict w = e->y, *restrict grad = e->grad, *restrict m = e->m, *restrict v = e->v;
    for (; i < end; i++) {
        float g = s.gradient * grad[i] + s.l2 * w[i];
        m[i] = decay1 * m[i] + gain1 * g;
        v[i] = decay2 * v[i] + gain2 * g * g;
        w[i] -= s.decay * w[i] + s.rate * m[i] / (sqrtf(v[i]) * s.root + s.epsilon);
        grad[i] = 0;
    }
}

/* The kernel `adam`. Memory bounds it: four arrays are read and written once. */
static void adam(float *w, float *grad, float *m, float *v, const AdamStep *s, int64_t n)
{
    run_parallel(
        &(ElementwiseJob){.run = adam_run, .y = w, .grad = grad, .m = m, .v = v, .adam = s, .n = n},
        COST_EXP);
}

void ISA_NAME(kernels_fill_elementwise)(Kernels *k)
{
    k->add = add;
    k->sub = sub;
    k->mul = mul;
    k->div = divide;
    k->axpy = axpy;
    k->muladd = muladd;
    k->copy = copy;
    k->finite = all_finite;
    k->scale = scale;
    k->dropout = dropout;
    k->dropout_backward = dropout_backward;
    k->adam = adam;
}
