/* solutions.c: solutions of the chapter's exercises, and mistakes that students make; try the
 * exercises first. */
#include "lectures/08-vae/exercises.h"

/* ---- row 56: a baseline from the other samples ----------------------------------------------- */

double baseline_solved(const double *f, int n, int i)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += k == i ? 0 : f[k];
    return sum / (n - 1);
}

double baseline_wrong_one_other(const double *f, int n, int i)
{
    return f[(i + 1) % n];
}

double baseline_wrong_all(const double *f, int n, int i)
{
    double sum = 0;
    (void)i;
    for (int k = 0; k < n; k++)
        sum += f[k];
    return sum / n;
}

/* ---- the bound from several samples ---------------------------------------------------------- */

double bound_of_pairs_solved(const double *log_w, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double high = values_worst(log_w[i], log_w[j]), low = values_least(log_w[i], log_w[j]);
            sum += high + log((1 + exp(low - high)) / 2);
        }
    return sum / (n * (n - 1) / 2.0);
}

double bound_of_pairs_wrong_underflow(const double *log_w, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            sum += log((exp(log_w[i]) + exp(log_w[j])) / 2);
    return sum / (n * (n - 1) / 2.0);
}

/* Each i with each j, a weight with itself included. */
double bound_of_pairs_wrong_itself(const double *log_w, int n)
{
    double itself = 0;
    for (int i = 0; i < n; i++)
        itself += log_w[i] / n;
    return (bound_of_pairs_solved(log_w, n) * (n - 1) + itself) / n;
}

/* ---- free bits ------------------------------------------------------------------------------- */

Tensor *free_bits_solved(Tensor *kl, real least)
{
    return ag_sum(ag_maximum(ag_mean_axis(kl, 0, false), tape_full(kl->tape, least, shape0())));
}

Tensor *free_bits_wrong_each_picture(Tensor *kl, real least)
{
    Tensor *held = ag_maximum(kl, tape_full(kl->tape, least, shape0()));
    return ag_sum(ag_mean_axis(held, 0, false));
}

Tensor *free_bits_wrong_whole_rate(Tensor *kl, real least)
{
    real all = least * (real)kl->shape.dim[1];
    return ag_maximum(ag_sum(ag_mean_axis(kl, 0, false)), tape_full(kl->tape, all, shape0()));
}
