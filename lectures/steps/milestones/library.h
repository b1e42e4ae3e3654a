/* library.h: what the programs share. Each runs a model of the library twice, once by homeworks and
 * once by the library, and compares. */
#ifndef MILESTONES_LIBRARY_H
#define MILESTONES_LIBRARY_H

#include "gradus.h"

/* The program, which main of library.c calls: is the milestone reached? Parameters and a tape are
 * empty; an error in the library ends the program. weights: a file, where milestones.txt names an
 * example. */
bool milestone(Params *p, Tape *tape, const char *weights);

/* The index of the largest of n numbers. */
int largest(const float *x, int n);

/* Says whether x, which has the shape of the library's tensor, is at most so far from it. */
bool agrees(const float *x, Tensor *library, double most);

/* Prints n pictures of side x side numbers from 0 to 1 side by side: every second row. */
void print_pictures(const float *x, int n, int side);

/* ---- transformer.c --------------------------------------------------------------------------- */

enum { TOKENS_MOST = 128, CHANNELS_MOST = 64, ALL = TOKENS_MOST * CHANNELS_MOST };

/* y (t, out) = x W^T + b of t tokens by homework 3b; the layer may have no b. */
void own_linear(float *y, const float *x, const Linear *layer, int t);

/* x (t, c) becomes the hidden states after all blocks and the last norm, by homeworks 2, 3, 3b, 4
 * and 4b with the encoder's weights. first_window: how far the first block sees to each side; 0:
 * all. */
void own_blocks(const Encoder *e, int first_window, float *x, int t);

#endif
