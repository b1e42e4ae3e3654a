/* sequences.c: see sequences.h. */
#include "tests/nn/sequences.h"

#include "tests/harness/runner.h"

#include <math.h>

real sequence_number(int64_t i, double start)
{
    return (real)sin(1.3 * (double)i + start);
}

void sequence_weights(Params *p)
{
    for (int i = 0; i < p->count; i++)
        for (int64_t k = 0; k < tensor_size(p->weight[i]); k++)
            p->weight[i]->data[k] = (real)0.7 * sequence_number(k, i + 0.5);
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
        largest = larger_or_nan(largest, fabs((double)x[i] - y[i]));
    return largest;
}
