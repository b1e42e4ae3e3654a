/* chapter.c: chapter 2, tokens: its claims and figures in the order of their rows. */
#include "lectures/02-tokens/tokens.h"

static const Claim *const claims[] = {
    NULL,
};

static const Figure *const figures[] = {
    NULL,
};

const Chapter chapter_tokens = {
    .number = 2,
    .folder = "02-tokens",
    .title = "tokens",
    .first_row = 6,
    .last_row = 9,
    .claims = claims,
    .figures = figures,
    .exercises = tokens_exercises,
    .questions = tokens_questions,
};
