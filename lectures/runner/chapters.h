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
    const char *folder; /* "04-attention" */
    const char *title;
    int first_row, last_row;

    /* The tables of its files, each closed by row 0; the lists are closed by NULL. */
    const Claim *const *claims;
    const Claim *const *exercises; /* what fails until a student made it right */
    const Figure *const *figures;

    const Question *questions; /* in the order of the sections; closed by row 0, or NULL */
} Chapter;

/* Defines a chapter in its chapter.c, where CLAIMS, FIGURES and EXERCISES list the tables of its
 * files, each once, as X(order_claims) X(scale_claims). */
#define DECLARE_CLAIMS(table)  extern const Claim table[];
#define DECLARE_FIGURES(table) extern const Figure table[];
#define LISTED(table)          table,
#define CHAPTER(name, asked, ...)                                                             \
    extern const Question asked[];                                                            \
    CLAIMS(DECLARE_CLAIMS)                                                                    \
    FIGURES(DECLARE_FIGURES)                                                                  \
    EXERCISES(DECLARE_CLAIMS)                                                                 \
    const Chapter name = {__VA_ARGS__, .claims = (const Claim *const[]){CLAIMS(LISTED) NULL}, \
                          .exercises = (const Claim *const[]){EXERCISES(LISTED) NULL},        \
                          .figures = (const Figure *const[]){FIGURES(LISTED) NULL},           \
                          .questions = asked}

/* All claims, exercises or figures of a chapter in the order of their rows; those of one row are in
 * the order of the tables. Closed by NULL. Ends the program where one is of a row that the chapter
 * does not have. */
const Claim *const *chapter_claims(const Chapter *c);
const Claim *const *chapter_exercises(const Chapter *c);
const Figure *const *chapter_figures(const Chapter *c);

/* The figures of the lecture's rows in the order of its slides, each once, named by their numbers:
 * "01-map". Closed by NULL; kept until the next call. */
const Figure *const *lecture_figures(char letter);

/* The first of a row's claims, which follow one another in that list, and how many there are. */
const Claim *const *row_claims(int row, int *count);

/* The claim that the question is about. Ends the program where its words name none, or several. */
const Claim *chapter_asked(const Chapter *c, const Question *q);

/* Closed by NULL. */
extern const Chapter *const chapters[];

/* By number ("4") or by name ("attention", "04-attention"); NULL if there is none. */
const Chapter *chapter_named(const char *word);

const Chapter *chapter_with_row(int row); /* NULL: there is none */

#endif
