/* kernels_fast_functions.c: functions of one number, element by element, in lanes.
 *
 *   tanh x = 1 - 2 / (e^2x + 1)              or x + x^3 p(x^2) near 0, where that loses its digits
 *   Phi(x) = 1 - Phi(-x),  Phi(-a) = exp(-a^2 / 2) q(1 / (1 + 0.3 a))    for a >= 0
 *   sigmoid x = 1 / (1 + e^-x),  which SiLU and the tanh form of GELU are made of
 *
 * The second is the form of Hastings ("Approximations for digital computers", 1955); the polynomials are
 * minimax fits of our own. What is not here (log, sqrt, powers) the reference computes. */
#include "tensor/kernels_fast_elements.h"

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

static inline Vector sigmoid_lanes(Vector x)
{
    return 1 / (1 + exp_lanes(-x));
}

static inline Vector silu_lanes(Vector x)
{
    return x * sigmoid_lanes(x);
}

/* s (1 + x (1 - s)) */
static inline Vector silu_slope(Vector x)
{
    Vector s = sigmoid_lanes(x);
    return s * (1 + x * (1 - s));
}

/* 2 u, of which gelu_tanh(x) = x (1 + tanh u) / 2 = x sigmoid(2 u) */
static inline Vector gelu_tanh_inner(Vector x)
{
    return x * (1.595769122f + 0.0713548163f * x * x);
}

static inline Vector gelu_tanh_lanes(Vector x)
{
    return x * sigmoid_lanes(gelu_tanh_inner(x));
}

/* s + x s (1 - s) d(2u)/dx. From 16 on it is 0 or 1, and x^2 could become infinite. */
static inline Vector gelu_tanh_slope(Vector x)
{
    x = choose(x > 16, splat(16), x);
    x = choose(x < -16, splat(-16), x);
    Vector s = sigmoid_lanes(gelu_tanh_inner(x));
    return s + x * s * (1 - s) * (1.595769122f + 3 * 0.0713548163f * x * x);
}

/* The kernel `name` computes f in lanes; the one called name_back adds dy f'(x) of the slope f'. */
#define MAP(name, f)                                                           \
    static void name##_run(const Elements *e, int64_t begin, int64_t end)      \
    {                                                                          \
        map(e, begin, end, f);                                                 \
    }                                                                          \
    static void name##_map(float *y, const float *x, int64_t n)                \
    {                                                                          \
        share(&(Elements){.run = name##_run, .y = y, .a = x, .n = n}, COSTLY); \
    }
#define MAP_BACK(name, slope)                                                            \
    static void name##_run(const Elements *e, int64_t begin, int64_t end)                \
    {                                                                                    \
        map_back(e, begin, end, slope);                                                  \
    }                                                                                    \
    static void name##_map(float *dx, const float *dy, const float *x, int64_t n)        \
    {                                                                                    \
        share(&(Elements){.run = name##_run, .y = dx, .a = dy, .b = x, .n = n}, COSTLY); \
    }
MAP(exp, exp_lanes)
MAP(tanh, tanh_lanes)
MAP(gelu, gelu_lanes)
MAP_BACK(gelu_back, gelu_slope)
MAP(gelu_tanh, gelu_tanh_lanes)
MAP_BACK(gelu_tanh_back, gelu_tanh_slope)
MAP(sigmoid, sigmoid_lanes)
MAP(silu, silu_lanes)
MAP_BACK(silu_back, silu_slope)
MAP_BACK(softplus_back, sigmoid_lanes)

void FAST(kernels_fill_functions)(Kernels *k)
{
    k->exp = exp_map;
    k->tanh = tanh_map;
    k->gelu = gelu_map;
    k->gelu_back = gelu_back_map;
    k->gelu_tanh = gelu_tanh_map;
    k->gelu_tanh_back = gelu_tanh_back_map;
    k->sigmoid = sigmoid_map;
    k->silu = silu_map;
    k->silu_back = silu_back_map;
    k->softplus_back = softplus_back_map;
}
