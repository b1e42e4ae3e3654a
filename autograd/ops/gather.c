/* Elements picked along an axis by ids, one id for each element of the result (as torch.gather).
 *   y[i, j, k] = x[i, ids[i, j, k], k]                   here along axis 1 of 3
 *   dL/dx[i, v, k] = sum of dL/dy[i, j, k] over all j with ids[i, j, k] = v
 * ids: of x's rank, along the other axes no longer than x -> y: the shape of ids.
 * Error: an id outside of the axis, with its position. */
#include "autograd/ops/op.h"

#include "tensor/walk.h"

typedef struct {
    int axis;
} GatherAttrs;

static int gather_axis(const Node *n)
{
    const GatherAttrs *attrs = n->attrs;
    return attrs->axis < 0 ? attrs->axis + n->in[0]->shape.rank : attrs->axis;
}

static bool ids_fit(const Node *n, int axis)
{
    const Tensor *x = n->in[0], *ids = n->in[1];
    bool fit = ids->shape.rank == x->shape.rank;
    for (int i = 0; fit && i < x->shape.rank; i++)
        fit = i == axis || ids->shape.dim[i] <= x->shape.dim[i];
    return fit || tensor_fail("gather: x is %s, ids are %s; need ids of the same rank, and no "
                              "longer than x but along axis %d",
                              tensor_describe(x), tensor_describe(ids), axis);
}

static bool gather_shape(const Node *n, Shape *y)
{
    const Tensor *x = n->in[0], *ids = n->in[1];
    const GatherAttrs *attrs = n->attrs;
    int axis = shape_axis(x->shape, attrs->axis, "gather");
    if (axis < 0 || !ids_fit(n, axis))
        return false;
    for (int64_t i = 0; i < tensor_size(ids); i++)
        if (ids->ids[i] < 0 || ids->ids[i] >= x->shape.dim[axis])
            return tensor_fail(
                "gather: id %d at position %lld of ids %s; axis %d of x %s has ids 0 to %lld",
                ids->ids[i], (long long)i, tensor_describe(ids), axis, tensor_describe(x),
                (long long)x->shape.dim[axis] - 1);
    *y = ids->shape;
    return true;
}

/* y, with its ids beside it, and x, which stands still along the axis: there the ids move it. */
static Walk gather_walk(const Node *n)
{
    int64_t strides[WALK_ARRAYS][TENSOR_MAX_RANK] = {{0}};
    walk_broadcast_strides(n->out, n->out->shape, strides[0]);
    walk_broadcast_strides(n->in[0], n->out->shape, strides[1]);
    strides[1][gather_axis(n)] = 0;
    Walk w;
    walk_begin(&w, n->out->shape, 2, strides);
    return w;
}

static void gather_forward(Node *n)
{
    const Tensor *x = n->in[0];
    const int32_t *ids = n->in[1]->ids;
    int64_t along = x->stride[gather_axis(n)];
    for (Walk w = gather_walk(n); !w.done; walk_next(&w))
        kernels->gather(n->out->data + w.offset[0], x->data + w.offset[1], w.inner[1],
                        ids + w.offset[0], along, w.length);
}

static void gather_backward(Node *n)
{
    const Tensor *x = n->in[0];
    const int32_t *ids = n->in[1]->ids;
    int64_t along = x->stride[gather_axis(n)];
    for (Walk w = gather_walk(n); !w.done; walk_next(&w))
        kernels->gather_back(x->grad + w.offset[1], w.inner[1], n->out->grad + w.offset[0],
                             ids + w.offset[0], along, w.length);
}

const Op op_gather = {
    .name = "gather",
    .required = 2,
    .ids = 1 << 1,
    .flags = OP_STRIDED,
    .shape = gather_shape,
    .forward = gather_forward,
    .backward = gather_backward,
};

Tensor *ag_gather(Tensor *x, int axis, Tensor *ids)
{
    GatherAttrs attrs = {axis};
    return ag_apply(&op_gather, (Tensor *[]){x, ids}, 2, &attrs, sizeof attrs);
}
