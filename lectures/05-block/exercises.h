/* exercises.h: the functions of solutions.c. */
#ifndef LECTURES_BLOCK_EXERCISES_H
#define LECTURES_BLOCK_EXERCISES_H

#include "lectures/05-block/block.h"

/* Of each function to be changed a solution, and mistakes that students make. */
typedef double PathFactor(double f2);
PathFactor path_factor_solved, path_factor_wrong_no_root, path_factor_wrong_constant;
typedef void RmsBackward(const double *hat, const double *h, double r, int n, double *dx);
RmsBackward rms_backward_solved, rms_backward_wrong_constant, rms_backward_wrong_sum;
typedef Tensor *Dropped(Tensor *x, Tensor *mask, double p);
Dropped dropped_solved, dropped_wrong_plain, dropped_wrong_all_kept;
typedef int GatedHidden(int C);
GatedHidden gated_hidden_solved, gated_hidden_wrong_half, gated_hidden_wrong_third;
typedef Tensor *ParallelBlock(const TransformerBlock *b, Tensor *x);
ParallelBlock parallel_block_solved, parallel_block_wrong_one_norm;
typedef Tensor *SharedStack(const TransformerBlock *block, int layers, Tensor *x);
SharedStack shared_stack_solved, shared_stack_wrong_two_blocks, shared_stack_wrong_once;
typedef void ShiftRight(const int *words, int n, int bos, int *in);
ShiftRight shift_right_solved, shift_right_wrong_rotated, shift_right_wrong_left;

#endif
