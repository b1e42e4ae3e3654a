/* solutions.c: solutions of the chapter's exercises, and mistakes that students make; try the
 * exercises first. */
#include "lectures/08-vae/exercises.h"

/* ---- row 52: Bayes' rule --------------------------------------------------------------------- */

void posterior_solved(const double *log_prior, const double *log_likelihood, double *p)
{
    double largest = -INFINITY, sum = 0;
    for (int z = 0; z < 3; z++)
        largest = values_worst(largest, log_prior[z] + log_likelihood[z]);
    for (int z = 0; z < 3; z++)
        sum += p[z] = exp(log_prior[z] + log_likelihood[z] - largest);
    for (int z = 0; z < 3; z++)
        p[z] /= sum;
}

void posterior_wrong_underflow(const double *log_prior, const double *log_likelihood, double *p)
{
    double sum = 0;
    for (int z = 0; z < 3; z++)
        sum += p[z] = exp(log_prior[z] + log_likelihood[z]);
    for (int z = 0; z < 3; z++)
        p[z] /= sum;
}

void posterior_wrong_likelihood(const double *log_prior, const double *log_likelihood, double *p)
{
    (void)log_prior;
    posterior_solved((double[3]){0}, log_likelihood, p);
}

/* ---- row 53: importance weights -------------------------------------------------------------- */

double weight_solved(double x, double z, double mean, double deviation)
{
    double e = (z - mean) / deviation;
    return exp(-2 * (x - z) * (x - z)) / sqrt(M_PI / 2) * exp((e * e - z * z) / 2) * deviation;
}

double weight_wrong_deviation(double x, double z, double mean, double deviation)
{
    return weight_solved(x, z, mean, deviation) / deviation;
}

double weight_wrong_inverse(double x, double z, double mean, double deviation)
{
    double likelihood = exp(-2 * (x - z) * (x - z)) / sqrt(M_PI / 2);
    return likelihood * likelihood / weight_solved(x, z, mean, deviation);
}

/* ---- row 54: the ELBO of a linear model ------------------------------------------------------ */

double gaussian_elbo_solved(double x, double w, double s2, double m, double v)
{
    double square = (x - w * m) * (x - w * m) + w * w * v;
    return -log(2 * M_PI) - log(s2) / 2 - (m * m + v) / 2 - square / (2 * s2) +
           (log(2 * M_PI * v) + 1) / 2;
}

double gaussian_elbo_wrong_entropy(double x, double w, double s2, double m, double v)
{
    return gaussian_elbo_solved(x, w, s2, m, v) - (log(2 * M_PI * v) + 1) / 2;
}

double gaussian_elbo_wrong_spread(double x, double w, double s2, double m, double v)
{
    return gaussian_elbo_solved(x, w, s2, m, v) + (w * w - 1) * v / (2 * s2);
}

/* ---- row 55: the best q for all x ------------------------------------------------------------ */

void best_q_solved(const double *mean, const double *variance, int n, double *c, double *v)
{
    double precision = 0, sum = 0;
    for (int i = 0; i < n; i++) {
        precision += 1 / variance[i];
        sum += mean[i] / variance[i];
    }
    *c = sum / precision;
    *v = n / precision;
}

void best_q_wrong_precision(const double *mean, const double *variance, int n, double *c, double *v)
{
    best_q_solved(mean, variance, n, c, v);
    *v /= n;
}

/* The moments of the mixture, which have the least mean KL(posterior || q). */
void best_q_wrong_turned(const double *mean, const double *variance, int n, double *c, double *v)
{
    *c = *v = 0;
    for (int i = 0; i < n; i++)
        *c += mean[i] / n;
    for (int i = 0; i < n; i++)
        *v += (variance[i] + (mean[i] - *c) * (mean[i] - *c)) / n;
}

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
