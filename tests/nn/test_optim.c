/* test_optim.c: Adam with gradients for which epsilon matters, and with weight decay; clipping;
 * learning rates against PyTorch's OneCycleLR and at the ends of their formulas; norms of numbers
 * whose squares overflow. Training with each optimiser against PyTorch's: test_golden_nn.c. */
#include "tests/autograd/on_tape.h"

#include "nn/nn.h"
#include "tests/harness/oracle.h"

#include <math.h>

/* Float weights of size 1 after three steps: a dozen roundings. */
static const double CLOSE = sizeof(real) == sizeof(double) ? 1e-14 : 1e-6;

/* The first step takes each number by rate g / (|g| + epsilon), and leaves no gradient. */
TEST_OF_WEIGHTS(epsilon)
{
    Adam adam;
    Tensor *w = params_add(p, "w", shape1(2), nn_constant(1));
    CHECK(adam_init(&adam, p, 0.5), "%s", tensor_error());
    w->grad[0] = (real)2e-8;
    w->grad[1] = -3;
    CHECK(adam_step(&adam, p) && adam.steps == 1, "%s", tensor_error());
    CHECK_CLOSE(w->data[0], 1 - 0.5 * 2e-8 / (2e-8 + 1e-8), CLOSE);
    CHECK_CLOSE(w->data[1], 1 + 0.5 * 3 / (3 + 1e-8), CLOSE);
    CHECK(w->grad[0] == 0 && w->grad[1] == 0, "a gradient is left");
    adam_free(&adam);
}

/* With decay_matrices the weights of rank 2 decay alone, with either kind of decay. */
TEST(matrices_decay_alone)
{
    for (int decoupled = 0; decoupled < 2; decoupled++) {
        Params *p = params_new(1);
        Tensor *matrix = params_add(p, "matrix", shape2(1, 2), nn_constant(1)),
               *bias = params_add(p, "bias", shape1(2), nn_constant(1));
        Adam adam;
        CHECK(adamw_init(&adam, p, 0.5, 0.2), "%s", tensor_error());
        CHECK(!adam.decay_matrices, "it is the default");
        adam.decoupled = decoupled;
        adam.decay_matrices = true;
        CHECK(adam_step(&adam, p), "%s", tensor_error());
        /* without a gradient: w - rate decay w; else the step of Adam for g = decay w, which is its
         * rate times g / (g + epsilon) */
        CHECK_CLOSE(matrix->data[1], decoupled ? 0.9 : 1 - 0.5 * 0.2 / (0.2 + adam.epsilon), CLOSE);
        CHECK(bias->data[0] == 1 && bias->data[1] == 1, "a bias decays to %g",
              (double)bias->data[0]);
        adam_free(&adam);
        params_free(p);
    }
}

/* ---- clipping -------------------------------------------------------------------------------- */

TEST_OF_WEIGHTS(clipping)
{
    Tensor *a = params_add(p, "a", shape1(1), nn_constant(0));
    Tensor *b = params_add(p, "b", shape1(1), nn_constant(0));
    Tensor *frozen = params_add(p, "frozen", shape1(1), nn_constant(0));
    frozen->grad[0] = 100;
    params_freeze(p, "frozen", true);
    a->grad[0] = 3;
    b->grad[0] = -4;
    CHECK_CLOSE(params_grad_norm(p), 5, 0);
    CHECK_CLOSE(params_clip_grad(p, 6), 5, 0);
    CHECK(a->grad[0] == 3 && b->grad[0] == -4, "a short gradient was clipped");
    CHECK_CLOSE(params_clip_grad(p, 1), 5, 0);
    CHECK_CLOSE(a->grad[0], 0.6, 1e-7); /* one rounding */
    CHECK_CLOSE(b->grad[0], -0.8, 1e-7);
}

/* Many weights, shared by threads as one row: the first step takes each number by rate g / (|g| +
 * epsilon), whose epsilon of 1e-8 is left out here, and a frozen weight among them stays. */
TEST_OF_WEIGHTS(adam_reaches_every_number)
{
    static const int64_t size[] = {3, 20011, 1, 7000, 0, 64, 30001};
    enum { WEIGHTS = sizeof size / sizeof *size, FROZEN = 3 };
    Adam adam;
    for (int k = 0; k < WEIGHTS; k++)
        params_add(p, params_path(p, "w%d", k), shape1(size[k]), nn_constant(1));
    params_freeze(p, "w3", true);
    adam_init(&adam, p, 0.25);
    for (int k = 0; k < WEIGHTS; k++)
        for (int64_t i = 0; p->weight[k]->grad && i < size[k]; i++)
            p->weight[k]->grad[i] = i % 2 ? 2 : -1;
    tensor_set_threads(3);
    CHECK(adam_step(&adam, p), "%s", tensor_error());
    tensor_set_threads(0);
    int64_t wrong = 0;
    for (int k = 0; k < WEIGHTS; k++)
        for (int64_t i = 0; i < size[k]; i++) {
            double want = k == FROZEN ? 1 : i % 2 ? 0.75 : 1.25;
            const real *grad = p->weight[k]->grad;
            wrong += fabs((double)p->weight[k]->data[i] - want) > 1e-6 || (grad && grad[i] != 0);
        }
    CHECK(wrong == 0, "%d numbers are wrong", (int)wrong);
    adam_free(&adam);
}

/* ---- learning rates -------------------------------------------------------------------------- */

TEST(one_cycle_is_pytorch)
{
    Safetensors golden;
    REQUIRE(oracle_open(&golden, "modules.safetensors"), "%s", tensor_error());
    static const int totals[] = {2, 10, 100, 101};
    for (int i = 0; i < 4; i++) {
        int total = totals[i];
        const Tensor *want = oracle_find(&golden, "one_cycle.%d", total);
        REQUIRE(want && tensor_size(want) == total, "no oracle for %d steps", total);
        for (int step = 0; step < total; step++) /* the file keeps floats: half a unit of 0.5 */
            CHECK(fabs(nn_one_cycle(step, total, 0.5) - want->data[step]) <= 3e-8,
                  "step %d of %d: %.9g, not %.9g", step, total, nn_one_cycle(step, total, 0.5),
                  (double)want->data[step]);
    }
    safetensors_free(&golden);
    CHECK_CLOSE(nn_one_cycle(5000, 100, 1), 1 / 250e3, 0); /* it ends where PyTorch stops */
    CHECK_CLOSE(nn_one_cycle(0, 1, 1), 1 / 250e3, 0);
}

/* d^-1/2 min(n^-1/2, n w^-3/2): a line to n = w, then the inverse root. */
TEST(noam_is_its_formula)
{
    const double top = 1 / sqrt(512. * 4000); /* at n = w both are w^-1/2 */
    CHECK_CLOSE(nn_noam(3999, 512, 4000, 1), top, 1e-15);
    CHECK_CLOSE(nn_noam(0, 512, 4000, 1), top / 4000, 1e-18);
    CHECK_CLOSE(nn_noam(1999, 512, 4000, 1), top / 2, 1e-15);
    CHECK_CLOSE(nn_noam(15999, 512, 4000, 1), top / 2, 1e-15);
    CHECK_CLOSE(nn_noam(3999, 512, 4000, 2), 2 * top, 1e-15);
    CHECK_CLOSE(nn_noam(3, 4, 0, 1), 0.25, 1e-15); /* without a warm-up: 1/2 times 1/2 */
}

/* Up by 0.2 a step, then down a half cosine or a line. */
TEST(warmup_and_a_fall)
{
    static const struct {
        int64_t step;
        double cosine, linear;
    } corners[] = {{0, 0.2, 0.2},
                   {4, 1, 1},
                   {9, 2, 2},
                   {10, 2, 2},
                   {35, 1.25 + 0.75 * M_SQRT1_2, 1.625},
                   {60, 1.25, 1.25},
                   {85, 1.25 - 0.75 * M_SQRT1_2, 0.875},
                   {110, 0.5, 0.5},
                   {111, 0.5, 0.5},
                   {1000000, 0.5, 0.5}};
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++) {
        CHECK_CLOSE(nn_warmup_cosine(corners[i].step, 10, 110, 2, 0.5), corners[i].cosine, 1e-14);
        CHECK_CLOSE(nn_warmup_linear(corners[i].step, 10, 110, 2, 0.5), corners[i].linear, 1e-14);
    }
    double (*const kinds[])(int64_t, int64_t, int64_t, double, double) = {(nn_warmup_cosine),
                                                                          (nn_warmup_linear)};
    for (int i = 0; i < 2; i++) {
        CHECK_CLOSE(kinds[i](0, 0, 10, 3, 0), 3, 0);  /* without a warm-up */
        CHECK_CLOSE(kinds[i](5, 0, 0, 3, 1), 1, 0);   /* without anything  */
        CHECK_CLOSE(kinds[i](9, 10, 10, 3, 1), 3, 0); /* a warm-up alone   */
        CHECK_CLOSE(kinds[i](10, 10, 10, 3, 1), 1, 0);
        /* Half-way from -2^63 to 2^63 - 1: no difference of these numbers fits into 64 bits. */
        CHECK_CLOSE(kinds[i](0, INT64_MIN, INT64_MAX, 1, 0), 0.5, 1e-14);
    }
}

/* ---- large numbers --------------------------------------------------------------------------- */

enum { ROWS = 3, C = 21 };

/* Above the root of the largest real, and a power of two, so that scaling rounds nothing. */
static const real large = sizeof(real) == 4 ? (real)0x1p64 : (real)0x1p520;

/* A few roundings of sums of C numbers. */
static const double close = 4 * C * (sizeof(real) == 4 ? 0x1p-24 : 0x1p-53);

/* Rows 0 and 2 are large, row 1 is not. */
static double factor_of(int row)
{
    return row == 1 ? 1 : (double)large;
}

/* The result and dL/dx, for L the sum of y_i (i % 5), of x with and without the factor. Without
 * epsilon, which a large row does not feel, both are equal but for the factor of the gradient. */
static void norm_of_large_rows(NormKind kind)
{
    real x[2][ROWS * C], weight[ROWS * C], dx[2][ROWS * C], y[2][ROWS * C];
    Tape *tape = tape_new(1);
    Params *p = params_new(1);
    Norm n;
    REQUIRE(kind == NORM_RMS ? nn_rmsnorm_init(&n, p, "norm", C)
                             : nn_layernorm_init(&n, p, "norm", C),
            "%s", tensor_error());
    n.epsilon = sizeof(real) == 4 ? (real)1e-30 : (real)1e-300;
    for (int i = 0; i < ROWS * C; i++) {
        x[0][i] = (real)(i % 7 - 2.5 + 0.125 * (i / C));
        x[1][i] = (real)(x[0][i] * factor_of(i / C));
        weight[i] = (real)(i % 5);
    }
    for (int pass = 0; pass < 2; pass++) {
        tape_reset(tape);
        Tensor *in = tape_leaf(tape, x[pass], shape2(ROWS, C));
        Tensor *out = nn_norm(&n, in);
        REQUIRE(ag_backward_from(out, weight), "%s", tensor_error());
        for (int i = 0; i < ROWS * C; i++) {
            y[pass][i] = out->data[i];
            dx[pass][i] = in->grad[i];
        }
    }
    for (int i = 0; i < ROWS * C; i++) {
        CHECK(fabs((double)y[1][i] - (double)y[0][i]) <= close * 3, "y %d is %g; expected %g", i,
              (double)y[1][i], (double)y[0][i]);
        CHECK(fabs((double)dx[1][i] * factor_of(i / C) - (double)dx[0][i]) <= close * 8,
              "dx %d is %g; expected %g", i, (double)dx[1][i] * factor_of(i / C), (double)dx[0][i]);
    }
    params_free(p);
    tape_free(tape);
}

TEST(norms)
{
    norm_of_large_rows(NORM_LAYER);
    norm_of_large_rows(NORM_RMS);
}

/* 3, 4 and 12 times a large number have the norm 13 times it, and are clipped, not set to 0. */
TEST_OF_WEIGHTS(norm_of_gradients)
{
    Tensor *w = params_add(p, "w", shape1(3), nn_constant(0));
    REQUIRE(w && w->grad, "%s", tensor_error());
    for (int i = 0; i < 3; i++)
        w->grad[i] = (real)(large * (real[]){3, -4, 12}[i]);
    CHECK(fabs(params_grad_norm(p) / (double)large - 13) <= 13 * close, "%g", params_grad_norm(p));
    params_clip_grad(p, 26);
    for (int i = 0; i < 3; i++)
        CHECK(fabs((double)w->grad[i] - (double)(real[]){6, -8, 24}[i]) <= 24 * close, "%g",
              (double)w->grad[i]);
    w->grad[1] = (real)INFINITY;
    CHECK(!isfinite(params_grad_norm(p)), "%g", params_grad_norm(p));
}
