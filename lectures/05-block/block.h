/* block.h: what the files of this chapter share. */
#ifndef LECTURES_BLOCK_H
#define LECTURES_BLOCK_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* norm.c: blocks one on another, with the initial weights of "On Layer Normalization in the
 * Transformer Architecture" (Xiong et al. 2020): Xavier's normal ones in every matrix, biases 0. */
enum { STACK_MAX = 24 };
typedef struct {
    int depth;
    bool post_norm;
    TransformerBlock block[STACK_MAX];
    Norm final; /* of pre-norm */
} Stack;
bool stack_init(Stack *s, Params *p, int depth, int channels, int heads, bool post_norm);
Tensor *stack_forward(const Stack *s, Tensor *x, Mask mask);

/* residual.c, for a question: |dL/dx| / |dL/dy| of one layer with PyTorch's first weights, the mean
 * of 100 draws. */
double gain_of_one_layer(Trial *t);

#endif
