/* steps.h: a path through a course: an ordered list of steps, each checked by a program.
 *
 * A step is its kind and what it is about: "predict 21". A row that two courses have is one step in
 * both, and the record (steps.c) says once that it is done. */
#ifndef LECTURES_STEPS_H
#define LECTURES_STEPS_H

#include "lectures/runner/chapters.h"

enum { STEP_WHAT = 64, STEP_KEY = 80, STEP_PATH = 1024, PATH_STEPS = 512 };

typedef struct {
    const struct Kind *kind;             /* of kinds.c                              */
    char what[STEP_WHAT], key[STEP_KEY]; /* "21", "predict 21"                      */
    int row;                             /* of lectures/README.md; 0: of none       */
    int minutes;                         /* an estimate                             */
    bool done;                           /* says the record                         */
} Step;

typedef struct {
    char name[STEP_PATH]; /* "V", or the file */
    const char *title;
    int count;
    Step steps[PATH_STEPS];
} Path;

/* A step of a kind that exists, about a row or, where row is 0, about `what`. */
Step step_make(const char *kind, int row, const char *what, int minutes);

/* Says what is asked for, and checks it: true if the step is done. The seed is that of choices and
 * their order. */
bool step_check(const Step *s, uint64_t seed);

/* Reads lectures/steps/paths/NAME.txt, or the file of this name. Ends the program where there is
 * none, or at a line that cannot be read, with the line's number. */
void path_read(Path *p, const char *name);

/* The path's step of this key, or the first of a homework's, "write hw2:"; NULL: it has none. */
Step *path_step(Path *p, const char *key);

/* Prints the path as so many weeks of about the same number of hours, in Markdown. */
void path_plan(const Path *p, int weeks);

#endif
