/* conv.h: convolutions in one and two dimensions (internal). */
#ifndef GRADUS_CONV_H
#define GRADUS_CONV_H

#include "autograd/ops/shared/op.h"

/* sides: 1 for a sequence, 2 for an image; stride and padding are the same along both. */
typedef struct {
    int sides, stride, padding;
} ConvAttrs;

/* x (..., in, H, W), weight (out, in, kh, kw), bias (out) or NULL; one side: without H and kh. */
bool conv_shape(const Node *n, Shape *y);
int64_t conv_saved(const Node *n); /* the patches of one image */
void conv_forward(Node *n);
void conv_backward(Node *n);

#endif
