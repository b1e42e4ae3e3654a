/* exercises.h: the functions of solutions.c. */
#ifndef LECTURES_BLOCK_EXERCISES_H
#define LECTURES_BLOCK_EXERCISES_H

#include "lectures/05-block/block.h"

typedef void RmsBackward(const double *hat, const double *h, double r, int n, double *dx);
RmsBackward rms_backward_solved, rms_backward_wrong_constant, rms_backward_wrong_sum;
typedef void ShiftRight(const int *words, int n, int bos, int *in);
ShiftRight shift_right_solved, shift_right_wrong_rotated, shift_right_wrong_left;

#endif
