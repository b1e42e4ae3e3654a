/* select.h: picking elements by a mask of 0 and 1 (internal). */
#ifndef GRADUS_SELECT_H
#define GRADUS_SELECT_H

#include "autograd/ops/op.h"

/* False, after an error that begins with who, where the mask holds something else than 0 and 1. */
bool select_check(const char *who, const Tensor *mask);

/* y = x where the mask is `side`; elsewhere y stays. x and the mask broadcast to y. */
void select_forward(Tensor *y, const Tensor *x, const Tensor *mask, real side);
/* x.grad += dy there, summed over the axes along which x was broadcast. */
void select_backward(Tensor *x, const Tensor *y, const Tensor *mask, real side);

#endif
