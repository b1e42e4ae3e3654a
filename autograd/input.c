/* input.c: numbers, token ids and weights on the tape.
 *
 * Numbers and ids are copied, so that the program may reuse its buffers at once. A weight is not
 * copied: it stands on the tape as a view, which shares the weight's numbers and gradient. */
#include "autograd/tape.h"

#include <string.h>

/* A constant with a copy of the numbers; errors begin with `function`. */
static Tensor *input(Tape *tape, const real *data, Shape shape, const char *function)
{
    if (!tape_accepts(tape, shape, function))
        return tensor_poison();
    int64_t n = shape_size(shape);
    if (!data && n > 0)
        return tape_error(tape, "%s: data is NULL; expected %lld numbers", function, (long long)n);
    Tensor *t = tape_tensor(tape, shape);
    if (!t)
        return tape_fail(tape);
    if (n > 0)
        memcpy(t->data, data, (size_t)n * sizeof *data);
    return t;
}

Tensor *tape_input(Tape *tape, const real *data, Shape shape)
{
    return input(tape, data, shape, "tape_input");
}

/* A leaf has no node: backward never releases its gradient. */
Tensor *tape_leaf(Tape *tape, const real *data, Shape shape)
{
    Tensor *t = input(tape, data, shape, "tape_leaf");
    if (!tensor_is_poison(t))
        t->needs_grad = true;
    return t;
}

Tensor *tape_ids(Tape *tape, const int32_t *ids, Shape shape)
{
    if (!tape_accepts(tape, shape, "tape_ids"))
        return tensor_poison();
    int64_t n = shape_size(shape);
    if (!ids && n > 0)
        return tape_error(tape, "tape_ids: ids is NULL; expected %lld whole numbers", (long long)n);
    Tensor *t = tape_header(tape, shape);
    if (!t || !(t->ids = tape_memory(tape, (size_t)n * sizeof *t->ids)))
        return tape_fail(tape);
    if (n > 0)
        memcpy(t->ids, ids, (size_t)n * sizeof *ids);
    return t;
}

Tensor *tape_full(Tape *tape, double value, Shape shape)
{
    if (!tape_accepts(tape, shape, "tape_full"))
        return tensor_poison();
    Tensor *t = tape_tensor(tape, shape);
    if (!t)
        return tape_fail(tape);
    for (int64_t i = 0; i < tensor_size(t); i++)
        t->data[i] = (real)value;
    return t;
}

Tensor *tape_param(Tape *tape, Tensor *weight)
{
    if (!tape_accepts(tape, shape0(), "tape_param"))
        return tensor_poison();
    if (!weight)
        return tape_error(tape, "tape_param: the weight is NULL; expected a tensor");
    if (tensor_is_poison(weight))
        return tape_fail(tape);
    if (!tape_is_current(weight, "tape_param"))
        return tape_fail(tape);
    if (weight->tape == tape)
        return weight;
    if (weight->tape || weight->ids)
        return tape_error(tape, "tape_param: %s %s; expected a weight", tensor_describe(weight),
                          weight->ids ? "holds whole numbers" : "is on another tape");
    Tensor *t = tape_header(tape, weight->shape);
    if (!t)
        return tape_fail(tape);
    t->base = weight;
    t->data = weight->data;
    memcpy(t->stride, weight->stride, sizeof t->stride);
    t->needs_grad = weight->needs_grad && !tape->no_grad;
    tensor_set_name(t, "%s", weight->name);
    return t;
}
