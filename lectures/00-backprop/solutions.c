/* solutions.c: solutions of the chapter's exercises, and mistakes that students make; try the
 * exercises first. */
#include "lectures/00-backprop/exercises.h"

/* ---- row 58: the rule of a quotient ---------------------------------------------------------- */

void quotient_back_solved(double a, double b, double g, double *da, double *db)
{
    *da += g / b;
    *db -= g * a / (b * b);
}

void quotient_back_wrong_sign(double a, double b, double g, double *da, double *db)
{
    *da += g / b;
    *db += g * a / (b * b);
}

void quotient_back_wrong_overwrites(double a, double b, double g, double *da, double *db)
{
    *da = g / b;
    *db = -g * a / (b * b);
}

/* ---- row 59: shares without an exponential --------------------------------------------------- */

static double sum_of(const double *x, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += x[k];
    return sum;
}

static double mean_under(const double *y, const double *g, int n)
{
    double mean = 0;
    for (int k = 0; k < n; k++)
        mean += y[k] * g[k];
    return mean;
}

void shares_back_solved(const double *x, const double *y, const double *g, int n, double *dx)
{
    for (int i = 0; i < n; i++)
        dx[i] += (g[i] - mean_under(y, g, n)) / sum_of(x, n);
}

void shares_back_wrong_no_mean(const double *x, const double *y, const double *g, int n, double *dx)
{
    (void)y;
    for (int i = 0; i < n; i++)
        dx[i] += g[i] / (sum_of(x, n) * sum_of(x, n));
}

void shares_back_wrong_no_sum(const double *x, const double *y, const double *g, int n, double *dx)
{
    (void)x;
    for (int i = 0; i < n; i++)
        dx[i] += y[i] * (g[i] - mean_under(y, g, n));
}

/* ---- row 60: a better difference ------------------------------------------------------------- */

static double central(double (*f)(double), double x, double h)
{
    return (f(x + h) - f(x - h)) / (2 * h);
}

double difference_solved(double (*f)(double), double x, double h)
{
    return (4 * central(f, x, h / 2) - central(f, x, h)) / 3;
}

double difference_wrong_half_step(double (*f)(double), double x, double h)
{
    return central(f, x, h / 2);
}

double difference_wrong_average(double (*f)(double), double x, double h)
{
    return (central(f, x, h / 2) + central(f, x, h)) / 2;
}
