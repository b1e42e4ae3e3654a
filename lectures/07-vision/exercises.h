/* exercises.h: the functions of solutions.c. */
#ifndef LECTURES_VISION_EXERCISES_H
#define LECTURES_VISION_EXERCISES_H

#include "examples/speech/model.h"
#include "lectures/07-vision/vision.h"

/* Of each function to be changed a solution, and mistakes that students make. */
typedef Tensor *Assembled(Tensor *patches, int grid, int n);
Assembled assembled_solved, assembled_wrong_pixels, assembled_wrong_patches;
typedef int RelativeBiasIndex(int i, int j, int M);
RelativeBiasIndex relative_bias_solved, relative_bias_wrong_unsigned, relative_bias_wrong_narrow,
    relative_bias_wrong_difference;
typedef void CodesOf(const Codec *c, const real v[NUMBERS], int codes[STAGES]);
CodesOf codes_of_solved, codes_of_wrong_one_book, codes_of_wrong_sum;

#endif
