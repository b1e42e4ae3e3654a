/* lab-claim.h: the functions of the lab on claims. Your file includes this header alone; it brings
 * the tensors and the tape of gradus, whose headers are the reference: tensor/tensor.h and
 * autograd/autograd.h. */
#ifndef LAB_CLAIM_H
#define LAB_CLAIM_H

#include "autograd/autograd.h"
#ifndef TASK
#define TASK /* the grader's own mark; it means nothing to you */
#endif

/* An implementation of causal attention: q, k, v (B, H, T, d) on one tape -> (B, H, T, d). */
typedef Tensor *(*Attention)(Tensor *q, Tensor *k, Tensor *v);

/* The claim: no result depends on a later token. Measures it on `attention` with numbers that
 * follow from `seed`; true where it holds. Writes into `said` one line with the number that was
 * measured, and closes it with a 0. The answer must be the same for every seed and at every
 * call. */
enum { SAID = 200 };
TASK bool claim(Attention attention, unsigned seed, char said[SAID]);

/* A fault of the claim: an attention whose results are finite numbers, and of which the claim is
 * false. */
TASK Tensor *fault(Tensor *q, Tensor *k, Tensor *v);

#endif
