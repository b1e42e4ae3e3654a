/* ops.c: ops of the installed library that no other program of the project uses, against C's
 * mathematics. Ends with 0 if all agree. */
#include <gradus.h>

#include "checks.h"

static const real number[] = {(real)0.5, 1, 2, 3, (real)0.25, 4};

/* Rows 0.5 1 2 and 3 0.25 4. */
static void check_values(Tape *tape)
{
    Tensor *x = tape_input(tape, number, shape2(2, 3)), *part[3];
    int64_t first = 0, at[] = {0, 2}, none[] = {0, 0};
    const double tanh_of_2 = tanh(sqrt(2 / 3.141592653589793) * (2 + 0.044715 * 8));
    Tensor *mask = tape_input(tape, (real[]){0, 0, 1}, shape1(3));
    CHECK_NEAR(tensor_get(ag_gelu_tanh(x), at), 0.5 * 2 * (1 + tanh_of_2), "ag_gelu_tanh");
    CHECK_NEAR(tensor_get(ag_max_axis(x, 1, false), &first), 2, "ag_max_axis");
    CHECK_NEAR(tensor_get(ag_where(mask, x, ag_scale(x, 10)), none), 5, "ag_where");
    CHECK_NEAR(tensor_get(ag_maximum(x, ag_neg(x)), at), 2, "ag_maximum");
    CHECK_NEAR(tensor_get(ag_minimum(x, ag_neg(x)), at), -2, "ag_minimum");
    CHECK_NEAR(tensor_get(ag_clamp(ag_shift(x, -1), -0.25, 0.5), at), 0.5, "ag_shift, ag_clamp");
    CHECK(ag_split(x, 1, part, 3) && shape_equal(part[2]->shape, shape2(2, 1)), "ag_split");
}

/* A loss of x^2 in which one factor is a constant: dL/dx = 0.5, and the gradient of x y is kept. */
static void check_gradients(Tape *tape)
{
    tape_reset(tape);
    Tensor *x = tape_leaf(tape, number, shape1(1));
    Tensor *y = ag_keep(ag_mul(x, ag_detach(x)));
    CHECK(ag_backward(ag_sum(y)), "ag_backward");
    CHECK_NEAR(x->grad[0], 0.5, "ag_detach");
    CHECK_NEAR(tensor_item(ag_grad(y)), 1, "ag_keep, ag_grad");
}

/* 3 / sqrt((3^2 + 4^2) / 2), with a gain of 1. */
static void check_rmsnorm(Tape *tape)
{
    Params *p = params_new(1);
    Norm norm;
    int64_t first[] = {0, 0};
    CHECK(nn_rmsnorm_init(&norm, p, "norm", 2), "nn_rmsnorm_init");
    Tensor *x = tape_input(tape, (real[]){3, 4}, shape2(1, 2));
    CHECK_NEAR(tensor_get(nn_norm(&norm, x), first), 3 / sqrt(12.5), "nn_norm");
    params_free(p);
}

int main(void)
{
    Tape *tape = tape_new(1);
    check_values(tape);
    check_gradients(tape);
    check_rmsnorm(tape);
    tape_free(tape);
    return wrong != 0;
}
