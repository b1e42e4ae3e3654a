/* y = a where the mask is 1, b where it is 0. The three shapes broadcast by NumPy's rule.
 *   dL/da = dL/dy where the mask is 1, else 0;  dL/db = dL/dy where it is 0, else 0;
 *   summed over the axes along which the operand is broadcast
 * The mask takes no gradient. Error: a mask with another number than 0 and 1.
 * The loops: ref_select and ref_select_backward in tensor/kernels/ref/gather.c, through shared/select.c. */
#include "autograd/ops/shared/op.h"

/* The operands are mask, a, b; y has the shape to which all three broadcast. */
static bool where_shape(const Node *n, Shape *y)
{
    const Tensor *mask = n->in[0], *a = n->in[1], *b = n->in[2];
    Shape both;
    if (!shape_broadcast(a->shape, b->shape, &both) || !shape_broadcast(mask->shape, both, y))
        return op_fail(n,
                       "the mask is %s, a is %s, b is %s; expected shapes that broadcast: from the "
                       "last axis on, equal lengths or 1",
                       tensor_describe(mask), tensor_describe(a), tensor_describe(b));
    return select_check(n, mask);
}

static void where_forward(Node *n)
{
    select_forward(n->out, n->in[1], n->in[0], 1);
    select_forward(n->out, n->in[2], n->in[0], 0);
}

static void where_backward(Node *n)
{
    select_backward(n->in[1], n->out, n->in[0], 1);
    select_backward(n->in[2], n->out, n->in[0], 0);
}

const Op op_where = {.name = "where",
                     .strided = true,
                     .shape = where_shape,
                     .forward = where_forward,
                     .backward = where_backward};

Tensor *ag_where(Tensor *mask, Tensor *a, Tensor *b)
{
    return op_apply(&op_where, (Tensor *[]){mask, a, b}, 3, NULL, 0);
}
