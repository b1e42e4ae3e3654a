/* vision.h: what the files of this chapter share, and the claims and figures that chapter.c lists. */
#ifndef LECTURES_VISION_H
#define LECTURES_VISION_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* questions.c, exercises.c */
extern const Question vision_questions[];
extern const Claim *const vision_exercises[];

/* row 48: patches.c, biases.c */

/* row 49: nine.c */
extern const Claim claim_picture_sum, claim_pixel_sampling, claim_gap_closed, claim_blind,
    claim_order_cancels;

/* row 50: windows.c, hierarchy.c */

/* row 51: sound.c, speech.c, shapes.c */

#endif
