/* exam.h: what the library computes for the checks of exams (README.md). */
#ifndef LECTURES_EXAM_H
#define LECTURES_EXAM_H

#include "gradus.h"

enum { VALUE_MOST = 256, ARGUMENTS_MOST = 4 };

/* A matrix of rows and columns; a number is (1, 1). */
typedef struct {
    int rows, columns;
    double x[VALUE_MOST];
} Value;

static inline int value_size(const Value *v)
{
    return v->rows * v->columns;
}

/* Calls a function of library.c. grad_NAME(x, ..., g) is the gradient with respect to x of the sum
 * of g times NAME(x, ...). False is returned with an error. */
bool library_call(const char *name, const Value *argument, int count, Value *result);

#endif
