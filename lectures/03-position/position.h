/* position.h: what the files of this chapter share. */
#ifndef LECTURES_POSITION_H
#define LECTURES_POSITION_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* codes.c */
double binary_gap(Trial *t); /* the distance of 7 and 8 as bits */

/* grid.c: the codes of the patches of a grid, (side side, C), as a sum over rows r and columns c by
 * least squares: code_(r,c) = mean + row_r + column_c, where row_r is the mean of row r less the
 * mean of all, and column_c likewise. The sum without some of its terms, of the same shape. */
typedef enum { CODE_WHOLE, CODE_ROW_COLUMN, CODE_CONSTANT } CodePart;
Tensor *code_part(Tensor *codes, int side, CodePart part);

/* codes.c: P (T, C) of nn_sinusoids, added to T tokens of zeros as nn_position adds it. */
Tensor *code_sinusoids(Tape *tape, int positions, int channels, double base);

/* codes.c: the Euclidean distance of each row of a (n, C) and each of b (m, C): (n, m). */
Tensor *code_distances(Tensor *a, Tensor *b);

#endif
