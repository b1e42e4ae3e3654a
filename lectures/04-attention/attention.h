/* attention.h: what the files of this chapter share. */
#ifndef LECTURES_ATTENTION_H
#define LECTURES_ATTENTION_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* max over channels of |dy_t / dx_j| of causal attention over 8 random tokens x, in size[8 t + j],
 * which holds zeros before. after: the weights are masked after the softmax, which is a mistake,
 * and not the scores before it. */
void attention_jacobian(real *size, bool after, uint64_t seed);

#endif
