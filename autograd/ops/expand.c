/* x repeated along its axes of length 1, and along new axes in front of them, as torch.expand does.
 *   y[i, j] = x[0, j],  dL/dx[0, j] = sum_i dL/dy[i, j]          here along axis 0
 * x -> the given shape; a length of -1 is x's own. Ops that broadcast do not need it.
 * Error: a length that differs from x's where x's is not 1. Forward copies; backward sums over the
 * repeated elements.
 * The loops: ref_copy and ref_muladd in kernels/ref/elementwise.c, through shared/broadcast.c. */
#include "autograd/ops/shared/op.h"

static bool expand_shape(const Node *n, Shape *y)
{
    Shape x = n->in[0]->shape, wanted = *(const Shape *)n->attrs;
    int added = wanted.rank - x.rank;
    if (wanted.rank > TENSOR_MAX_RANK || added < 0)
        return op_fail(n, "x is %s, the shape %s; expected %d to %d axes",
                       tensor_describe(n->in[0]), shape_str(wanted), x.rank, TENSOR_MAX_RANK);
    *y = wanted;
    for (int i = 0; i < y->rank; i++) {
        int64_t own = i < added ? 1 : x.dim[i - added];
        if (y->dim[i] == -1 && i >= added)
            y->dim[i] = own;
        if (y->dim[i] < 0 || (own != 1 && y->dim[i] != own))
            return op_fail(n,
                           "x is %s, the shape %s; expected x's lengths or -1 from the last axis "
                           "on, or any where x's is 1",
                           tensor_describe(n->in[0]), shape_str(wanted));
    }
    return true;
}

const Op op_expand = {.name = "expand",
                      .strided = true,
                      .shape = expand_shape,
                      .forward = copy_forward,
                      .backward = copy_backward};

Tensor *ag_expand(Tensor *x, Shape shape)
{
    return op_apply(&op_expand, (Tensor *[]){x}, 1, &shape, sizeof shape);
}
