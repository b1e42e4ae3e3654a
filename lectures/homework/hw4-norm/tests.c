/* tests.c: the tests of homework 4. See homework.h, and GUIDE.md beside this folder. */
#include "homework.h"
#include "hw4.h"

#include <math.h>

/* ---- 1. embedding ---------------------------------------------------------------------------- */

static void embed_case(Case *c)
{
    int v = case_size(c, "v", 1, 5), n = case_size(c, "c", 1, 4), t = case_size(c, "t", 1, 6);
    const real *e = case_input(c, "e", 2, v, n);
    const int *ids = case_integers(c, "ids", 0, v - 1, 1, t);
    embed(case_output(c, "y", 2, t, n), e, ids, t, n);
}

static void embed_backward_case(Case *c)
{
    int v = case_size(c, "v", 1, 5), n = case_size(c, "c", 1, 4), t = case_size(c, "t", 1, 6);
    case_input(c, "e", 2, v, n);
    const int *ids = case_integers(c, "ids", 0, v - 1, 1, t);
    const real *dy = case_input(c, "dy", 2, t, n);
    embed_backward(case_sum(c, "de", 2, v, n), dy, ids, t, n);
}

/* ---- 2. layer norm --------------------------------------------------------------------------- */

/* Large enough that a missing or misplaced eps shows. */
static real eps_of(Case *c)
{
    return *case_given(c, "eps", 0) = (real)0.0625;
}

static void layernorm_case(Case *c)
{
    int rows = case_size(c, "rows", 1, 4), n = case_size(c, "c", 2, 6);
    const real *x = case_input(c, "x", 2, rows, n);
    const real *gamma = case_input(c, "gamma", 1, n), *beta = case_input(c, "beta", 1, n);
    real eps = eps_of(c);
    layernorm(case_output(c, "y", 2, rows, n), x, gamma, beta, rows, n, eps);
}

/* All channels of a token are the same: the variance is 0, and y is beta. */
static void layernorm_flat_case(Case *c)
{
    int rows = case_size(c, "rows", 1, 3), n = case_size(c, "c", 1, 4);
    real *x = case_given(c, "x", 2, rows, n);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++)
            x[i * n + j] = (real)(i + 1);
    const real *gamma = case_input(c, "gamma", 1, n), *beta = case_input(c, "beta", 1, n);
    real eps = *case_given(c, "eps", 0) = (real)1e-5;
    layernorm(case_output(c, "y", 2, rows, n), x, gamma, beta, rows, n, eps);
}

/* A large mean: E[x^2] - mean^2 in float loses the variance. */
static void layernorm_offset_case(Case *c)
{
    int rows = case_size(c, "rows", 1, 3), n = case_size(c, "c", 2, 6);
    real *x = case_given(c, "x", 2, rows, n);
    for (int i = 0; i < rows * n; i++)
        x[i] = (real)(256 + (double)(int)(case_normal(c) * 32) / 32);
    const real *gamma = case_input(c, "gamma", 1, n), *beta = case_input(c, "beta", 1, n);
    real eps = eps_of(c);
    layernorm(case_output(c, "y", 2, rows, n), x, gamma, beta, rows, n, eps);
}

/* y with mean and variance moved by the two nudges, which are 0: only the finite differences move
 * them. */
static void statistics_case(Case *c)
{
    int rows = case_size(c, "rows", 1, 4), n = case_size(c, "c", 2, 6);
    const real *x = case_input(c, "x", 2, rows, n), *gamma = case_input(c, "gamma", 1, n);
    const real *mean_nudge = case_input_scaled(c, "mean_nudge", 0, 1, rows);
    const real *variance_nudge = case_input_scaled(c, "variance_nudge", 0, 1, rows);
    real eps = eps_of(c), *y = case_output(c, "y", 2, rows, n);
    for (int i = 0; i < rows; i++, x += n, y += n) {
        double mean = 0, variance = 0;
        for (int j = 0; j < n; j++)
            mean += x[j] / (double)n;
        for (int j = 0; j < n; j++)
            variance += (x[j] - mean) * (x[j] - mean) / n;
        mean += mean_nudge[i];
        variance += variance_nudge[i];
        for (int j = 0; j < n; j++)
            y[j] = (real)(gamma[j] * (x[j] - mean) / sqrt(variance + (double)eps));
    }
}

static void statistics_backward_case(Case *c)
{
    int rows = case_size(c, "rows", 1, 4), n = case_size(c, "c", 2, 6);
    const real *x = case_input(c, "x", 2, rows, n), *gamma = case_input(c, "gamma", 1, n);
    case_input_scaled(c, "mean_nudge", 0, 1, rows);
    case_input_scaled(c, "variance_nudge", 0, 1, rows);
    real eps = eps_of(c);
    const real *dy = case_input(c, "dy", 2, rows, n);
    real *dmean = case_sum(c, "dmean", 1, rows), *dvariance = case_sum(c, "dvariance", 1, rows);
    layernorm_statistics_backward(dmean, dvariance, dy, x, gamma, rows, n, eps);
}

static void layernorm_backward_case(Case *c)
{
    int rows = case_size(c, "rows", 1, 4), n = case_size(c, "c", 2, 6);
    const real *x = case_input(c, "x", 2, rows, n);
    const real *gamma = case_input(c, "gamma", 1, n);
    case_input(c, "beta", 1, n); /* only the forward function needs it */
    real eps = eps_of(c);
    const real *dy = case_input(c, "dy", 2, rows, n);
    real *dx = case_sum(c, "dx", 2, rows, n);
    real *dgamma = case_sum(c, "dgamma", 1, n), *dbeta = case_sum(c, "dbeta", 1, n);
    layernorm_backward(dx, dgamma, dbeta, dy, x, gamma, rows, n, eps);
}

/* ---- the table ------------------------------------------------------------------------------- */

const Test tests[] = {
    {"embed", "embed", "the embedding", POINTS(8), embed_case},
    {"embed_backward", "embed_backward", "the embedding, backward", POINTS(16), embed_backward_case,
     .forward = embed_case, .gradients = "de:e", .upstream = "dy:y"},
    {"layernorm", "layernorm", "layer norm", POINTS(16), layernorm_case},
    {"layernorm_flat", "layernorm", "layer norm of equal channels", POINTS(5), layernorm_flat_case,
     .needs = "layernorm"},
    {"layernorm_offset", "layernorm", "layer norm of numbers with a large mean", POINTS(5),
     layernorm_offset_case, .needs = "layernorm"},
    {"layernorm_statistics", "layernorm_statistics_backward",
     "layer norm, gradients of mean and variance", POINTS(18), statistics_backward_case,
     .forward = statistics_case, .gradients = "dmean:mean_nudge dvariance:variance_nudge",
     .upstream = "dy:y"},
    {"layernorm_backward", "layernorm_backward", "layer norm, backward", POINTS(32),
     layernorm_backward_case, .forward = layernorm_case,
     .gradients = "dx:x dgamma:gamma dbeta:beta", .upstream = "dy:y"},
    {0},
};
