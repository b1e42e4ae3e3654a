/* exercises.h: the functions of solutions.c. */
#ifndef LECTURES_POSITION_EXERCISES_H
#define LECTURES_POSITION_EXERCISES_H

#include "lectures/03-position/position.h"

/* Of each function to be changed a solution, and mistakes that students make. */
typedef Tensor *Pooled(Tensor *x);
Pooled pooled_solved, pooled_wrong_sum, pooled_wrong_last;
typedef int CodeBit(int p, int j);
CodeBit code_bit_solved, code_bit_wrong_left, code_bit_wrong_unmasked;
typedef Tensor *GridCode(Tensor *PE, Tensor *half, int row, int column, int side);
GridCode grid_code_solved, grid_code_wrong_sum, grid_code_wrong_number;

#endif
