/* chapter.c: chapter 3, position: its claims and figures in the order of their rows. */
#include "lectures/03-position/position.h"

static const Claim *const claims[] = {
    NULL,
};

static const Figure *const figures[] = {
    NULL,
};

const Chapter chapter_position = {
    .number = 3,
    .folder = "03-position",
    .title = "position",
    .first_row = 10,
    .last_row = 15,
    .claims = claims,
    .figures = figures,
    .exercises = position_exercises,
    .questions = position_questions,
};
