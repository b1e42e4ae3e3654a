/* elementwise.c: functions of one or two operands, element by element. n elements each; sx is the
 * stride of x.
 *
 * Functions of one number are computed in double and rounded once, so that their error is half a
 * unit in the last place of a real wherever the C library's function is exact to some more digits.
 * Each backward adds dy times the derivative that stands above it. */
#include "tensor/kernels/ref/ref.h"

#include <math.h>

/* ---- two operands ---------------------------------------------------------------------------- */

/* a + b */
void ref_add(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = a[i * sa] + b[i * sb];
}

/* a - b */
void ref_sub(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = a[i * sa] - b[i * sb];
}

/* a b, element by element */
void ref_mul(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = a[i * sa] * b[i * sb];
}

/* a / b, element by element */
void ref_div(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = a[i * sa] / b[i * sb];
}

/* y += alpha x; with sy = 0 the sum, in double */
void ref_axpy(real *y, int64_t sy, real alpha, const real *x, int64_t sx, int64_t n)
{
    if (sy == 0) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += x[i * sx];
        if (n > 0)
            *y += (real)(alpha * sum);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        y[i * sy] += alpha * x[i * sx];
}

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

/* max(a, b), and NaN where a or b is.
 * A comparison with NaN is false, so that b is taken where b is NaN; a NaN in a needs the test. */
void ref_maximum(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = a[i * sa] > b[i * sb] || isnan(a[i * sa]) ? a[i * sa] : b[i * sb];
}

/* d max(a, b) / da; 1/2 where a = b, so that the derivatives by a and b always add up to 1. */
void ref_maximum_share(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = a[i * sa] == b[i * sb] ? (real)0.5 : a[i * sa] < b[i * sb] ? 0 : 1;
}

/* ---- one operand ----------------------------------------------------------------------------- */

/* The index of the first NaN or infinity; n where there is none. */
int64_t ref_finite(const real *x, int64_t n)
{
    int64_t i = 0;
    while (i < n && isfinite(x[i]))
        i++;
    return i;
}

/* s x */
void ref_scale(real *y, const real *x, real s, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = s * x[i];
}

/* e^x: infinity where the result exceeds the range of a real, and 0 where it is below the smallest
 * number */
void ref_exp(real *y, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = (real)exp(x[i]);
}

/* the natural logarithm */
void ref_log(real *y, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = (real)log(x[i]);
}

/* d log x / dx = 1 / x */
void ref_log_backward(real *dx, const real *dy, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dx[i] += dy[i] / x[i];
}

/* tanh x */
void ref_tanh(real *y, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = (real)tanh(x[i]);
}

/* d tanh x / dx = 1 - tanh(x)^2 */
void ref_tanh_backward(real *dx, const real *dy, const real *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dx[i] += dy[i] * (1 - y[i] * y[i]);
}

/* max(x, 0), and NaN where x is; fmax would return 0. */
void ref_relu(real *y, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] <= 0 ? 0 : x[i];
}

/* d relu / dx = 1 for x > 0, else 0 */
void ref_relu_backward(real *dx, const real *dy, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dx[i] += x[i] > 0 ? dy[i] : 0;
}

/* Phi(x) = (1 + erf(x / sqrt 2)) / 2, the normal distribution function */
static double normal_cdf(double x)
{
    return 0.5 * (1 + erf(x * M_SQRT1_2));
}

/* gelu(x) = x Phi(x) */
void ref_gelu(real *y, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = (real)(x[i] * normal_cdf(x[i]));
}

/* d gelu / dx = Phi(x) + x phi(x),  phi(x) = exp(-x^2 / 2) / sqrt(2 pi) */
void ref_gelu_backward(real *dx, const real *dy, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double v = x[i], density = exp(-0.5 * v * v) * (M_SQRT1_2 * M_2_SQRTPI / 2);
        dx[i] += (real)(dy[i] * (normal_cdf(v) + v * density));
    }
}

/* gelu_tanh(x) = x (1 + tanh u) / 2,  u = sqrt(2 / pi) (x + 0.044715 x^3) */
static const double gelu_cubic = 0.044715, gelu_slope = M_2_SQRTPI * M_SQRT1_2;

void ref_gelu_tanh(real *y, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double v = x[i], u = gelu_slope * (v + gelu_cubic * v * v * v);
        y[i] = (real)(0.5 * v * (1 + tanh(u)));
    }
}

/* d gelu_tanh / dx = (1 + tanh u) / 2 + x (1 - tanh(u)^2) / 2 du/dx */
void ref_gelu_tanh_backward(real *dx, const real *dy, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double v = x[i], t = tanh(gelu_slope * (v + gelu_cubic * v * v * v));
        double du = gelu_slope * (1 + 3 * gelu_cubic * v * v);
        dx[i] += (real)(dy[i] * (0.5 * (1 + t) + 0.5 * v * (1 - t * t) * du));
    }
}

/* 1 / (1 + e^-x): for x below -709 exp is infinite and the result 0 */
static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* 1 / (1 + e^-x) */
void ref_sigmoid(real *y, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = (real)sigmoid(x[i]);
}

/* d sigmoid / dx = y (1 - y) */
void ref_sigmoid_backward(real *dx, const real *dy, const real *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dx[i] += dy[i] * y[i] * (1 - y[i]);
}

/* silu(x) = x sigmoid(x) */
void ref_silu(real *y, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = (real)(x[i] * sigmoid(x[i]));
}

/* d silu / dx = s (1 + x (1 - s)),  s = sigmoid(x) */
void ref_silu_backward(real *dx, const real *dy, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double s = sigmoid(x[i]);
        dx[i] += (real)(dy[i] * s * (1 + x[i] * (1 - s)));
    }
}

/* log(1 + e^x) = max(x, 0) + log(1 + e^-|x|), in which no exp overflows */
void ref_softplus(real *y, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = (real)(fmax(x[i], 0) + log1p(exp(-fabs(x[i]))));
}

/* d softplus / dx = sigmoid(x) */
void ref_softplus_backward(real *dx, const real *dy, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dx[i] += (real)(dy[i] * sigmoid(x[i]));
}

/* |x| */
void ref_abs(real *y, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = (real)fabs(x[i]);
}

/* d |x| / dx = sign x, which is 0 at 0 */
void ref_abs_backward(real *dx, const real *dy, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dx[i] += dy[i] * (real)((x[i] > 0) - (x[i] < 0));
}

/* the square root */
void ref_sqrt(real *y, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = (real)sqrt(x[i]);
}

/* d sqrt x / dx = 1 / (2 sqrt x) */
void ref_sqrt_backward(real *dx, const real *dy, const real *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dx[i] += dy[i] / (2 * y[i]);
}

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
