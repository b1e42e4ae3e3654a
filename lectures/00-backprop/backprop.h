/* backprop.h: what the files of chapter 0 use. */
#ifndef LECTURES_BACKPROP_H
#define LECTURES_BACKPROP_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/counting.h"
#include "lectures/runner/values.h"

/* (f(x + h) - f(x - h)) / 2h for the i-th of the numbers x; f may use `with`. */
double central_difference(double (*f)(const double *x, const void *with), double *x, int i,
                          const void *with, double h);

#endif
