/* elementwise.c: functions of one or two operands, element by element. n elements each; sx is the
 * stride of x.
 *
 * Functions of one number are computed in double and rounded once, so that their error is half a
 * unit in the last place of a real wherever the C library's function is exact to some more digits.
 * Each backward adds dy times the derivative. */
#include "tensor/kernels/ref/ref.h"

#include <math.h>

/* ---- two operands ---------------------------------------------------------------------------- */

/* y_i = an expression of a and b, the numbers a_i and b_i */
#define BINARY(name, expression)                                                          \
    void name(real *y, const real *a_, int64_t sa, const real *b_, int64_t sb, int64_t n) \
    {                                                                                     \
        for (int64_t i = 0; i < n; i++) {                                                 \
            const real a = a_[i * sa], b = b_[i * sb];                                    \
            y[i] = expression;                                                            \
        }                                                                                 \
    }

BINARY(ref_add, a + b)
BINARY(ref_sub, a - b)
BINARY(ref_mul, (a * b))
BINARY(ref_div, a / b)

/* NaN where a or b is: a comparison with NaN is false, so that b is taken where b is NaN; a NaN in
 * a needs the test. */
BINARY(ref_maximum, a > b || isnan(a) ? a : b)

/* d max(a, b) / da; 1/2 where a = b, so that the derivatives by a and b always add up to 1. */
BINARY(ref_maximum_share, a == b ? (real)0.5 : a < b ? 0 : 1)

/* y += alpha a b; with sy = 0 the dot product, in double */
void ref_muladd(real *y, int64_t sy, real alpha, const real *a, int64_t sa, const real *b,
                int64_t sb, int64_t n)
{
    if (sy == 0) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += (double)a[i * sa] * b[i * sb];
        if (n > 0)
            *y += (real)(alpha * sum);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        y[i * sy] += alpha * a[i * sa] * b[i * sb];
}

/* y = x */
void ref_copy(real *y, const real *x, int64_t sx, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i * sx];
}

/* ---- one operand ----------------------------------------------------------------------------- */

/* y_i = an expression of x, the number x_i */
#define FUNCTION(name, expression)                \
    void name(real *y, const real *x_, int64_t n) \
    {                                             \
        for (int64_t i = 0; i < n; i++) {         \
            const real x = x_[i];                 \
            y[i] = (real)(expression);            \
        }                                         \
    }

/* dx_i += an expression of dy, the number dy_i, and of x_i or, where kernels.h says so, of the
 * result y_i */
#define BACKWARD(name, from, expression)                               \
    void name(real *dx, const real *dy_, const real *from_, int64_t n) \
    {                                                                  \
        for (int64_t i = 0; i < n; i++) {                              \
            const real dy = dy_[i], from = from_[i];                   \
            dx[i] += (real)(expression);                               \
        }                                                              \
    }

/* infinity where the result exceeds the range of a real, and 0 where it is below the smallest
 * number */
FUNCTION(ref_exp, exp(x))

FUNCTION(ref_log, log(x))
BACKWARD(ref_log_backward, x, dy / x)

FUNCTION(ref_tanh, tanh(x))
BACKWARD(ref_tanh_backward, y, (dy * (1 - y * y)))

/* max(x, 0), and NaN where x is; fmax would return 0. */
FUNCTION(ref_relu, x <= 0 ? 0 : x)
BACKWARD(ref_relu_backward, x, x > 0 ? dy : 0)

/* gelu(x) = x Phi(x),  Phi(x) = (1 + erf(x / sqrt 2)) / 2, the normal distribution function
 * d gelu / dx = Phi(x) + x phi(x),  phi(x) = exp(-x^2 / 2) / sqrt(2 pi) */
static double Phi(double x)
{
    return 0.5 * (1 + erf(x * M_SQRT1_2));
}

static double phi(double x)
{
    return exp(-0.5 * x * x) * (M_SQRT1_2 * M_2_SQRTPI / 2);
}

FUNCTION(ref_gelu, (x * Phi(x)))
BACKWARD(ref_gelu_backward, x, (dy * (Phi(x) + (double)x * phi(x))))

/* gelu_tanh(x) = x (1 + tanh u) / 2,  u = sqrt(2 / pi) (x + 0.044715 x^3)
 * d gelu_tanh / dx = (1 + tanh u) / 2 + x (1 - tanh(u)^2) / 2 du/dx */
static const double gelu_cubic = 0.044715, gelu_slope = M_2_SQRTPI * M_SQRT1_2;

static double gelu_u(double x)
{
    return gelu_slope * (x + gelu_cubic * x * x * x);
}

static double gelu_tanh_derivative(double x)
{
    double t = tanh(gelu_u(x)), du = gelu_slope * (1 + 3 * gelu_cubic * x * x);
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * du;
}

FUNCTION(ref_gelu_tanh, 0.5 * x * (1 + tanh(gelu_u(x))))
BACKWARD(ref_gelu_tanh_backward, x, (dy * gelu_tanh_derivative(x)))

/* 1 / (1 + e^-x): for x below -709 exp is infinite and the result 0 */
static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

FUNCTION(ref_sigmoid, sigmoid(x))
BACKWARD(ref_sigmoid_backward, y, (dy * y * (1 - y)))

/* d silu / dx = s (1 + x (1 - s)),  s = sigmoid(x) */
FUNCTION(ref_silu, (x * sigmoid(x)))
BACKWARD(ref_silu_backward, x, (dy * sigmoid(x) * (1 + x * (1 - sigmoid(x)))))

/* log(1 + e^x) = max(x, 0) + log(1 + e^-|x|), in which no exp overflows */
FUNCTION(ref_softplus, fmax(x, 0) + log1p(exp(-fabs(x))))
BACKWARD(ref_softplus_backward, x, (dy * sigmoid(x)))

FUNCTION(ref_sqrt, sqrt(x))
BACKWARD(ref_sqrt_backward, y, dy / (2 * y))

/* x^p */
void ref_pow(real *y, const real *x, real p, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = (real)pow(x[i], p);
}

/* d x^p / dx = p x^(p-1). x^0 is constant, also at x = 0, where the formula would be 0 times
 * infinity. */
void ref_pow_backward(real *dx, const real *dy, const real *x, real p, int64_t n)
{
    for (int64_t i = 0; i < n && p != 0; i++)
        dx[i] += (real)(dy[i] * p * pow(x[i], (double)p - 1));
}
