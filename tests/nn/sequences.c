/* sequences.c: see sequences.h. */
#include "tests/nn/sequences.h"

#include "tests/harness/runner.h"

#include <math.h>

real sequence_number(int64_t i, double start)
{
    return (real)sin(1.3 * (double)i + start);
}

Tensor *sequence_leaf(Tape *tape, int batch, int tokens, int channels, double start)
{
    real x[SEQUENCE_NUMBERS];
    for (int i = 0; i < batch * tokens * channels; i++)
        x[i] = sequence_number(i, start);
    return tape_leaf(tape, x, shape3(batch, tokens, channels));
}

double sequence_difference(const Tensor *a, const Tensor *b)
{
    double largest = 0;
    real x[SEQUENCE_NUMBERS], y[SEQUENCE_NUMBERS];
    if (!CHECK(!tensor_is_poison(a) && !tensor_is_poison(b), "%s", tensor_error()) ||
        !CHECK(shape_equal(a->shape, b->shape), "%s and %s", shape_str(a->shape),
               shape_str(b->shape)))
        return INFINITY;
    tensor_read(a, x);
    tensor_read(b, y);
    for (int64_t i = 0; i < tensor_size(a); i++)
        largest = fmax(largest, fabs((double)x[i] - y[i]));
    return largest;
}
