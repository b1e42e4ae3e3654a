/* chapter.c: chapter 6, language: its claims and figures in the order of their rows. */
#include "lectures/06-language/language.h"

static const Claim *const claims[] = {
    NULL,
};

static const Figure *const figures[] = {
    NULL,
};

const Chapter chapter_language = {
    .number = 6,
    .folder = "06-language",
    .title = "language",
    .first_row = 38,
    .last_row = 47,
    .claims = claims,
    .figures = figures,
    .exercises = language_exercises,
    .questions = language_questions,
};
