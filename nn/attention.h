/* attention.h: the steps of multi-head attention, for those who take them one by one (internal). */
#ifndef GRADUS_NN_ATTENTION_H
#define GRADUS_NN_ATTENTION_H

#include "nn/nn.h"

/* Is x (B, T, C) on a tape, and has the module weights? Otherwise false, with an error about `what`. */
bool attention_fits(const MultiHeadAttention *a, Tensor *x, const char *what);
/* Channels from..from+C-1 of x (B, T, any) as heads: a view (B, H, T, C/H). */
Tensor *attention_heads(const MultiHeadAttention *a, Tensor *x, int64_t from);
/* q, k, v (B, H, T or S, C/H) -> (B, T, C), the output's projection included. */
Tensor *attention_output(const MultiHeadAttention *a, Tensor *q, Tensor *k, Tensor *v, Mask mask);

#endif
