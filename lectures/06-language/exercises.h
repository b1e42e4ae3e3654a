/* exercises.h: what the exercises of this chapter share. */
#ifndef LECTURES_LANGUAGE_EXERCISES_H
#define LECTURES_LANGUAGE_EXERCISES_H

#include "lectures/06-language/language.h"

/* exercises_models.c */
extern const Claim exercise_text_mean, exercise_best_size, exercise_whole_words,
    exercise_rank_needed, exercise_corrupt;

#endif
