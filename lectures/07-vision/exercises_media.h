/* exercises_media.h: the functions of solutions_media.c. */
#ifndef LECTURES_VISION_EXERCISES_MEDIA_H
#define LECTURES_VISION_EXERCISES_MEDIA_H

#include "examples/captions/model.h"
#include "examples/speech/model.h"
#include "lectures/07-vision/media.h"

/* Of each function to be changed a solution, and mistakes that students make. */
typedef void Overlap(const real *frames, int F, real *wave);
Overlap overlap_solved, overlap_wrong_kept, overlap_wrong_set;
typedef void CodesOf(const Codec *c, const real v[NUMBERS], int codes[STAGES]);
CodesOf codes_of_solved, codes_of_wrong_one_book, codes_of_wrong_sum;

#endif
