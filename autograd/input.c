/* input.c: putting numbers on the tape.
 *
 * Batches, labels and lengths are copied, so that the program's buffers are its own again at once. What the
 * tape owns is gone with its reset. */
#include "autograd/tape.h"

#include <string.h>

static Tensor *input(Tape *tape, const real *data, Shape shape, const char *who)
{
    if (!tape_accepts(tape, shape, who))
        return tensor_poison();
    int64_t n = shape_size(shape);
    if (!data && n > 0)
        return tape_error(tape, "%s: data is NULL, expected %lld numbers", who, (long long)n);
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

Tensor *tape_leaf(Tape *tape, const real *data, Shape shape)
{
    Tensor *t = input(tape, data, shape, "tape_leaf");
    if (!tensor_is_poison(t))
        t->needs_grad = t->keep_grad = true;
    return t;
}

Tensor *tape_ids(Tape *tape, const int *ids, Shape shape)
{
    if (!tape_accepts(tape, shape, "tape_ids"))
        return tensor_poison();
    int64_t n = shape_size(shape), bytes;
    if (!ids && n > 0)
        return tape_error(tape, "tape_ids: ids is NULL, expected %lld whole numbers", (long long)n);
    if (!tensor_checked_mul(n, sizeof(int32_t), &bytes))
        return tape_error(tape, "tape_ids: %s is more than memory can hold", shape_str(shape));
    Tensor *t = tape_header(tape, shape);
    if (!t || !(t->ids = arena_alloc(&tape->arena, (size_t)bytes)))
        return tape_fail(tape);
    for (int64_t i = 0; i < n; i++)
        t->ids[i] = ids[i];
    return t;
}

Tensor *tape_full(Tape *tape, real value, Shape shape)
{
    if (!tape_accepts(tape, shape, "tape_full"))
        return tensor_poison();
    Tensor *t = tape_tensor(tape, shape);
    if (!t)
        return tape_fail(tape);
    for (int64_t i = 0; i < tensor_size(t); i++)
        t->data[i] = value;
    return t;
}
