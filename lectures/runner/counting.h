/* counting.h: how many multiply-adds a computation takes.
 *
 *     counting_begin();
 *     ag_attention(q, k, v, mask, 0);
 *     int64_t done = counting_end();
 *
 * In between, the reference kernels compute, and each call of one that multiplies is counted: m n k
 * of a product of matrices, and of attention, forward and backward, what each pair of a query and a
 * key takes that the mask keeps. Dropout within attention is left out. What works element by
 * element (softmax, bias, activations) is not counted: it grows slower than the products. */
#ifndef LECTURES_COUNTING_H
#define LECTURES_COUNTING_H

#include "gradus.h"

/* Begins from 0; the kernels in use until then come back at the end. Not from several threads at
 * once. */
void counting_begin(void);
int64_t counting_end(void);

/* The longest chain of ops on the tape, each of which needs the one before: how many steps must be
 * taken one after another, however many processors there are. Views are no steps. */
int counting_depth(const Tape *tape);

#endif
