/* lab-op.h: the functions of the lab on ops. Your file includes this header alone; it brings the
 * tensors and the tape of gradus, whose headers are the reference: tensor/tensor.h and
 * autograd/autograd.h. */
#ifndef LAB_OP_H
#define LAB_OP_H

#include "autograd/autograd.h"
#ifndef TASK
#define TASK /* the grader's own mark; it means nothing to you */
#endif

/* Both are ops of your own: one call is one node on the tape, made by ag_apply. What they refuse
 * gets the poison tensor and an error "name: what was found; expected ..." (tensor_fail). */

/* Root-mean-square norm over the last axis (Zhang and Sennrich 2019).
 * x (..., C) with rank 1 or more, gain (C), epsilon >= 0: (..., C). Refuses all else. */
TASK Tensor *rms_norm(Tensor *x, Tensor *gain, real epsilon);

/* silu(gate) times x, element by element (Shazeer 2020).
 * gate and x of one shape: the same. Refuses two shapes; nothing is broadcast. */
TASK Tensor *swiglu(Tensor *gate, Tensor *x);

#endif
