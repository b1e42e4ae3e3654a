/* test_op_values.c: what ops must give where the samples of test_ops.c do not come: numbers that
 * overflow, NaNs that must not spread, and answers that are known without computing. */
#include "tests/harness/runner.h"

#include "autograd/autograd.h"

#include <math.h>

/* A few roundings of numbers near 1. */
static const double rounding = sizeof(real) == sizeof(double) ? 1e-14 : 1e-6;

/* ---- losses ---------------------------------------------------------------------------------- */

/* exp(1000) overflows even in double; the loss of a logit that is quite wrong is its size. */
static void logits_of_any_size(void)
{
    static const struct {
        real logit, target, loss, slope;
    } known[] = {
        {1000, 1, 0, 0},  {1000, 0, 1000, 1},    {-1000, 1, 1000, -1},
        {-1000, 0, 0, 0}, {1000, 0.5, 500, 0.5}, {0, 1, (real)M_LN2, -0.5},
    };
    Tape *tape = tape_new(1);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        tape_reset(tape);
        Tensor *x = tape_leaf(tape, &known[i].logit, shape1(1));
        Tensor *t = tape_leaf(tape, &known[i].target, shape1(1));
        Tensor *loss = ag_bce_with_logits(x, t);
        CHECK(ag_backward(loss), "%s", tensor_error());
        CHECK_CLOSE(tensor_item(loss), known[i].loss, rounding);
        CHECK_CLOSE(x->grad[0], known[i].slope, rounding);
        CHECK_CLOSE(t->grad[0], -known[i].logit, 0);
    }
    tape_free(tape);
}

/* KL(N(m, s^2) || N(0, 1)) = (m^2 + s^2 - 1) / 2 - log s: 0 at m = 0, s = 1, where the slope is 0
 * too. */
static void distance_of_gaussians(void)
{
    static const real m[] = {0, 3, 0, -1}, s[] = {1, 1, 2, 0.5};
    Tape *tape = tape_new(1);
    double all = 0;
    real v[4];
    for (int i = 0; i < 4; i++) {
        v[i] = (real)(2 * log((double)s[i]));
        double want = ((double)m[i] * m[i] + (double)s[i] * s[i] - 1) / 2 - log((double)s[i]);
        all += want;
        tape_reset(tape);
        Tensor *mean = tape_leaf(tape, &m[i], shape0()),
               *variance = tape_leaf(tape, &v[i], shape0());
        Tensor *kl = ag_gaussian_kl(mean, variance);
        CHECK(ag_backward(kl), "%s", tensor_error());
        CHECK_CLOSE(tensor_item(kl), want, 4 * rounding);
        CHECK_CLOSE(mean->grad[0], m[i], 0);
        CHECK_CLOSE(variance->grad[0], (s[i] * s[i] - 1) / 2, rounding);
    }
    tape_reset(tape);
    Tensor *together =
        ag_gaussian_kl(tape_input(tape, m, shape2(2, 2)), tape_input(tape, v, shape2(2, 2)));
    CHECK_CLOSE(tensor_item(together), all, 10 * rounding); /* it is the sum, not the mean */
    tape_free(tape);
}

/* Against softened targets the best logits are log q, q the softened shares: there the loss is the
 * entropy of q and the gradient zero. */
static void best_logits_under_smoothing(void)
{
    enum { V = 5, TARGET = 3 };
    const double e = 0.25;
    real logits[V];
    double entropy = 0;
    for (int j = 0; j < V; j++) {
        double q = (j == TARGET ? 1 - e : 0) + e / V;
        logits[j] = (real)log(q);
        entropy -= q * log(q);
    }
    Tape *tape = tape_new(1);
    Tensor *x = tape_leaf(tape, logits, shape2(1, V));
    Tensor *target = tape_ids(tape, (int[]){TARGET}, shape1(1));
    Tensor *loss = ag_cross_entropy_smooth(x, target, -100, (real)e);
    CHECK(ag_backward(loss), "%s", tensor_error());
    CHECK_CLOSE(tensor_item(loss), entropy, 4 * rounding);
    for (int j = 0; j < V; j++)
        CHECK_CLOSE(x->grad[j], 0, rounding);
    tape_free(tape);
}

/* ---- picking --------------------------------------------------------------------------------- */

/* What is not picked has no effect, NaN or not, neither forward nor backward. */
static void nan_is_not_picked(void)
{
    const real mask[] = {1, 0}, good[] = {2, (real)NAN}, bad[] = {(real)NAN, 3};
    Tape *tape = tape_new(1);
    Tensor *a = tape_leaf(tape, good, shape1(2)), *b = tape_leaf(tape, bad, shape1(2));
    Tensor *y = ag_where(tape_input(tape, mask, shape1(2)), a, b);
    CHECK_CLOSE(y->data[0], 2, 0);
    CHECK_CLOSE(y->data[1], 3, 0);
    CHECK(ag_backward_from(y, (real[]){(real)INFINITY, 5}), "%s", tensor_error());
    CHECK(isinf(a->grad[0]), "dL/da[0] is %g", (double)a->grad[0]);
    CHECK_CLOSE(a->grad[1], 0, 0);
    CHECK_CLOSE(b->grad[0], 0, 0);
    CHECK_CLOSE(b->grad[1], 5, 0);
    tape_free(tape);
}

/* ---- convolution ----------------------------------------------------------------------------- */

/* The patch embedding of a vision transformer: the patches of an image, laid out flat, times a
 * matrix. */
static void patches_are_tokens(void)
{
    enum { C = 2, H = 4, W = 6, P = 2, D = 3, PATCH = C * P * P, TOKENS = H / P * (W / P) };
    Tape *tape = tape_new(1);
    Rng r = {.seed = 1};
    real image[C * H * W], weight[D * PATCH];
    for (int i = 0; i < C * H * W; i++)
        image[i] = (real)rng_normal(&r);
    for (int i = 0; i < D * PATCH; i++)
        weight[i] = (real)rng_normal(&r);
    Tensor *x = tape_input(tape, image, shape3(C, H, W));
    Tensor *y = ag_conv2d(x, tape_input(tape, weight, shape4(D, C, P, P)), NULL, P, 0);
    Tensor *tokens = ag_transpose(ag_reshape(y, shape2(D, TOKENS)), 0, 1);

    Tensor *cut = ag_reshape(x, shape5(C, H / P, P, W / P, P)); /* to (row, column, c, i, j) */
    Tensor *flat = ag_reshape(ag_permute(cut, (int[]){1, 3, 0, 2, 4}), shape2(TOKENS, PATCH));
    Tensor *want = ag_linear(flat, tape_input(tape, weight, shape2(D, PATCH)), NULL);
    CHECK_TENSOR(tokens, want, 10 * rounding, 10 * rounding);
    tape_free(tape);
}

/* A kernel that is 1 in the middle, or before it, moves the sequence by so much; zeros come in. */
static void kernel_of_one_tap(void)
{
    const real x[] = {1, 2, 3, 4};
    const real want[3][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 0}};
    Tape *tape = tape_new(1);
    for (int tap = 0; tap < 3; tap++) {
        tape_reset(tape);
        real weight[3] = {0};
        weight[tap] = 1;
        Tensor *y = ag_conv1d(tape_input(tape, x, shape2(1, 4)),
                              tape_input(tape, weight, shape3(1, 1, 3)), NULL, 1, 1);
        for (int i = 0; i < 4; i++)
            CHECK_CLOSE(y->data[i], want[tap][i], 0);
    }
    tape_free(tape);
}

/* ---- elements -------------------------------------------------------------------------------- */

/* -x is the number with the other sign, to the bit; so is dL/dx with that of dL/dy. */
static void the_negative_has_the_other_sign(void)
{
    static const real numbers[] = {2, -0.5, 0, (real)INFINITY}, upstream[] = {1, -3, 0.25, 7};
    Tape *tape = tape_new(1);
    Tensor *x = tape_leaf(tape, numbers, shape1(4)), *y = ag_neg(x);
    CHECK(ag_backward_from(y, upstream), "%s", tensor_error());
    for (int i = 0; i < 4; i++) {
        CHECK(y->data[i] == -numbers[i], "-(%g) is %g", (double)numbers[i], (double)y->data[i]);
        CHECK(x->grad[i] == -upstream[i], "dL/dx is %g", (double)x->grad[i]);
    }
    CHECK(signbit(y->data[2]), "-0 has no sign");
    tape_free(tape);
}

static const TestCase cases[] = {
    {"the negative has the other sign", the_negative_has_the_other_sign},
    {"binary cross-entropy of logits of any size", logits_of_any_size},
    {"the distance of known Gaussians", distance_of_gaussians},
    {"the best logits under label smoothing", best_logits_under_smoothing},
    {"a NaN that is not picked has no effect", nan_is_not_picked},
    {"a convolution of patches is a linear map of tokens", patches_are_tokens},
    {"a kernel of one tap moves the sequence", kernel_of_one_tap},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("op values", cases, argc, argv);
}
