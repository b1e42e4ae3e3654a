/* language.h: what the files of this chapter share, and the claims and figures that chapter.c lists. */
#ifndef LECTURES_LANGUAGE_H
#define LECTURES_LANGUAGE_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* questions.c, exercises.c */
extern const Question language_questions[];
extern const Claim *const language_exercises[];

#endif
