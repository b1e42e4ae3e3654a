/* y = a where the mask is 1, b where it is 0. The three shapes broadcast by NumPy's rule.
 *   dL/da = dL/dy where the mask is 1, else 0;  dL/db = dL/dy where it is 0, else 0;
 *   summed over the axes along which the operand is broadcast
 * The mask takes no gradient. Error: a mask with another number than 0 and 1.
 * The loops: ref_select and ref_select_backward in tensor/kernels/ref/gather.c. */
#include "autograd/ops/shared/op.h"

#include "tensor/strided_rows.h"

/* Is every number of the mask 0 or 1? They are real: the mask may be the result of other ops. */
static bool mask_is_binary(const Node *n, const Tensor *mask)
{
    StridedElements e = strided_elements(mask);
    for (int64_t i = 0; i < tensor_size(mask); i++, strided_elements_next(&e))
        if (mask->data[e.at] != 0 && mask->data[e.at] != 1)
            return op_fail(n, "the mask, %s, has %g at element %lld; expected 0 or 1",
                           tensor_describe(mask), (double)mask->data[e.at], (long long)i);
    return true;
}

static bool where_shape(const Node *n, Shape *y)
{
    const Tensor *mask = n->in[0], *a = n->in[1], *b = n->in[2];
    Shape both;
    if (!shape_broadcast(a->shape, b->shape, &both) || !shape_broadcast(mask->shape, both, y))
        return op_fail(n,
                       "the mask is %s, a is %s, b is %s; expected shapes that broadcast: from the "
                       "last axis on, equal lengths or 1",
                       tensor_describe(mask), tensor_describe(a), tensor_describe(b));
    return mask_is_binary(n, mask);
}

/* y = x where the mask is `side`, row by row; x and the mask broadcast to y. */
static void select_forward(const Node *n, const Tensor *x, real side)
{
    const Tensor *y = n->out, *mask = n->in[0], *all[] = {y, x, mask};
    for (StridedRows w = strided_rows(y->shape, 3, all); !w.done; strided_rows_next(&w))
        kernels->select(y->data + w.offset[0], x->data + w.offset[1], w.inner[1],
                        mask->data + w.offset[2], w.inner[2], side, w.length);
}

/* x.grad += dy there. Where x was broadcast, its stride is 0 and all its gradients add up. */
static void select_backward(const Node *n, const Tensor *x, real side)
{
    const Tensor *y = n->out, *mask = n->in[0], *all[] = {y, x, mask};
    StridedRows w = strided_rows(y->shape, 3, all);
    for (; x->grad && !w.done; strided_rows_next(&w))
        kernels->select_backward(x->grad + w.offset[1], w.inner[1], y->grad + w.offset[0],
                                 mask->data + w.offset[2], w.inner[2], side, w.length);
}

static void where_forward(Node *n)
{
    select_forward(n, n->in[1], 1);
    select_forward(n, n->in[2], 0);
}

static void where_backward(Node *n)
{
    select_backward(n, n->in[1], 1);
    select_backward(n, n->in[2], 0);
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
