/* Elements along an axis, named by ids, one id for each element of the result, as torch.gather
 * does.
 *   y[i, j, k] = x[i, ids[i, j, k], k]                   here along axis 1 of 3
 *   dL/dx[i, v, k] = sum of dL/dy[i, j, k] over all j with ids[i, j, k] = v
 * ids: of x's rank, along the other axes no longer than x -> y: the shape of ids.
 * Error: an id outside the axis, with its position.
 * Use: the logit of the target class of each token, log p(target).
 * The loops: ref_gather and ref_gather_backward in tensor/kernels/ref/gather.c. */
#include "autograd/ops/shared/op.h"

#include "tensor/strided_rows.h"
#include "tensor/memory.h"

static bool gather_shape(const Node *n, Shape *y)
{
    const Tensor *x = n->in[0], *ids = n->in[1];
    int axis = shape_axis(x->shape, *(const int *)n->attrs, n->function);
    if (axis < 0)
        return false;
    bool fit = ids->shape.rank == x->shape.rank;
    for (int i = 0; fit && i < x->shape.rank; i++)
        fit = i == axis || ids->shape.dim[i] <= x->shape.dim[i];
    if (!fit)
        return op_fail(n,
                       "x is %s, ids are %s; expected ids of the same rank, no longer than x along "
                       "the axes other than %d",
                       tensor_describe(x), tensor_describe(ids), axis);
    for (int64_t i = 0; i < tensor_size(ids); i++)
        if (ids->ids[i] < 0 || ids->ids[i] >= x->shape.dim[axis])
            return op_fail(
                n, "id %d at position %lld of ids %s; expected 0 to %lld, along axis %d of x %s",
                ids->ids[i], (long long)i, tensor_describe(ids), (long long)x->shape.dim[axis] - 1,
                axis, tensor_describe(x));
    *y = ids->shape;
    return true;
}

/* The rows of y (and of the ids, which have its shape) and of x. x has stride 0 along the axis, as
 * the ids say which of its elements there is meant. */
static StridedRows gather_rows(const Node *n, int axis)
{
    Tensor x = *n->in[0];
    x.stride[axis] = 0;
    return strided_rows(n->out->shape, 2, (const Tensor *[]){n->out, &x});
}

static void gather_forward(Node *n)
{
    const Tensor *x = n->in[0];
    const int32_t *ids = n->in[1]->ids;
    int axis = axis_of(n, x->shape.rank);
    for (StridedRows w = gather_rows(n, axis); !w.done; strided_rows_next(&w))
        kernels->gather(n->out->data + w.offset[0], x->data + w.offset[1], w.inner[1],
                        ids + w.offset[0], x->stride[axis], w.length);
}

static void gather_backward(Node *n)
{
    const Tensor *x = n->in[0];
    const int32_t *ids = n->in[1]->ids;
    int axis = axis_of(n, x->shape.rank);
    for (StridedRows w = gather_rows(n, axis); !w.done; strided_rows_next(&w))
        kernels->gather_backward(x->grad + w.offset[1], w.inner[1], n->out->grad + w.offset[0],
                                 ids + w.offset[0], x->stride[axis], w.length);
}

const Op op_gather = {.name = "gather",
                      .ids = 1 << 1,
                      .strided = true,
                      .shape = gather_shape,
                      .forward = gather_forward,
                      .backward = gather_backward};

Tensor *ag_gather(Tensor *x, int axis, Tensor *ids)
{
    return op_apply(&op_gather, (Tensor *[]){x, ids}, 2, &axis, sizeof axis);
}
