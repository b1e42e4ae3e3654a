/* position.h: what the files of this chapter share, and the claims and figures that chapter.c lists. */
#ifndef LECTURES_POSITION_H
#define LECTURES_POSITION_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* questions.c, exercises.c */
extern const Question position_questions[];
extern const Claim *const position_exercises[];

#endif
