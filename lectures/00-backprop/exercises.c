/* exercises.c: functions to be changed (runner/README.md). Each comment says what the function does
 * now, and what it is to do. `./gradus claims 0 --try 58` tells whether a change is right. */
#include "lectures/00-backprop/exercises.h"

enum { N = 4 };

/* ---- row 58: the rule of a quotient ---------------------------------------------------------- */

/* The backward of y = a / b, given g = dL/dy. Now: dL/da alone. Change it: dL/db, too. Other uses
 * of a and b may have added to their gradients before. */
static void quotient_back(double a, double b, double g, double *da, double *db)
{
    (void)a, (void)db;
    *da += g / b;
}

static double quotient(const double *x, const void *with)
{
    (void)with;
    return 3 * (x[0] / x[1]) + x[0] * x[1];
}

/* L = 3 y + a b: the product's share is there when the quotient's backward runs. */
static double quotient_is_right(Trial *t)
{
    double x[] = {2, 0.5}, da = x[1], db = x[0], worst = 0;
    TRIED(t, quotient_back, quotient_back_solved, quotient_back_wrong_sign,
          quotient_back_wrong_overwrites)
    (x[0], x[1], 3, &da, &db);
    for (int i = 0; i < 2; i++) {
        double found = i ? db : da, difference = central_difference(quotient, x, i, NULL, 1e-4);
        explain(t, "L = 3 a / b + a b at a = 2, b = 1/2: dL/d%c = %.4f; central difference %.4f",
                "ab"[i], found, difference);
        worst = values_worst(worst, fabs(found - difference));
    }
    return worst;
}

/* ---- row 59: shares without an exponential --------------------------------------------------- */

/* The backward of y_i = x_i / sum_k x_k, given y and g = dL/dy. Now: as if the sum were a constant.
 * Change it: the sum depends on every x, as in softmax. Other uses of x may have added to dx
 * before. */
static void shares_back(const double *x, const double *y, const double *g, int n, double *dx)
{
    double sum = 0;
    (void)y;
    for (int k = 0; k < n; k++)
        sum += x[k];
    for (int i = 0; i < n; i++)
        dx[i] += g[i] / sum;
}

static const double share_weights[N] = {10, 0, 10, -5};

static double shares(const double *x, const void *y)
{
    double sum = 0, L = 0;
    for (int k = 0; k < N; k++)
        sum += x[k];
    for (int k = 0; k < N; k++) {
        L += share_weights[k] * x[k] / sum;
        if (y)
            ((double *)(uintptr_t)y)[k] = x[k] / sum;
    }
    return L;
}

static double shares_are_right(Trial *t)
{
    double x[N] = {2, 1, 2, 3}, y[N], dx[N] = {1, 1, 1, 1}, worst = 0; /* of L + sum x */
    shares(x, y);
    TRIED(t, shares_back, shares_back_solved, shares_back_wrong_no_mean, shares_back_wrong_no_sum)
    (x, y, share_weights, N, dx);
    for (int i = 0; i < N; i++) {
        double difference = 1 + central_difference(shares, x, i, NULL, 1e-4);
        explain(t, "x_%d = %g, y = %.3f: dL/dx = %.4f; central difference %.4f", i + 1, x[i], y[i],
                dx[i], difference);
        worst = values_worst(worst, fabs(dx[i] - difference));
    }
    return worst;
}

/* ---- row 60: a better difference ------------------------------------------------------------- */

/* The derivative of f at x, by a step of h. Now: the central difference, whose error falls as h^2.
 * Change it: from two central differences, of the steps h and h / 2, make one whose error falls as
 * h^4. */
static double difference(double (*f)(double), double x, double h)
{
    return (f(x + h) - f(x - h)) / (2 * h);
}

static double order_is_four(Trial *t)
{
    double h[3], error[3];
    Difference *tried = TRIED(t, difference, difference_solved, difference_wrong_half_step,
                              difference_wrong_average);
    for (int k = 0; k < 3; k++) {
        h[k] = 0.5 / (1 << k);
        error[k] = fabs(tried(exp, 0, h[k]) - 1);
        explain(t, "h = 1/%d: the slope of e^x at 0 is off by %.3g", 2 << k, error[k]);
    }
    return fabs(values_exponent(h, error, 3) - 4);
}

const Claim backprop_exercises[] = {
    EXERCISE(58, "quotient_back: a rule for y = a / b", NULL, "max |gradient - central difference|",
             1e-5, "the difference is off by h^2 L''' / 6 = 8e-7", quotient_is_right,
             {"sign", "dL/db without its minus"}, {"overwrites", "= in place of +="}),
    EXERCISE(59, "shares_back: y_i = x_i / sum x", NULL, "max |gradient - central difference|",
             1e-5, "the difference is off by about h^2 = 1e-8", shares_are_right,
             {"no_mean", "the sum is a constant, and its square divides"},
             {"no_sum", "the mean is subtracted, and nothing is divided by the sum"}),
    EXERCISE(60, "difference: an error that falls as the fourth power of h", NULL,
             "|exponent of the error - 4|, h = 1/2 to 1/8", 0.1,
             "the next term of the series is about h^2 / 40 of the first, at most 1 %",
             order_is_four, {"half_step", "the step h / 2 alone"},
             {"average", "the mean of both differences"}),
    {0},
};
