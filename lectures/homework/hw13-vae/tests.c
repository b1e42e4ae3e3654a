/* tests.c: the tests of homework 13. See homework.h, and GUIDE.md beside this folder. */
#include "homework.h"
#include "hw13.h"

#include <math.h>

/* Positive numbers that sum to 1; every third one is 0 if `zeros`. */
static real *shares(Case *c, const char *name, int k, int zeros)
{
    real *p = case_given(c, name, 1, k), sum = 0;
    for (int i = 0; i < k; i++) {
        p[i] = zeros && i % 3 == 1 ? 0 : (real)(0.125 + case_random(c));
        sum += p[i];
    }
    for (int i = 0; i < k; i++)
        p[i] /= sum;
    return p;
}

static void e_step_of(Case *c, double scale)
{
    int n = case_size(c, "n", 1, 6), k = case_size(c, "k", 1, 4);
    const real *x = case_input_scaled(c, "x", scale, 1, n), *weight = shares(c, "weight", k, 0);
    const real *mean = case_input(c, "mean", 1, k);
    real *variance = case_given(c, "variance", 1, k), *r = case_output(c, "r", 2, n, k);
    for (int j = 0; j < k; j++)
        variance[j] = (real)(0.25 + 2 * case_random(c));
    *case_output(c, "log_p", 0) = e_step(r, x, weight, mean, variance, n, k);
}

static void e_step_case(Case *c)
{
    e_step_of(c, 1);
}

static void e_step_far_case(Case *c)
{
    e_step_of(c, 64);
}

static void m_step_case(Case *c)
{
    int n = case_size(c, "n", 2, 6), k = case_size(c, "k", 1, 3);
    const real *x = case_input(c, "x", 1, n);
    real *r = case_given(c, "r", 2, n, k), *weight = case_output(c, "weight", 1, k);
    for (int i = 0; i < n; i++) {
        double sum = 0, part[3];
        for (int j = 0; j < k; j++)
            sum += part[j] = 0.125 + case_random(c);
        for (int j = 0; j < k; j++)
            r[i * k + j] = (real)(part[j] / sum);
    }
    real *mean = case_output(c, "mean", 1, k);
    m_step(weight, mean, case_output(c, "variance", 1, k), x, r, n, k);
}

static void discrete_of(Case *c, int zeros)
{
    int k = case_size(c, "k", 2, 6);
    const real *q = shares(c, "q", k, zeros), *prior = shares(c, "prior", k, 0);
    const real *likelihood = case_input_scaled(c, "log_likelihood", 2, 1, k);
    real *kl = case_output(c, "kl", 0);
    *case_output(c, "elbo", 0) = discrete_elbo(kl, q, prior, likelihood, k);
}

static void discrete_case(Case *c)
{
    discrete_of(c, 0);
}

static void discrete_zero_case(Case *c)
{
    discrete_of(c, 1);
}

static void kl_case(Case *c)
{
    int batch = case_size(c, "batch", 1, 3), n = case_size(c, "n", 1, 5);
    const real *mean = case_input(c, "mean", 2, batch, n);
    const real *logvar = case_input(c, "logvar", 2, batch, n);
    *case_output(c, "kl", 0) = gaussian_kl(mean, logvar, batch, n);
}

static void kl_backward_case(Case *c)
{
    int batch = case_size(c, "batch", 1, 3), n = case_size(c, "n", 1, 5);
    const real *mean = case_input(c, "mean", 2, batch, n);
    const real *logvar = case_input(c, "logvar", 2, batch, n), *dkl = case_input(c, "dkl", 0);
    real *dmean = case_sum(c, "dmean", 2, batch, n);
    gaussian_kl_backward(dmean, case_sum(c, "dlogvar", 2, batch, n), *dkl, mean, logvar, batch, n);
}

static void reparameterise_case(Case *c)
{
    int n = case_size(c, "n", 1, 6);
    const real *mean = case_input(c, "mean", 1, n), *logvar = case_input(c, "logvar", 1, n);
    reparameterise(case_output(c, "z", 1, n), mean, logvar, case_input(c, "eps", 1, n), n);
}

static void elbo_case(Case *c)
{
    int d = case_size(c, "d", 1, 5), n = case_size(c, "n", 1, 4);
    const real *x = case_input(c, "x", 1, d), *y = case_input(c, "y", 1, d);
    const real *mean = case_input(c, "mean", 1, n), *logvar = case_input(c, "logvar", 1, n);
    real *variance = case_given(c, "variance", 0);
    *variance = (real)(0.25 + 2 * case_random(c));
    *case_output(c, "elbo", 0) = gaussian_elbo(x, y, *variance, d, mean, logvar, n);
}

static void score_case(Case *c)
{
    int draws = case_size(c, "draws", 1, 5), n = case_size(c, "n", 1, 3);
    const real *mean = case_input(c, "mean", 1, n), *logvar = case_input(c, "logvar", 1, n);
    const real *eps = case_input(c, "eps", 2, draws, n), *f = case_input(c, "f", 1, draws);
    const real *baseline = case_input(c, "baseline", 0);
    real *z = case_given(c, "z", 2, draws, n), *dmean = case_sum(c, "dmean", 1, n);
    for (int s = 0; s < draws; s++)
        reparameterise(z + s * n, mean, logvar, eps + s * n, n);
    score_gradient(dmean, case_sum(c, "dlogvar", 1, n), f, *baseline, z, mean, logvar, draws, n);
}

static void path_case(Case *c)
{
    int draws = case_size(c, "draws", 1, 5), n = case_size(c, "n", 1, 3);
    const real *logvar = case_input(c, "logvar", 1, n), *df = case_input(c, "df", 2, draws, n);
    const real *eps = case_input(c, "eps", 2, draws, n);
    real *dmean = case_sum(c, "dmean", 1, n);
    path_gradient(dmean, case_sum(c, "dlogvar", 1, n), df, eps, logvar, draws, n);
}

static void bound_of(Case *c, double scale)
{
    int batch = case_size(c, "batch", 1, 4), draws = case_size(c, "draws", 1, 6);
    const real *log_w = case_input_scaled(c, "log_w", scale, 2, batch, draws);
    *case_output(c, "bound", 0) = weighted_bound(log_w, batch, draws);
}

static void bound_case(Case *c)
{
    bound_of(c, 1);
}

static void bound_small_case(Case *c)
{
    bound_of(c, 2048);
}

const Test tests[] = {
    {"e_step", "e_step", "E step of a mixture", POINTS(9), e_step_case},
    {"e_step_far", "e_step", "numbers far from all means", POINTS(4), e_step_far_case,
     .needs = "e_step"},
    {"m_step", "m_step", "M step of a mixture", POINTS(13), m_step_case},
    {"discrete", "discrete_elbo", "ELBO and KL for a discrete z", POINTS(11), discrete_case},
    {"discrete_zero", "discrete_elbo", "where q is 0", POINTS(3), discrete_zero_case,
     .needs = "discrete"},
    {"kl", "gaussian_kl", "KL of Gaussians", POINTS(7), kl_case},
    {"kl_backward", "gaussian_kl_backward", "KL, backward", POINTS(7), kl_backward_case,
     .forward = kl_case, .gradients = "dmean:mean dlogvar:logvar", .upstream = "dkl:kl"},
    {"reparameterise", "reparameterise", "reparameterisation", POINTS(6), reparameterise_case},
    {"elbo", "gaussian_elbo", "ELBO of Gaussians", POINTS(10), elbo_case},
    {"score", "score_gradient", "score-function gradient", POINTS(12), score_case},
    {"path", "path_gradient", "reparameterised gradient", POINTS(8), path_case},
    {"bound", "weighted_bound", "importance-weighted bound", POINTS(7), bound_case},
    {"bound_small", "weighted_bound", "very small weights", POINTS(3), bound_small_case,
     .needs = "bound"},
    {0},
};
