/* loss.c: see loss.h. */
#include "autograd/ops/loss.h"

bool loss_shape(const Node *n, Shape *y)
{
    const Tensor *a = n->in[0], *b = n->in[1];
    *y = shape0();
    return shape_equal(a->shape, b->shape) ||
           tensor_fail("%s: a is %s, b is %s; need one shape", n->op->name, tensor_describe(a),
                       tensor_describe(b));
}
