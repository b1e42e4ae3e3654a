/* chapters.h: a chapter of the lectures, and the list of all that are there.
 *
 * A chapter is a folder lectures/NN-name; README.md in lectures/runner says how one is made. */
#ifndef LECTURES_CHAPTERS_H
#define LECTURES_CHAPTERS_H

#include "lectures/runner/claims.h"
#include "lectures/runner/figures.h"
#include "lectures/runner/questions.h"

typedef struct {
    int number;
    const char *folder; /* "04-attention"                          */
    const char *title;
    int first_row, last_row;
    const Claim *const *claims;   /* in the order of their rows; closed by NULL               */
    const Figure *const *figures; /* closed by NULL                                           */
    const Claim *const
        *exercises; /* closed by NULL, or NULL: what fails until a student made it right */
    const Question *questions; /* in the order of the sections; closed by row 0, or NULL   */
} Chapter;

/* Closed by NULL. */
extern const Chapter *const chapters[];

/* By number ("4") or by name ("attention", "04-attention"); NULL if there is none. */
const Chapter *chapter_named(const char *word);

#endif
