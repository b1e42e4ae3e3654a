/* call.h: a call of the library in an expression: what library.c and counts.c share. */
#ifndef LECTURES_EXAM_CALL_H
#define LECTURES_EXAM_CALL_H

#include "lectures/exams/exam.h"

#include <math.h>

typedef struct {
    Tape *tape;
    const Value *v; /* the arguments */
    int count;
    Tensor *x[ARGUMENTS_MOST]; /* the same on the tape, (rows, columns) */
} Call;

static inline double number(const Call *c, int i)
{
    return c->v[i].x[0];
}

static inline int whole(const Call *c, int i)
{
    return (int)lround(c->v[i].x[0]);
}

static inline Tensor *ids(const Call *c, int i)
{
    int id[VALUE_MOST], n = c->v[i].rows * c->v[i].columns;
    for (int k = 0; k < n; k++)
        id[k] = (int)lround(c->v[i].x[k]);
    return tape_ids(c->tape, id, shape1(n));
}

/* counts.c: NaN: no such function; below 0: an error. */
double library_count(const Call *c, const char *name);

#endif
