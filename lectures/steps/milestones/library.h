/* library.h: what the programs share. Each runs a model of the library twice, once by homeworks and
 * once by the library, and compares. */
#ifndef MILESTONES_LIBRARY_H
#define MILESTONES_LIBRARY_H

#include "gradus.h"

#include "examples/common/options.h"

/* The index of the largest of n numbers. */
int largest(const float *x, int n);

/* Prints how far x is at most from the library's numbers; true if that is less than `most`. */
bool agrees(const float *x, const float *library, int64_t n, double most);

/* Prints n pictures of side x side numbers from 0 to 1 side by side: every `down`-th row. */
void print_pictures(const float *x, int n, int side, int down);

/* ---- transformer.c --------------------------------------------------------------------------- */

enum { TOKENS_MOST = 128, CHANNELS_MOST = 64, ALL = TOKENS_MOST * CHANNELS_MOST };

/* y (t, out) = x W^T + b of t tokens by homework 3b; W (out, in); b may be NULL. */
void own_linear(float *y, const float *x, const Tensor *w, const Tensor *b, int t);

/* x (t, c) becomes the hidden states after all blocks and the last norm, by homeworks 2, 3, 3b, 4
 * and 4b with the encoder's weights. */
void own_blocks(const Encoder *e, float *x, int t);

#endif
