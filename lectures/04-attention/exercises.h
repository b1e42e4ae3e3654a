/* exercises.h: what the exercises of this chapter share. */
#ifndef LECTURES_ATTENTION_EXERCISES_H
#define LECTURES_ATTENTION_EXERCISES_H

#include "lectures/04-attention/attention.h"

/* exercises_masks.c */
extern const Claim exercise_mask_scores, exercise_cross, exercise_entropy, exercise_cut,
    exercise_pool, exercise_window;

/* exercises_costs.c */
extern const Claim exercise_count, exercise_stream;

#endif
