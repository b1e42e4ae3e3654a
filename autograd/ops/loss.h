/* loss.h: losses that compare two tensors of one shape, element by element (internal). */
#ifndef GRADUS_LOSS_H
#define GRADUS_LOSS_H

#include "autograd/ops/op.h"

/* Two operands of one shape -> rank 0. */
bool loss_shape(const Node *n, Shape *y);

#endif
