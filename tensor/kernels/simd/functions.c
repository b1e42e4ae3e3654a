/* functions.c: functions of one number, with vectors.
 *
 *   tanh x    = 1 - 2 / (e^2x + 1)           or x + x^3 p(x^2) near 0, where the first form cancels
 *   Phi(x)    = 1/2 + x p(x^2)               for |x| < 5.4, beyond which it is 0 or 1 to 7 decimal digits
 *   sigmoid x = 1 / (1 + e^-x),              which SiLU and the tanh form of GELU are made of
 *   softplus  = max(x, 0) + log(1 + e^-|x|)
 *
 * The polynomials are minimax fits computed for this project; the reference computes powers. */
#include "tensor/kernels/simd/elementwise.h"

/* tanh |x| with x's sign. The polynomial serves |x| < 0.625 only; both branches are computed for
 * every lane, because lanes cannot branch. For a large |x|, e^2|x| is infinite, its reciprocal 0
 * and the result exactly 1. */
static inline Vector tanh_lanes(Vector x)
{
    Vector a = absolute_lanes(x), square = x * x;
    Vector p = square * -5.704978358e-3f + 2.063907873e-2f;
    p = p * square + -5.373971215e-2f;
    p = p * square + 1.333144216e-1f;
    p = p * square + -3.333328194e-1f;
    Vector near = a + a * square * p, far = 1 - 2 * reciprocal(exp_lanes(2 * a) + 1);
    Lanes sign = (Lanes)x & ~0x7fffffff;
    return (Vector)((Lanes)select_lanes(a < 0.625f, near, far) | sign);
}

/* 1/2 plus an odd function of x that is constant beyond `low` and `end`: x p(u), where u runs from
 * -1 to 1 as x^2 runs from 0 to end^2. */
static inline __attribute__((always_inline)) Vector odd_step_lanes(Vector x, float low, float end,
                                                                   const float *fit, int n)
{
    Vector inside =
        vector_max(fill_lanes(low), vector_min(fill_lanes(end), x)); /* a NaN stays NaN */
    Vector u = inside * inside * (2 / (end * end)) - 1;
    return 0.5f + inside * polynomial(u, fit, n);
}

/* x Phi(x), Phi being the normal distribution function, with an error of 1e-7 |x|. The error of Phi
 * near 0 would grow with |x| for very negative x; so Phi is cut off at the point where its
 * approximation falls below 0. A NaN stays NaN. fit has the coefficients of u, the highest power
 * first. */
static inline Vector gelu_lanes(Vector x)
{
    static const float fit[] = {-1.703382004e-4f, 4.623645800e-4f,  -4.250272759e-4f,
                                6.496598362e-4f,  -2.038553124e-3f, 3.944052849e-3f,
                                -6.104575936e-3f, 9.473492391e-3f,  -1.419682428e-2f,
                                1.970152371e-2f,  -2.570083737e-2f, 3.210816160e-2f,
                                -3.921072185e-2f, 4.850005731e-2f,  -6.532795727e-2f,
                                1.309281141e-1f};
    return x * vector_max((Vector){0}, odd_step_lanes(x, -5.393f, 5.4f, fit, 16));
}

/* The derivative of GELU, Phi(x) + x exp(-x^2 / 2) / sqrt(2 pi). */
static inline Vector gelu_derivative(Vector x)
{
    static const float fit[] = {2.828743309e-3f,  -6.940339692e-3f, 1.664149575e-3f,
                                1.819967758e-3f,  1.638633758e-2f,  -3.326255083e-2f,
                                3.110294417e-2f,  -3.609594330e-2f, 5.459054187e-2f,
                                -6.586596370e-2f, 6.682483852e-2f,  -6.428236514e-2f,
                                5.870087072e-2f,  -5.094028264e-2f, 4.455500469e-2f,
                                -4.236529395e-2f, 4.605773464e-2f,  -5.934281275e-2f,
                                1.178977638e-1f};
    /* Below -6 the derivative is above -4e-8, and what is left of the fit's error would not
     * fade. */
    return select_lanes(x < -6, (Vector){0}, odd_step_lanes(x, -6, 6, fit, 19));
}

/* SiLU: x sigmoid(x). */
static inline Vector silu_lanes(Vector x)
{
    return x * sigmoid_lanes(x);
}

/* The derivative of SiLU, s (1 + x (1 - s)).
 * One sigmoid serves both factors. */
static inline Vector silu_derivative(Vector x)
{
    Vector s = sigmoid_lanes(x);
    return s * (1 + x * (1 - s));
}

/* 2 u, where gelu_tanh(x) = x (1 + tanh u) / 2 = x sigmoid(2 u).
 * 1.5957 = 2 sqrt(2 / pi), 0.07136 = 1.5957 times 0.044715. */
static inline Vector gelu_tanh_inner(Vector x)
{
    return x * (1.595769122f + 0.0713548163f * x * x);
}

/* The tanh form of GELU with one exp and no tanh, since (1 + tanh u) / 2 = sigmoid(2 u). */
static inline Vector gelu_tanh_lanes(Vector x)
{
    return x * sigmoid_lanes(gelu_tanh_inner(x));
}

/* The derivative of gelu_tanh, s + x s (1 - s) d(2u)/dx. It is 0 or 1 beyond 16, where x^2 could
 * overflow. d(2u)/dx = 1.5957 + 3 times 0.07136 x^2. */
static inline Vector gelu_tanh_derivative(Vector x)
{
    x = select_lanes(x > 16, fill_lanes(16), x);
    x = select_lanes(x < -16, fill_lanes(-16), x);
    Vector s = sigmoid_lanes(gelu_tanh_inner(x));
    return s + x * s * (1 - s) * (1.595769122f + 3 * 0.0713548163f * x * x);
}

/* The natural logarithm of any float: NaN below 0, -infinity at 0, infinity at infinity; NaN stays
 * NaN. A denormal x is multiplied by 2^23 first, and 23 ln 2 = 15.94 is subtracted from the result.
 * What the fit gives for infinity, 0, a negative number or NaN is replaced at the end. */
static inline Vector log_lanes(Vector x)
{
    Lanes small = x < 0x1p-126f;
    Vector y = log_normal_lanes(select_lanes(small, x * 0x1p23f, x));
    y -= select_lanes(small, fill_lanes(15.9423851f), (Vector){0});
    y = select_lanes(x == INFINITY, x, y);
    y = select_lanes(x == 0, fill_lanes(-INFINITY), y);
    return select_lanes((x < 0) | (x != x), fill_lanes(NAN), y);
}

/* max(x, 0). The comparison is false for a NaN, which therefore passes through; vector_max(x, 0)
 * would drop it. */
static inline Vector relu_lanes(Vector x)
{
    return select_lanes(x <= 0, (Vector){0}, x); /* a NaN stays NaN */
}

/* Defines the kernel `name`, which applies f. A kernel name_backward adds dy times the derivative,
 * computed from the operand or the result. */
#define MAP(name, f)                                                                      \
    static void ISA_NAME(name##_run)(const ElementwiseJob *e, int64_t begin, int64_t end) \
    {                                                                                     \
        map(e, begin, end, f, NULL);                                                      \
    }                                                                                     \
    void ISA_NAME(name)(float *y, const float *x, int64_t n)                              \
    {                                                                                     \
        ELEMENTWISE(COST_EXP, .run = ISA_NAME(name##_run), .y = y, .a = x, .n = n);       \
    }
#define MAP_BACKWARD(name, part)                                                              \
    static inline Vector ISA_NAME(name##_part)(Vector dy, Vector x)                           \
    {                                                                                         \
        return part;                                                                          \
    }                                                                                         \
    static void ISA_NAME(name##_run)(const ElementwiseJob *e, int64_t begin, int64_t end)     \
    {                                                                                         \
        map(e, begin, end, NULL, ISA_NAME(name##_part));                                      \
    }                                                                                         \
    void ISA_NAME(name)(float *dx, const float *dy, const float *x, int64_t n)                \
    {                                                                                         \
        ELEMENTWISE(COST_EXP, .run = ISA_NAME(name##_run), .y = dx, .a = dy, .b = x, .n = n); \
    }
/* In a MAP_BACKWARD, x is the operand, except that for tanh, sigmoid and sqrt it is the result y
 * (kernels.h): for those the derivative is a cheap expression in y. */
MAP(exp, exp_lanes)
MAP(log, log_lanes)
MAP_BACKWARD(log_backward, dy / x)
MAP(tanh, tanh_lanes)
MAP_BACKWARD(tanh_backward, dy *(1 - x * x))
MAP(relu, relu_lanes)
MAP_BACKWARD(relu_backward, select_lanes(x > 0, dy, (Vector){0}))
MAP(gelu, gelu_lanes)
MAP_BACKWARD(gelu_backward, dy *gelu_derivative(x))
MAP(gelu_tanh, gelu_tanh_lanes)
MAP_BACKWARD(gelu_tanh_backward, dy *gelu_tanh_derivative(x))
MAP(sigmoid, sigmoid_lanes)
MAP_BACKWARD(sigmoid_backward, dy *x *(1 - x))
MAP(silu, silu_lanes)
MAP_BACKWARD(silu_backward, dy *silu_derivative(x))
MAP(softplus, softplus_lanes)
MAP_BACKWARD(softplus_backward, dy *sigmoid_lanes(x))
MAP_BACKWARD(sqrt_backward, dy / (2 * x))
