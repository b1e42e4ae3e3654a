/* test_large.c: numbers whose squares overflow have no squares in what they give: a norm of the
 * layer or by the root mean square, and the norm of gradients, are those of smaller numbers. */
#include "tests/autograd/on_tape.h"

#include "nn/nn.h"

#include <math.h>

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
