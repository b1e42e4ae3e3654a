/* reduce.c: the shape rule and the sizes of reductions, and the sum, which mean shares.
 *
 * Shape and sizes of a reduction follow from its attributes alone, so that forward, backward and
 * the error messages compute them where they are needed; nothing is stored in the node. */
#include "autograd/ops/shared/op.h"
#include "tensor/memory.h"

/* x with its axes in the order of their strides, the longest first: a reduction of all elements
 * does not depend on the order of the axes, and a permuted tensor needs no copy then. */
static Tensor *in_memory_order(Tensor *x)
{
    int axes[TENSOR_MAX_RANK];
    if (!x || !x->tape || x->ids || tensor_is_contiguous(x))
        return x;
    for (int i = 0; i < x->shape.rank; i++) {
        int at = i;
        for (; at > 0 && x->stride[axes[at - 1]] < x->stride[i]; at--)
            axes[at] = axes[at - 1];
        axes[at] = i;
    }
    return ag_permute(x, axes);
}

/* Along one axis, a strided operand is copied by ag_apply. */
Tensor *reduce_apply_as(const char *function, const Op *op, Tensor *x, ReduceAttrs attrs)
{
    if (attrs.all)
        x = in_memory_order(x);
    return apply_as(function, op, &x, 1, &attrs, sizeof attrs);
}

bool reduce_shape(const Node *n, Shape *y)
{
    const ReduceAttrs *attrs = n->attrs;
    Shape x = n->in[0]->shape;
    *y = shape0();
    if (attrs->all)
        return true;
    int axis = shape_axis(x, attrs->axis, n->function);
    if (axis < 0)
        return false;
    *y = reduced(x, axis, attrs->keepdim);
    return true;
}

Reduction reduce_sizes(const Node *n)
{
    const ReduceAttrs *attrs = n->attrs;
    Shape x = n->in[0]->shape;
    Reduction r = {1, 1, 1};
    if (attrs->all) {
        r.n = shape_size(x);
        return r;
    }
    int axis = attrs->axis < 0 ? attrs->axis + x.rank : attrs->axis;
    for (int i = 0; i < axis; i++)
        r.outer *= x.dim[i];
    r.n = x.dim[axis];
    for (int i = axis + 1; i < x.rank; i++)
        r.inner *= x.dim[i];
    return r;
}

void reduce_forward(Node *n, real alpha)
{
    Reduction r = reduce_sizes(n);
    kernels->sum(n->out->data, n->in[0]->data, alpha, r.outer, r.n, r.inner);
}

void reduce_backward(Node *n, real alpha)
{
    Reduction r = reduce_sizes(n);
    kernels->sum_backward(n->in[0]->grad, n->out->grad, alpha, r.outer, r.n, r.inner);
}
