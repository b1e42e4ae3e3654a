/* attention.h: what the files of this chapter share. */
#ifndef LECTURES_ATTENTION_H
#define LECTURES_ATTENTION_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* How later keys are hidden: not at all, by their scores, or, which is a mistake, by their weights
 * after the softmax. */
typedef enum { SEEN, BY_SCORES, BY_WEIGHTS } Hiding;

/* max over channels of |dy_t / dx_j| of attention over 8 random tokens x, in size[8 t + j], which
 * holds zeros before. */
void attention_jacobian(real *size, Hiding how, uint64_t seed);

#endif
