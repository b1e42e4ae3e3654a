/* recurrence.h: what the files of this chapter share, and the claims and figures that chapter.c lists. */
#ifndef LECTURES_RECURRENCE_H
#define LECTURES_RECURRENCE_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* questions.c, exercises.c */
extern const Question recurrence_questions[];
extern const Claim *const recurrence_exercises[];

#endif
