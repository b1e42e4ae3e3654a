/* kernels_fast_elements.c: what is computed element by element, fast.
 *
 *      |  block 0  |  block 1  |  block 2  | .. |        y_i = f(a_i, b_i)
 *       <- BLOCK -> a thread takes whole blocks; within one, W lanes at a time
 *
 * A block begins where a vector begins, so that which instruction computes an element depends on its
 * place alone and never on the number of threads.
 *
 * Plain loops are left to the compiler; exp, tanh and GELU are written in lanes:
 *
 *   tanh x = 1 - 2 / (e^2x + 1)              or x + x^3 p(x^2) near 0, where that loses its digits
 *   Phi(x) = 1 - Phi(-x),  Phi(-a) = exp(-a^2 / 2) q(1 / (1 + 0.3 a))    for a >= 0
 *
 * The second is the form of Hastings ("Approximations for digital computers", 1955); the polynomials are
 * minimax fits of our own. */
#include "tensor/kernels_fast.h"

enum { BLOCK = 1024 };

/* What an element costs, in units of a plain addition. */
enum { CHEAP = 1, COSTLY = 3, RANDOM = 12 };

typedef struct Elements Elements;
struct Elements {
    void (*run)(const Elements *e, int64_t begin, int64_t end);
    float *y, *m, *v, *grad;
    const float *a, *b;
    int64_t sy, sa, sb, n;
    float number;
    uint64_t seed, stream;
    const AdamStep *adam;
};

static void blocks_body(int64_t begin, int64_t end, void *context)
{
    const Elements *e = context;
    e->run(e, begin * BLOCK, end * BLOCK < e->n ? end * BLOCK : e->n);
}

static void share(Elements *e, int64_t cost)
{
    parallel_for((e->n + BLOCK - 1) / BLOCK, parallel_grain(BLOCK * cost), blocks_body, e);
}

/* ---- functions of one number ------------------------------------------------------------------------ */

/* The lanes of f, inlined: f is a constant at every call. */
static inline __attribute__((always_inline)) void map(const Elements *e, int64_t i, int64_t end,
                                                      Vector (*f)(Vector x))
{
    for (; i < end; i += W)
        store_some(e->y + i, f(load_some(e->a + i, end - i, 0)), end - i);
}

/* y += a f(b) */
static inline __attribute__((always_inline)) void map_back(const Elements *e, int64_t i,
                                                           int64_t end, Vector (*f)(Vector x))
{
    for (; i < end; i += W) {
        int64_t left = end - i;
        Vector dy = load_some(e->a + i, left, 0), slope = f(load_some(e->b + i, left, 0));
        store_some(e->y + i, load_some(e->y + i, left, 0) + dy * slope, left);
    }
}

static inline Vector tanh_lanes(Vector x)
{
    Vector a = absolute_lanes(x), square = x * x;
    Vector p = square * -5.704978358e-3f + 2.063907873e-2f;
    p = p * square + -5.373971215e-2f;
    p = p * square + 1.333144216e-1f;
    p = p * square + -3.333328194e-1f;
    Vector near = a + a * square * p, far = 1 - 2 / (exp_lanes(2 * a) + 1);
    Lanes sign = (Lanes)x & ~0x7fffffff;
    return (Vector)((Lanes)choose(a < 0.625f, near, far) | sign);
}

/* Phi(x), the normal distribution function; *density = exp(-x^2 / 2), which backward wants too. */
static inline Vector normal_lanes(Vector x, Vector *density)
{
    Vector t = 1 / (1 + 0.3f * absolute_lanes(x));
    Vector q = t * 5.244465401e-2f + -3.276855787e-1f;
    q = q * t + 7.169255404e-1f;
    q = q * t + -5.608595298e-1f;
    q = q * t + 4.917945150e-1f;
    q = q * t + -1.756639443e-2f;
    q = q * t + 1.473681294e-1f;
    q = q * t + -2.421336076e-3f;
    *density = exp_lanes(-0.5f * x * x);
    q *= *density;
    return choose(x > 0, 1 - q, q);
}

static inline Vector gelu_lanes(Vector x)
{
    Vector density;
    return x * normal_lanes(x, &density);
}

/* Phi(x) + x exp(-x^2 / 2) / sqrt(2 pi) */
static inline Vector gelu_slope(Vector x)
{
    Vector density, phi = normal_lanes(x, &density);
    return phi + x * (density * 0.398942280f);
}

static void exp_run(const Elements *e, int64_t begin, int64_t end)
{
    map(e, begin, end, exp_lanes);
}

static void tanh_run(const Elements *e, int64_t begin, int64_t end)
{
    map(e, begin, end, tanh_lanes);
}

static void gelu_run(const Elements *e, int64_t begin, int64_t end)
{
    map(e, begin, end, gelu_lanes);
}

static void gelu_back_run(const Elements *e, int64_t begin, int64_t end)
{
    map_back(e, begin, end, gelu_slope);
}

static void exponential(float *y, const float *x, int64_t n)
{
    share(&(Elements){.run = exp_run, .y = y, .a = x, .n = n}, COSTLY);
}

static void tanh_forward(float *y, const float *x, int64_t n)
{
    share(&(Elements){.run = tanh_run, .y = y, .a = x, .n = n}, COSTLY);
}

static void gelu(float *y, const float *x, int64_t n)
{
    share(&(Elements){.run = gelu_run, .y = y, .a = x, .n = n}, COSTLY);
}

static void gelu_back(float *dx, const float *dy, const float *x, int64_t n)
{
    share(&(Elements){.run = gelu_back_run, .y = dx, .a = dy, .b = x, .n = n}, COSTLY);
}

/* ---- plain loops -------------------------------------------------------------------------------------- */

/* y = a operator b. Strides of 1 and 0, by far the most frequent, have loops of their own. */
#define BINARY(name, operator)                                                                    \
    static void name##_run(const Elements *e, int64_t i, int64_t end)                             \
    {                                                                                             \
        float *y = e->y, number;                                                                  \
        const float *a = e->a, *b = e->b;                                                         \
        if (e->sa == 1 && e->sb == 1)                                                             \
            for (; i < end; i++)                                                                  \
                y[i] = a[i] operator b[i];                                                        \
        else if (e->sa == 1 && e->sb == 0)                                                        \
            for (number = *b; i < end; i++)                                                       \
                y[i] = a[i] operator number;                                                      \
        else                                                                                      \
            for (; i < end; i++)                                                                  \
                y[i] = a[i * e->sa] operator b[i * e->sb];                                        \
    }                                                                                             \
    static void name(float *y, const float *a, int64_t sa, const float *b, int64_t sb, int64_t n) \
    {                                                                                             \
        share(&(Elements){.run = name##_run, .y = y, .a = a, .sa = sa, .b = b, .sb = sb, .n = n}, \
              CHEAP);                                                                             \
    }
BINARY(add, +)
BINARY(sub, -)
BINARY(mul, *)
BINARY(divide, /)

/* These three are called for each row of a bias, so a short one goes straight to its loop. */

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

static void axpy_run(const Elements *e, int64_t begin, int64_t end)
{
    axpy_loop(e->y, e->sy, e->number, e->a, e->sa, begin, end);
}

static void axpy(float *y, int64_t sy, float alpha, const float *x, int64_t sx, int64_t n)
{
    if (sy == 0 && sx == 1)
        *y += (float)(alpha * sum_of(x, n));
    else if (sy == 0)
        kernels_ref.axpy(y, sy, alpha, x, sx, n);
    else if (n <= BLOCK)
        axpy_loop(y, sy, alpha, x, sx, 0, n);
    else
        share(
            &(Elements){
                .run = axpy_run, .y = y, .sy = sy, .number = alpha, .a = x, .sa = sx, .n = n},
            CHEAP);
}

static inline void muladd_loop(float *y, int64_t sy, float alpha, const float *a, int64_t sa,
                               const float *b, int64_t sb, int64_t i, int64_t end)
{
    float number;
    if (sy == 1 && sa == 1 && sb == 1)
        for (; i < end; i++)
            y[i] += alpha * a[i] * b[i];
    else if (sy == 1 && sa == 1 && sb == 0)
        for (number = *b; i < end; i++)
            y[i] += alpha * a[i] * number;
    else
        for (; i < end; i++)
            y[i * sy] += alpha * a[i * sa] * b[i * sb];
}

static void muladd_run(const Elements *e, int64_t begin, int64_t end)
{
    muladd_loop(e->y, e->sy, e->number, e->a, e->sa, e->b, e->sb, begin, end);
}

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
        share(&(Elements){.run = muladd_run,
                          .y = y,
                          .sy = sy,
                          .number = alpha,
                          .a = a,
                          .sa = sa,
                          .b = b,
                          .sb = sb,
                          .n = n},
              CHEAP);
}

static inline void copy_loop(float *y, const float *x, int64_t sx, int64_t i, int64_t end)
{
    if (sx == 1)
        memcpy(y + i, x + i, (size_t)(end - i) * sizeof *y);
    else
        for (; i < end; i++)
            y[i] = x[i * sx];
}

static void copy_run(const Elements *e, int64_t begin, int64_t end)
{
    copy_loop(e->y, e->a, e->sa, begin, end);
}

static void copy(float *y, const float *x, int64_t sx, int64_t n)
{
    if (n > 0 && n <= BLOCK)
        copy_loop(y, x, sx, 0, n);
    else
        share(&(Elements){.run = copy_run, .y = y, .a = x, .sa = sx, .n = n}, CHEAP);
}

static void scale_run(const Elements *e, int64_t i, int64_t end)
{
    float *y = e->y, s = e->number;
    const float *x = e->a;
    for (; i < end; i++)
        y[i] = s * x[i];
}

static void scale(float *y, const float *x, float s, int64_t n)
{
    share(&(Elements){.run = scale_run, .y = y, .a = x, .number = s, .n = n}, CHEAP);
}

/* ---- dropout: four random numbers at a time -------------------------------------------------------------- */

/* The rule of kernel_keeps, whose numbers come in fours: y (+)= a / (1 - p) where element i is kept. BLOCK
 * is a multiple of 4. */
static void dropout_run(const Elements *e, int64_t i, int64_t end)
{
    const uint32_t key[2] = {(uint32_t)e->seed, (uint32_t)(e->seed >> 32)};
    const float keep = 1 - e->number;
    for (; i < end; i += 4) {
        uint64_t block = (uint64_t)i / 4;
        uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)e->stream,
                               (uint32_t)(e->stream >> 32)};
        uint32_t bits[4];
        rng_philox(counter, key, bits);
        for (int64_t l = 0; l < 4 && i + l < end; l++) {
            bool kept = bits[l] * 0x1p-32 >= (double)e->number;
            float y = kept ? e->a[i + l] / keep : 0;
            e->y[i + l] = e->sy ? e->y[i + l] + y : y;
        }
    }
}

static void dropout(float *y, const float *x, float p, uint64_t seed, uint64_t stream, int64_t n)
{
    share(&(Elements){.run = dropout_run,
                      .y = y,
                      .a = x,
                      .number = p,
                      .seed = seed,
                      .stream = stream,
                      .n = n},
          RANDOM);
}

static void dropout_back(float *dx, const float *dy, float p, uint64_t seed, uint64_t stream,
                         int64_t n)
{
    Elements e = {.run = dropout_run,
                  .y = dx,
                  .sy = 1,
                  .a = dy,
                  .number = p,
                  .seed = seed,
                  .stream = stream,
                  .n = n};
    share(&e, RANDOM);
}

/* ---- Adam: one pass, the gradient zeroed on the way -------------------------------------------------------- */

static void adam_run(const Elements *e, int64_t i, int64_t end)
{
    const AdamStep s = *e->adam;
    const float keep1 = (float)s.beta1, take1 = (float)(1 - s.beta1);
    const float keep2 = (float)s.beta2, take2 = (float)(1 - s.beta2);
    float *restrict w = e->y, *restrict grad = e->grad, *restrict m = e->m, *restrict v = e->v;
    for (; i < end; i++) {
        float g = s.gradient * grad[i] + s.l2 * w[i];
        m[i] = keep1 * m[i] + take1 * g;
        v[i] = keep2 * v[i] + take2 * g * g;
        w[i] -= s.decay * w[i] + s.rate * m[i] / (sqrtf(v[i]) * s.root + s.epsilon);
        grad[i] = 0;
    }
}

static void adam(float *w, float *grad, float *m, float *v, const AdamStep *s, int64_t n)
{
    share(&(Elements){.run = adam_run, .y = w, .grad = grad, .m = m, .v = v, .adam = s, .n = n},
          COSTLY);
}

void FAST(kernels_fill_elements)(Kernels *k)
{
    k->add = add;
    k->sub = sub;
    k->mul = mul;
    k->div = divide;
    k->axpy = axpy;
    k->muladd = muladd;
    k->copy = copy;
    k->scale = scale;
    k->exp = exponential;
    k->tanh = tanh_forward;
    k->gelu = gelu;
    k->gelu_back = gelu_back;
    k->dropout = dropout;
    k->dropout_back = dropout_back;
    k->adam = adam;
}
