/* The sum of all elements, or along one axis.
 *   dL/dx_i = dL/dy */
#include "autograd/ops/reduce.h"

static void sum_forward(Node *n)
{
    reduce_forward(n, 1);
}

static void sum_backward(Node *n)
{
    reduce_backward(n, 1);
}

static Tensor *sum_call(Tensor **in, const double *arg)
{
    return arg[0] != 0 ? ag_sum(in[0]) : ag_sum_axis(in[0], (int)arg[1], arg[2] != 0);
}

static const OpTest sum_test = {
    .call = sum_call,
    .oracle = "a.sum() if n0 else a.sum(int(n1), keepdim=bool(n2))",
    .samples = reduce_samples,
};

const Op op_sum = {
    .name = "sum",
    .required = 1,
    .shape = reduce_shape,
    .forward = sum_forward,
    .backward = sum_backward,
    .test = &sum_test,
};

Tensor *ag_sum(Tensor *x)
{
    ReduceAttrs attrs = {.all = true};
    return ag_apply(&op_sum, (Tensor *[]){x}, 1, &attrs, sizeof attrs);
}

Tensor *ag_sum_axis(Tensor *x, int axis, bool keepdim)
{
    ReduceAttrs attrs = {.axis = axis, .keepdim = keepdim};
    return ag_apply(&op_sum, (Tensor *[]){x}, 1, &attrs, sizeof attrs);
}
