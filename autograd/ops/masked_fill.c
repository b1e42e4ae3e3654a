/* x with one value instead of the elements where a mask is 1.
 *   dL/dx = dL/dy where the mask is 0, else exactly 0
 * x, and a mask that broadcasts to x -> the shape of x. Error: a mask with another number than 0 and 1.
 * Use: scores set to -infinity, so that softmax gives them the weight 0.
 * The loops: ref_select and ref_select_backward in tensor/kernels/ref/gather.c, through shared/select.c. */
#include "autograd/ops/shared/op.h"

static bool masked_fill_shape(const Node *n, Shape *y)
{
    const Tensor *x = n->in[0], *mask = n->in[1];
    if (!shape_broadcast(x->shape, mask->shape, y) || !shape_equal(*y, x->shape))
        return op_fail(n,
                       "x is %s, the mask is %s; expected a mask that broadcasts to x: from the "
                       "last axis on, x's lengths or 1",
                       tensor_describe(x), tensor_describe(mask));
    return select_check(n, mask);
}

/* Two selections: x where the mask is 0, the value, as a tensor of rank 0 that broadcasts, where it is 1. */
static void masked_fill_forward(Node *n)
{
    real value = *(const real *)n->attrs;
    Tensor number = {.data = &value};
    select_forward(n->out, n->in[0], n->in[1], 0);
    select_forward(n->out, &number, n->in[1], 1);
}

static void masked_fill_backward(Node *n)
{
    select_backward(n->in[0], n->out, n->in[1], 0);
}

const Op op_masked_fill = {.name = "masked_fill",
                           .strided = true,
                           .shape = masked_fill_shape,
                           .forward = masked_fill_forward,
                           .backward = masked_fill_backward};

Tensor *ag_masked_fill(Tensor *x, Tensor *mask, real value)
{
    return op_apply(&op_masked_fill, (Tensor *[]){x, mask}, 2, &value, sizeof value);
}
