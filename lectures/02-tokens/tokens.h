/* tokens.h: what the files of this chapter share, and the claims and figures that chapter.c lists. */
#ifndef LECTURES_TOKENS_H
#define LECTURES_TOKENS_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* questions.c, exercises.c */
extern const Question tokens_questions[];
extern const Claim *const tokens_exercises[];

#endif
