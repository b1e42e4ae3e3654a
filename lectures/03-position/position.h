/* position.h: what the files of this chapter share. */
#ifndef LECTURES_POSITION_H
#define LECTURES_POSITION_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* codes.c */
double binary_gap(Trial *t); /* the distance of 7 and 8 as bits */

/* codes.c: P (T, C) of nn_sinusoids, added to T tokens of zeros as nn_position adds it. */
Tensor *code_sinusoids(Tape *tape, int positions, int channels, double base);

/* codes.c: the Euclidean distance of each row of a (n, C) and each of b (m, C): (n, m). */
Tensor *code_distances(Tensor *a, Tensor *b);

#endif
