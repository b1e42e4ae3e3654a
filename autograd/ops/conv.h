/* conv.h: convolutions in one and two dimensions (internal). */
#ifndef GRADUS_CONV_H
#define GRADUS_CONV_H

#include "autograd/ops/op.h"

/* The same for both sides of an image. */
typedef struct {
    int stride, padding;
} ConvAttrs;

/* Operands x (..., in, H, W), weight (out, in, kh, kw) and bias (out) or NULL; without H and kh in one
 * dimension. The weight's rank says which. */
bool conv_shape(const Node *n, Shape *y, int sides);
int64_t conv_saved(const Node *n); /* the patches of one image */
void conv_forward(Node *n);
void conv_backward(Node *n);

#endif
