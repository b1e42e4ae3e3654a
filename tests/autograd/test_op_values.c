/* test_op_values.c: what ops must give where the samples of test_ops.c do not come: numbers that
 * overflow, NaNs that must not spread, the sign of zero. */
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
    {"a NaN that is not picked has no effect", nan_is_not_picked},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("op values", cases, argc, argv);
}
