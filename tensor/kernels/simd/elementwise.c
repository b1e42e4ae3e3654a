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

/* ---- plain loops ----------------------------------------------------------------------------- */

/* y = a operator b. Strides of 1 and 0, the most frequent, have loops of their own. */
#define BINARY(name, operator)                                                               \
    static void ISA_NAME(name##_run)(const ElementwiseJob *e, int64_t i, int64_t end)        \
    {                                                                                        \
        float *y = e->y, scalar;                                                             \
        const float *a = e->a, *b = e->b;                                                    \
        if (e->sa == 1 && e->sb == 1)                                                        \
            for (; i < end; i++)                                                             \
                y[i] = a[i] operator b[i];                                                   \
        else if (e->sa == 1 && e->sb == 0)                                                   \
            for (scalar = *b; i < end; i++)                                                  \
                y[i] = a[i] operator scalar;                                                 \
        else                                                                                 \
            for (; i < end; i++)                                                             \
                y[i] = a[i * e->sa] operator b[i * e->sb];                                   \
    }                                                                                        \
    void ISA_NAME(name)(float *y, const float *a, int64_t sa, const float *b, int64_t sb,    \
                        int64_t n)                                                           \
    {                                                                                        \
        ELEMENTWISE(COST_ADD, .run = ISA_NAME(name##_run), .y = y, .a = a, .sa = sa, .b = b, \
                    .sb = sb, .n = n);                                                       \
    }
/* y may be a or b where that has stride 1 (kernels.h): each iteration reads its elements before it
 * writes y[i]. */
BINARY(add, +)
BINARY(sub, -)
BINARY(mul, *)
BINARY(div, /)

/* With sb = 0, the factor b is loaded once: the compiler cannot know that y does not overlap it. */
static void muladd_run(const ElementwiseJob *e, int64_t i, int64_t end)
{
    float *y = e->y, alpha = e->scalar, scalar;
    const float *a = e->a, *b = e->b;
    if (e->sy == 1 && e->sa == 1 && e->sb == 1)
        for (; i < end; i++)
            y[i] += alpha * a[i] * b[i];
    else if (e->sy == 1 && e->sa == 1 && e->sb == 0)
        for (scalar = *b; i < end; i++)
            y[i] += alpha * a[i] * scalar;
    else
        for (; i < end; i++)
            y[i * e->sy] += alpha * a[i * e->sa] * b[i * e->sb];
}

/* A sum (sy = 0) over contiguous elements is computed by one thread, with the partial sums of
 * simd.h; over strided ones by the reference. */
void ISA_NAME(muladd)(float *y, int64_t sy, float alpha, const float *a, int64_t sa, const float *b,
                      int64_t sb, int64_t n)
{
    if (sy == 0 && sa == 1 && sb == 0)
        *y += (float)((double)alpha * *b * sum_of(a, n));
    else if (sy == 0 && sa == 1 && sb == 1)
        *y += (float)(alpha * dot_of(a, b, n));
    else if (sy == 0)
        ref_muladd(y, sy, alpha, a, sa, b, sb, n);
    else
        ELEMENTWISE(COST_ADD, .run = muladd_run, .y = y, .sy = sy, .scalar = alpha, .a = a,
                    .sa = sa, .b = b, .sb = sb, .n = n);
}

/* A contiguous copy is left to the C library's memcpy. */
static void copy_run(const ElementwiseJob *e, int64_t i, int64_t end)
{
    if (e->sa == 1)
        memcpy(e->y + i, e->a + i, (size_t)(end - i) * sizeof *e->y);
    else
        for (; i < end; i++)
            e->y[i] = e->a[i * e->sa];
}

void ISA_NAME(copy)(float *y, const float *x, int64_t sx, int64_t n)
{
    ELEMENTWISE(COST_ADD, .run = copy_run, .y = y, .a = x, .sa = sx, .n = n);
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

void ISA_NAME(dropout)(float *y, const float *x, float p, uint64_t seed, uint64_t stream, int64_t n)
{
    ELEMENTWISE(COST_EXP, .run = dropout_run, .y = y, .a = x, .scalar = p, .seed = seed,
                .stream = stream, .n = n);
}

void ISA_NAME(dropout_backward)(float *dx, const float *dy, float p, uint64_t seed, uint64_t stream,
                                int64_t n)
{
    ELEMENTWISE(COST_EXP, .run = dropout_run, .y = dx, .sy = 1, .a = dy, .scalar = p, .seed = seed,
                .stream = stream, .n = n);
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

/* Memory bounds it: four arrays are read and written once. */
void ISA_NAME(adam)(float *w, float *grad, float *m, float *v, const AdamStep *s, int64_t n)
{
    ELEMENTWISE(COST_EXP, .run = adam_run, .y = w, .grad = grad, .m = m, .v = v, .adam = s, .n = n);
}
