/* x^p, element by element, p a number. Of x < 0 it gives NaN unless p is whole.
 *   dL/dx = dL/dy p x^(p-1),  0 for p = 0 */
#include "autograd/ops/op.h"

typedef struct {
    real p;
} PowAttrs;

static void pow_forward(Node *n)
{
    const PowAttrs *attrs = n->attrs;
    kernels->pow(n->out->data, n->in[0]->data, attrs->p, tensor_size(n->out));
}

static void pow_backward(Node *n)
{
    const PowAttrs *attrs = n->attrs;
    const Tensor *x = n->in[0], *y = n->out;
    kernels->pow_back(x->grad, y->grad, x->data, attrs->p, tensor_size(y));
}

static Tensor *pow_call(Tensor **in, const double *arg)
{
    return ag_pow(in[0], (real)arg[0]);
}

static const OpSample pow_samples[] = {
    {.label = "square", .in = {SHAPE(3, 4)}, .inputs = 1, .arg = {2}},
    {.label = "fractional", .in = {SHAPE(2, 3, 17)}, .inputs = 1, .arg = {-1.5}},
    {.label = "0", .in = {SHAPE(3)}, .inputs = 1, .arg = {0}},
    {.label = "1", .in = {SHAPE(3)}, .inputs = 1, .arg = {1}},
    {.label = "size 0", .in = {SHAPE(2, 0)}, .inputs = 1, .arg = {3}},
    {.label = "size 1", .in = {SHAPE(1)}, .inputs = 1, .arg = {-1}},
    {.label = "scalar", .in = {{0}}, .inputs = 1, .arg = {0.5}},
    {0},
};
static const OpTest pow_test = {
    .call = pow_call, .oracle = "torch.pow(a, n0)", .low = 0.3, .high = 3, .samples = pow_samples};

const Op op_pow = {
    .name = "pow",
    .required = 1,
    .shape = same_shape,
    .forward = pow_forward,
    .backward = pow_backward,
    .test = &pow_test,
};

Tensor *ag_pow(Tensor *x, real p)
{
    PowAttrs attrs = {p};
    return ag_apply(&op_pow, (Tensor *[]){x}, 1, &attrs, sizeof attrs);
}
