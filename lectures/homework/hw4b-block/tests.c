/* tests.c: the tests of homework 4b. See homework.h, and GUIDE.md beside this folder. */
#include "homework.h"
#include "hw4b.h"

#include <math.h>

/* ---- 1. dropout ------------------------------------------------------------------------------ */

/* Multiples of 1/64; every fourth one is p itself: an element with u_i = p is kept. */
static const real *chances(Case *c, int n, real p)
{
    real *u = case_given(c, "u", 1, n);
    for (int i = 0; i < n; i++)
        u[i] = case_random(c) < 0.25 ? p : (real)(int)(case_random(c) * 64) / 64;
    return u;
}

static real probability(Case *c)
{
    return *case_given(c, "p", 0) = (real)case_choice(c, "eighths", 1, 6) / 8;
}

static void dropout_of(Case *c, int training)
{
    int n = case_size(c, "n", 1, 10);
    real p = probability(c);
    const real *x = case_input(c, "x", 1, n), *u = chances(c, n, p);
    *case_given_integers(c, "training", 0) = training;
    dropout(case_output(c, "y", 1, n), x, u, n, p, training);
}

static void dropout_training_case(Case *c)
{
    dropout_of(c, 1);
}

static void dropout_test_case(Case *c)
{
    dropout_of(c, 0);
}

static void dropout_either_case(Case *c)
{
    dropout_of(c, case_turn(c, "while_training", 0, 1));
}

static void dropout_backward_case(Case *c)
{
    int training = case_turn(c, "while_training", 0, 1), n = case_size(c, "n", 1, 10);
    real p = probability(c);
    case_input(c, "x", 1, n);
    const real *u = chances(c, n, p), *dy = case_input(c, "dy", 1, n);
    *case_given_integers(c, "training", 0) = training;
    dropout_backward(case_sum(c, "dx", 1, n), dy, u, n, p, training);
}

/* ---- 2. two blocks --------------------------------------------------------------------------- */

/* The norm that the blocks get. */
static void norm(real *y, const real *x, const real *gamma, const real *beta, int t, int c,
                 real eps)
{
    for (int i = 0; i < t; i++, x += c, y += c) {
        double mean = 0, variance = (double)eps;
        for (int j = 0; j < c; j++)
            mean += (double)x[j] / c;
        for (int j = 0; j < c; j++)
            variance += (x[j] - mean) * (x[j] - mean) / c;
        for (int j = 0; j < c; j++)
            y[j] = (real)(gamma[j] * (x[j] - mean) / sqrt(variance) + beta[j]);
    }
}

/* In place of attention: each token gets the next one, times weights. y is cleared first, so that y
 * = x shows. */
static void neighbours(real *y, const real *x, int t, int c, const real *w)
{
    for (int i = 0; i < t * c; i++)
        y[i] = 0;
    for (int i = 0; i < t; i++)
        for (int j = 0; j < c; j++)
            y[i * c + j] = w[j] * x[(i + 1) % t * c + j];
}

/* In place of the feed-forward network: squares, times weights. */
static void squares(real *y, const real *x, int t, int c, const real *w)
{
    for (int i = 0; i < t * c; i++)
        y[i] = 0;
    for (int i = 0; i < t * c; i++)
        y[i] = w[i % c] * x[i] * x[i];
}

static void block_of(Case *c, int post_norm)
{
    int t = case_size(c, "t", 1, 4), n = case_size(c, "c", 2, 5);
    const real *x = case_input(c, "x", 2, t, n);
    Block b = {.norm = norm, .attend = neighbours, .feed = squares};
    b.w_attend = case_input(c, "w_attend", 1, n);
    b.w_feed = case_input(c, "w_feed", 1, n);
    b.gamma1 = case_input(c, "gamma1", 1, n);
    b.beta1 = case_input(c, "beta1", 1, n);
    b.gamma2 = case_input(c, "gamma2", 1, n);
    b.beta2 = case_input(c, "beta2", 1, n);
    b.eps = *case_given(c, "eps", 0) = (real)0.0625;
    real *y = case_output(c, "y", 2, t, n);
    if (post_norm)
        post_norm_block(y, x, &b, t, n);
    else
        pre_norm_block(y, x, &b, t, n);
}

static void pre_norm_case(Case *c)
{
    block_of(c, 0);
}

static void post_norm_case(Case *c)
{
    block_of(c, 1);
}

/* ---- 3. parameters --------------------------------------------------------------------------- */

static void count_case(Case *c)
{
    int vocabulary = case_size(c, "vocabulary", 1, 50),
        positions = case_size(c, "positions", 1, 20);
    int heads = case_size(c, "heads", 1, 4), n = heads * case_size(c, "d", 1, 8);
    int f = case_size(c, "f", 1, 40), layers = case_size(c, "layers", 1, 6);
    int tied = case_turn(c, "tied", 0, 1);
    *case_given_integers(c, "c", 0) = n;
    long count = count_parameters(vocabulary, positions, n, heads, f, layers, tied);
    *case_output_integers(c, "count", 0) = (int)count;
}

/* Up to the sizes of GPT-3, whose number of parameters does not fit into an int. */
static void count_large_case(Case *c)
{
    int n = 1024 * case_size(c, "kilochannels", 4, 12), layers = case_size(c, "layers", 48, 96);
    *case_given_integers(c, "c", 0) = n;
    *case_given_integers(c, "f", 0) = 4 * n;
    *case_given_integers(c, "vocabulary", 0) = 50257;
    long count = count_parameters(50257, 2048, n, 96, 4 * n, layers, case_turn(c, "tied", 0, 1));
    *case_output_integers(c, "millions", 0) = (int)(count / 1000000);
    *case_output_integers(c, "remainder", 0) = (int)(count % 1000000);
}

/* ---- the table ------------------------------------------------------------------------------- */

const Test tests[] = {
    {"dropout_training", "dropout", "dropout while training", POINTS(14), dropout_training_case},
    {"dropout_test", "dropout", "dropout at test time", POINTS(8), dropout_test_case},
    {"dropout_backward", "dropout_backward", "dropout, backward", POINTS(18), dropout_backward_case,
     .forward = dropout_either_case, .gradients = "dx:x", .upstream = "dy:y"},
    {"pre_norm_block", "pre_norm_block", "the pre-norm block", POINTS(20), pre_norm_case},
    {"post_norm_block", "post_norm_block", "the post-norm block", POINTS(20), post_norm_case},
    {"count_parameters", "count_parameters", "the number of parameters", POINTS(16), count_case},
    {"count_large", "count_parameters", "the number of parameters of a large model", POINTS(4),
     count_large_case, .needs = "count_parameters"},
    {0},
};
