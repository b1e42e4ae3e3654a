/* dropout.h: what attention shares with dropout (internal). */
#ifndef GRADUS_DROPOUT_H
#define GRADUS_DROPOUT_H

#include "autograd/ops/op.h"

extern const Op op_dropout;

typedef struct {
    real p;
    uint64_t stream; /* of random numbers; 0: nothing falls */
} DropoutAttrs;

/* Does anything fall: p > 0, and x's tape is training? */
bool dropout_falls(const Tensor *x, real p);
/* Is p a probability below 1? False after an error. */
bool dropout_check(const char *who, real p);
/* The stream of random numbers of the next dropout of this step; never 0. */
uint64_t dropout_stream(Tape *tape);

#endif
