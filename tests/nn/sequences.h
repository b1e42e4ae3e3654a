/* sequences.h: synthetic sequences for the tests of modules, and the distance of two results. */
#ifndef TESTS_SEQUENCES_H
#define TESTS_SEQUENCES_H

#include "nn/nn.h"

/* Agreement of two ways to compute the same: in float a few dozen roundings of numbers around 1. */
#define SEQUENCE_CLOSE (sizeof(real) == sizeof(double) ? 1e-12 : 1e-5)

enum { SEQUENCE_NUMBERS = 512 }; /* the most in a tensor */

/* Number i of an endless row, in -1..1; different starts give different rows. */
real sequence_number(int64_t i, double start);

/* Gives every weight numbers of such rows, between -0.7 and 0.7. Modules begin with biases of 0 and
 * gains of 1, which a wrong formula could leave out unnoticed. */
void sequence_weights(Params *p);

/* (batch, tokens, channels) of that row, which backward brings a gradient. */
Tensor *sequence_leaf(Tape *tape, int batch, int tokens, int channels, double start);

/* The largest |a - b|, NaN if one is; infinity, and a failed check, for poison or another shape. */
double sequence_difference(const Tensor *a, const Tensor *b);

#endif
