/* exercises.h: what the exercises of this chapter share. */
#ifndef LECTURES_LANGUAGE_EXERCISES_H
#define LECTURES_LANGUAGE_EXERCISES_H

#include "lectures/06-language/language.h"

/* A claim about a function that a student changes: its value is at most `most_`. */
#define EXERCISE(row_, statement_, slide_, quantity_, most_, why_, measure_)                   \
    {                                                                                          \
        .row = (row_), .statement = (statement_), .slides = {slide_}, .quantity = (quantity_), \
        AT_MOST(most_), .why = (why_),                                                         \
        .faults = {{"solved", "a solution instead of the function"}}, .measure = (measure_),   \
    }

/* exercises_models.c */
extern const Claim exercise_text_mean, exercise_words_needed, exercise_whole_words,
    exercise_lora_merged, exercise_prefix;

#endif
