/* exercises.h: the functions of solutions.c. */
#ifndef LECTURES_VISION_EXERCISES_H
#define LECTURES_VISION_EXERCISES_H

#include "lectures/07-vision/vision.h"

/* Of each function to be changed a solution, and mistakes that students make. */
typedef Tensor *Assembled(Tensor *patches, int grid, int n);
Assembled assembled_solved, assembled_wrong_pixels, assembled_wrong_patches;
typedef int RelativeBiasIndex(int i, int j, int M);
RelativeBiasIndex relative_bias_solved, relative_bias_wrong_unsigned, relative_bias_wrong_narrow,
    relative_bias_wrong_difference;

#endif
