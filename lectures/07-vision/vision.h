/* vision.h: what the files of this chapter share, and the claims and figures that chapter.c lists. */
#ifndef LECTURES_VISION_H
#define LECTURES_VISION_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* questions.c, exercises.c */
extern const Question vision_questions[];
extern const Claim *const vision_exercises[];

/* row 48: patches.c, pooling.c, biases.c, moved.c; their models: digit_models.h */
extern const Claim claim_patch_convolution, claim_vit_base, claim_mean_is_attention,
    claim_only_attention, claim_both_pool, claim_relabelled, claim_same_training,
    claim_convnet_falls, claim_scattered, claim_one_patch, claim_moved, claim_grid_found;
extern const Figure figure_cut, figure_arranged, figure_orders, figure_moved, figure_found_grid;

/* row 49: pixels.c */

/* row 50: windows.c, hierarchy.c */

/* row 51: sound.c, speech.c, shapes.c */

#endif
