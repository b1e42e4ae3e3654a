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

const OpSample loss_samples[] = {
    {.label = "plain", .in = {SHAPE(3, 4), SHAPE(3, 4)}, .inputs = 2},
    {.label = "odd", .in = {SHAPE(2, 3, 17), SHAPE(2, 3, 17)}, .inputs = 2},
    {.label = "scalars", .in = {{0}, {0}}, .inputs = 2},
    {.label = "size 1", .in = {SHAPE(1, 1), SHAPE(1, 1)}, .inputs = 2},
    {.label = "size 0", .in = {SHAPE(2, 0), SHAPE(2, 0)}, .inputs = 2},
    {.label = "shape",
     .in = {SHAPE(3, 4), SHAPE(4, 3)},
     .inputs = 2,
     .fails = "a is (3, 4), b is (4, 3); need one shape"},
    {.label = "no broadcast", .in = {SHAPE(4, 1), SHAPE(4)}, .inputs = 2, .fails = "one shape"},
    {0},
};
