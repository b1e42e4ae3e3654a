/* test_edge_gradients.c: gradients where rounding could hide them, in every kernel set.
 *
 *   confident  a class of probability 1 - 1e-5: its gradient p - 1 is what p leaves of 1
 *   offset     logits of 200: softmax does not change, so neither may its gradient
 *   huge       attention scores of 1e7 to 1e9, where neighbouring floats are up to 64 apart
 *   rounded    the weight of a single key is 1, although backward computes another score than forward
 *   far        GELU's derivative far below 0
 *   long sums  2^24 and 4096 ones: a float that adds one after the other stays at 2^24
 *   squares    of many numbers, and of large ones
 *
 * Expected values are closed forms in double. */
#include "tests/kernels/kernel_sets.h"
#include "autograd/autograd.h"
#include "tensor/kernels/kernels.h"

#include <math.h>
#include <string.h>

static double unit(void)
{
    return sizeof(real) == sizeof(float) ? 0x1p-24
                                         : 0x1p-53; /* half the distance from 1 to the next real */
}

/* ---- losses ---------------------------------------------------------------------------------- */

enum { V = 10 };

static const double margins[] = {8, 12}, offsets[] = {0, 50, 200};

/* Class 3 leads by the margin, the others lie between offset and offset + 1/2. */
static void make_logits(real *x, double margin, double offset)
{
    for (int j = 0; j < V; j++)
        x[j] = (real)(offset + (j == 3 ? margin : j / 18.0));
}

/* log p_j, in long double, since the tests run in double too. */
static long double log_probability(const real *x, int j)
{
    long double sum = 0;
    for (int k = 0; k < V; k++)
        sum += expl((long double)x[k] - x[3]);
    return (long double)x[j] - x[3] - logl(sum);
}

/* The target's exponent is -log sum: exp is right to 2 units, the sum and its logarithm to 1, and
 * the result is rounded once. Any other exponent is up to 12, and each of its two subtractions is
 * rounded by up to 8 units. */
static void check_cross_entropy(const real *x, const real *grad)
{
    for (int j = 0; j < V; j++) {
        long double log_p = log_probability(x, j), p = expl(log_p);
        double want = (double)(j == 3 ? expm1l(log_p) : p), tolerance = j == 3 ? 4 : 20;
        CHECK_CLOSE((double)grad[j], want, tolerance * unit() * (double)p);
        if (fabs((double)grad[j] - want) > tolerance * unit() * (double)p)
            CHECK(false, "that was with logits around %g, class %d", (double)x[0], j);
    }
}

TEST_SETS(confident_cross_entropy)
{
    Tape *tape = tape_new(1);
    real x[V];
    for (int m = 0; m < 2; m++)
        for (int o = 0; o < 3; o++) {
            make_logits(x, margins[m], offsets[o]);
            Tensor *logits = tape_leaf(tape, x, shape2(1, V));
            Tensor *target = tape_ids(tape, (int[]){3}, shape1(1));
            REQUIRE(ag_backward(ag_cross_entropy(logits, target)), "%s", tensor_error());
            check_cross_entropy(x, logits->grad);
            tape_reset(tape);
        }
    tape_free(tape);
}

/* y_j is x_j - max - log sum, each rounded once. */
TEST_SETS(confident_log_softmax)
{
    Tape *tape = tape_new(1);
    real x[V];
    for (int m = 0; m < 2; m++)
        for (int o = 0; o < 3; o++) {
            make_logits(x, margins[m], offsets[o]);
            Tensor *y = ag_log_softmax(tape_leaf(tape, x, shape2(1, V)));
            for (int j = 0; j < V; j++) {
                double want = (double)log_probability(x, j);
                CHECK_CLOSE((double)y->data[j], want, 4 * unit() * (1 + fabs(want)));
            }
            tape_reset(tape);
        }
    tape_free(tape);
}

/* dL/dx = s - t with s = 1 / (1 + e^-x). s and 1 - s are right to 3 units (exp 2, the division 1),
 * a target between 0 and 1 adds the roundings of two products and a sum. */
TEST_SETS(confident_binary_cross_entropy)
{
    static const double xs[] = {-15, -12, -8, -1, 0, 1, 8, 12, 15}, ts[] = {0, 0.25, 1};
    Tape *tape = tape_new(1);
    for (size_t i = 0; i < sizeof xs / sizeof *xs; i++)
        for (size_t k = 0; k < sizeof ts / sizeof *ts; k++) {
            real x = (real)xs[i], t = (real)ts[k];
            Tensor *logit = tape_leaf(tape, &x, shape1(1));
            Tensor *loss = ag_bce_with_logits(logit, tape_input(tape, &t, shape1(1)));
            REQUIRE(ag_backward(loss), "%s", tensor_error());
            double s = 1 / (1 + exp(-xs[i])), rest = 1 / (1 + exp(xs[i]));
            double want = (1 - ts[k]) * s - ts[k] * rest;
            double scale = (1 - ts[k]) * s + ts[k] * rest;
            CHECK(fabs((double)logit->grad[0] - want) <= 6 * unit() * scale,
                  "x %g, t %g: %.9g, expected %.9g", xs[i], ts[k], (double)logit->grad[0], want);
            tape_reset(tape);
        }
    tape_free(tape);
}

/* Near the prior dL/dv = (e^v - 1) / 2 is nearly v / 2: expm1, not exp less 1. */
TEST_SETS(gaussian_kl_near_the_prior)
{
    Tape *tape = tape_new(1);
    real mean = (real)1e-3, log_variance = (real)1e-4;
    Tensor *m = tape_leaf(tape, &mean, shape1(1)), *v = tape_leaf(tape, &log_variance, shape1(1));
    REQUIRE(ag_backward(ag_gaussian_kl(m, v)), "%s", tensor_error());
    double want = expm1((double)log_variance) / 2;
    CHECK_CLOSE((double)v->grad[0], want, 2 * unit() * want);
    CHECK_CLOSE((double)m->grad[0], (double)mean, 0);
    tape_free(tape);
}

/* ---- attention ------------------------------------------------------------------------------- */

/* Queries and keys are the same random directions, of length such that a query's score with its own
 * key is `size`; no other score comes near, so A is the identity and dV = dL/dO, which is 1. */
static void check_huge_scores(Tape *tape, int64_t T, double size)
{
    enum { D = 64 };
    static real q[70 * D], v[70 * D], ones[70 * D];
    Rng rng = {.seed = 7};
    for (int64_t i = 0; i < T; i++) {
        double square = 0, x[D];
        for (int c = 0; c < D; c++) {
            x[c] = rng_normal(&rng);
            square += x[c] * x[c];
        }
        for (int c = 0; c < D; c++)
            q[i * D + c] = (real)(x[c] * sqrt(size * sqrt(D) / square));
    }
    for (int64_t i = 0; i < T * D; i++) {
        v[i] = (real)rng_normal(&rng);
        ones[i] = 1;
    }
    Shape shape = shape2(T, D);
    Tensor *Q = tape_leaf(tape, q, shape), *K = tape_leaf(tape, q, shape);
    Tensor *values = tape_leaf(tape, v, shape);
    Tensor *y = ag_attention(Q, K, values, (Mask){0}, 0);
    REQUIRE(ag_backward_from(y, ones), "%s", tensor_error());
    double worst = 0;
    for (int64_t i = 0; i < T * D; i++)
        worst = larger_or_nan(worst, fabs((double)values->grad[i] - 1));
    CHECK(worst <= (T == 1 ? 0 : 4 * unit()), "T %lld, scores of %g: dV is off by %g", (long long)T,
          size, worst);
}

TEST_SETS(huge_scores)
{
    static const int64_t lengths[] = {1, 2, 3, 4, 8, 20, 70};
    Tape *tape = tape_new(1);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (double size = 1e5; size < 2e9; size *= 10) {
            check_huge_scores(tape, lengths[i], size);
            tape_reset(tape);
        }
    tape_free(tape);
}

/* Kernels may add the products of a score in another order in backward than in forward, and then
 * differ by units of its last bit: near 1e7 by several. The log-sum-exp that forward keeps is
 * lowered by as much. The weight of a single key is 1 all the same, and not e^3, so that dV =
 * dL/dO. */
TEST_SETS(scores_rounded_differently)
{
    enum { D = 64 };
    static real x[D], ones[D];
    for (int c = 0; c < D; c++) {
        x[c] = 1000;
        ones[c] = 1;
    }
    Tape *tape = tape_new(1);
    Tensor *q = tape_leaf(tape, x, shape2(1, D)), *v = tape_leaf(tape, ones, shape2(1, D));
    Tensor *y = ag_attention(q, q, v, (Mask){0}, 0);
    const Node *n = y->node ? y->node : y->base->node;
    n->saved[n->op->saved(n) - 1] -= 3;
    REQUIRE(ag_backward_from(y, ones), "%s", tensor_error());
    for (int c = 0; c < D; c++)
        CHECK_CLOSE((double)v->grad[c], 1, 0);
    tape_free(tape);
}

/* ---- GELU ------------------------------------------------------------------------------------ */

/* The derivative at -6 is -3.6e-8; below -16 it is smaller than any float, and PyTorch has 0 there
 * as well. */
TEST_SETS(gelu_far_below_zero)
{
    const real x[] = {-1e30f, -1e4f, -100, -20, -16, -10, -7, -6.01f, 6.01f, 7, 20, 100, 1e30f};
    enum { N = sizeof x / sizeof *x };
    real dx[N] = {0}, dy[N];
    for (int i = 0; i < N; i++)
        dy[i] = 1;
    kernels->gelu_backward(dx, dy, x, N);
    for (int i = 0; i < N; i++) {
        double want = x[i] > 0 ? 1 : 0;
        double far = fabs((double)x[i]) >= 16 ? 1e-50 : 4e-8; /* no float but 0 is below 1e-50 */
        CHECK(fabs((double)dx[i] - want) <= far, "the derivative at %g is %.9g, expected %g",
              (double)x[i], (double)dx[i], want);
    }
}

/* ---- long sums ------------------------------------------------------------------------------- */

/* The reference promises sums in double: 2^24 + 4096 is a float, which adding ones to a float never
 * reaches. */
TEST_SETS(reference_sums_in_double)
{
    enum { ROWS = 4097 };
    static real dy[ROWS], x[ROWS], stats[2 * ROWS], grad[3];
    static int32_t ids[ROWS];
    const double want = 0x1p24 + 4096;
    if (strcmp(tensor_kernels(), "ref") != 0 || sizeof(real) != sizeof(float))
        SKIP("the promise is that of the reference kernels, in float");
    for (int i = 0; i < ROWS; i++) {
        dy[i] = i == 0 ? 0x1p24f : 1;
        x[i] = 1;
        stats[2 * i + 1] = 1; /* mean 0, 1 / deviation 1: z = x */
    }
    kernels->layernorm_backward(NULL, grad, grad + 1, dy, x, stats, x, ROWS, 1);
    CHECK_CLOSE((double)grad[0], want, 0);
    CHECK_CLOSE((double)grad[1], want, 0);
    kernels->embedding_backward(grad + 2, dy, ids, ROWS, 1);
    CHECK_CLOSE((double)grad[2], want, 0);
    memset(grad, 0, sizeof grad);
    kernels->add_rows(grad, 1, dy, ROWS, 1);
    kernels->muladd(grad + 1, 0, 1, dy, 1, (real[]){1}, 0, ROWS);
    CHECK_CLOSE((double)grad[0], want, 0);
    CHECK_CLOSE((double)grad[1], want, 0);

    /* One value under 4097 queries, and one query over 4097 equal keys whose values are 4097 times
     * dy. */
    Tape *tape = tape_new(1);
    Tensor *zeros = tape_leaf(tape, stats, shape2(ROWS, 1)),
           *one = tape_leaf(tape, stats, shape2(1, 1));
    Tensor *v = tape_leaf(tape, dy, shape2(1, 1));
    REQUIRE(ag_backward_from(ag_attention(zeros, one, v, (Mask){0}, 0), dy), "%s", tensor_error());
    CHECK_CLOSE((double)v->grad[0], want, 0);
    for (int i = 0; i < ROWS; i++)
        x[i] = ROWS * dy[i]; /* exact: 4097 * 2^24 */
    tape_reset(tape);
    memset(stats, 0, sizeof stats);
    Tensor *y =
        ag_attention(tape_leaf(tape, stats, shape2(1, 1)), tape_leaf(tape, stats, shape2(ROWS, 1)),
                     tape_leaf(tape, x, shape2(ROWS, 1)), (Mask){0}, 0);
    CHECK_CLOSE((double)y->data[0], want, 1); /* half the distance of floats there */
    tape_free(tape);
}

/* 0^2 + 1^2 + .. is known exactly, and a double keeps it; squares of 3e30 no float keeps. */
TEST_SETS(squares_keep_their_range)
{
    static real x[70001];
    const int64_t lengths[] = {0, 1, 31, 32, 33, 1000, 1055, 70001};
    for (int i = 0; i < 70001; i++)
        x[i] = (real)i;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        double n = (double)lengths[k];
        CHECK_CLOSE(kernels->squares(x, lengths[k]), (n - 1) * n * (2 * n - 1) / 6, 0);
    }
    x[70000] = (real)3e30;
    CHECK_CLOSE(kernels->squares(x, 70001), (double)x[70000] * (double)x[70000], 1e-12 * 9e60);
    x[3] = (real)NAN;
    CHECK(isnan(kernels->squares(x, 70001)), "a NaN was passed over");
}
