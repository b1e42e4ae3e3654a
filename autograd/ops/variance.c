/* The variance of all elements, or along one axis of length n.
 *   y       = sum_j (x_j - mean)^2 / m,  m = n - 1 (unbiased) or n
 *   dL/dx_i = dL/dy 2 (x_i - mean) / m
 * NaN where m is 0, as in PyTorch. */
#include "autograd/ops/reduce.h"

typedef struct {
    ReduceAttrs over; /* first: reduce.c reads it as its own */
    bool unbiased;
} VarianceAttrs;

static void variance_forward(Node *n)
{
    const VarianceAttrs *attrs = n->attrs;
    Reduction r = reduce_sizes(n);
    kernels->variance(n->out->data, n->in[0]->data, attrs->unbiased, r.outer, r.n, r.inner);
}

static void variance_backward(Node *n)
{
    const VarianceAttrs *attrs = n->attrs;
    const Tensor *x = n->in[0];
    Reduction r = reduce_sizes(n);
    kernels->variance_back(x->grad, n->out->grad, x->data, attrs->unbiased, r.outer, r.n, r.inner);
}

static Tensor *variance_call(Tensor **in, const double *arg)
{
    bool unbiased = arg[3] != 0;
    return arg[0] != 0 ? ag_variance(in[0], unbiased)
                       : ag_variance_axis(in[0], (int)arg[1], unbiased, arg[2] != 0);
}

/* args: all, axis, keepdim, unbiased */
static const OpSample variance_samples[] = {
    {.label = "all", .in = {SHAPE(3, 4)}, .inputs = 1, .arg = {1}},
    {.label = "all, unbiased", .in = {SHAPE(3, 4)}, .inputs = 1, .arg = {1, 0, 0, 1}},
    {.label = "middle, unbiased", .in = {SHAPE(2, 3, 4)}, .inputs = 1, .arg = {0, -2, 0, 1}},
    {.label = "last kept, unbiased", .in = {SHAPE(2, 3, 4)}, .inputs = 1, .arg = {0, -1, 1, 1}},
    {.label = "scalar, all", .in = {{0}}, .inputs = 1, .arg = {1}},
    REDUCE_AXIS_SAMPLES,
};
static const OpTest variance_test = {
    .call = variance_call,
    .oracle = "torch.var(a, unbiased=bool(n3)) if n0 else"
              " torch.var(a, n1, unbiased=bool(n3), keepdim=bool(n2))",
    .samples = variance_samples,
};

const Op op_variance = {
    .name = "variance",
    .required = 1,
    .shape = reduce_shape,
    .forward = variance_forward,
    .backward = variance_backward,
    .test = &variance_test,
};

Tensor *ag_variance(Tensor *x, bool unbiased)
{
    VarianceAttrs attrs = {.over = {.all = true}, .unbiased = unbiased};
    return ag_apply(&op_variance, (Tensor *[]){x}, 1, &attrs, sizeof attrs);
}

Tensor *ag_variance_axis(Tensor *x, int axis, bool unbiased, bool keepdim)
{
    VarianceAttrs attrs = {.over = {.axis = axis, .keepdim = keepdim}, .unbiased = unbiased};
    return ag_apply(&op_variance, (Tensor *[]){x}, 1, &attrs, sizeof attrs);
}
