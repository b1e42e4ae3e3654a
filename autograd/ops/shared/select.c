/* select.c: elements of a tensor where a mask is 0 or 1, for where and masked_fill.
 * The mask is read as real numbers, because it may be the result of other ops; it is checked
 * element by element before it is used. */
#include "autograd/ops/shared/op.h"

#include "tensor/strided_rows.h"

bool select_check(const Node *n, const Tensor *mask)
{
    StridedElements e = strided_elements(mask);
    for (int64_t i = 0; i < tensor_size(mask); i++, strided_elements_next(&e))
        if (mask->data[e.at] != 0 && mask->data[e.at] != 1)
            return op_fail(n, "the mask, %s, has %g at element %lld; expected 0 or 1",
                           tensor_describe(mask), (double)mask->data[e.at], (long long)i);
    return true;
}

/* Called once for each side, so that together every element of y is written. */
void select_forward(Tensor *y, const Tensor *x, const Tensor *mask, real side)
{
    const Tensor *all[] = {y, x, mask};
    for (StridedRows w = strided_rows(y->shape, 3, all); !w.done; strided_rows_next(&w))
        kernels->select(y->data + w.offset[0], x->data + w.offset[1], w.inner[1],
                        mask->data + w.offset[2], w.inner[2], side, w.length);
}

/* Where x was broadcast, its stride is 0 and the gradients of all its uses add up, row by row in one thread. */
void select_backward(Tensor *x, const Tensor *y, const Tensor *mask, real side)
{
    if (!x->grad)
        return;
    const Tensor *all[] = {y, x, mask};
    for (StridedRows w = strided_rows(y->shape, 3, all); !w.done; strided_rows_next(&w))
        kernels->select_backward(x->grad + w.offset[1], w.inner[1], y->grad + w.offset[0],
                                 mask->data + w.offset[2], w.inner[2], side, w.length);
}
