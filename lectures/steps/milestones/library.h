/* library.h: what the programs take from the library, which computes the same. */
#ifndef MILESTONES_LIBRARY_H
#define MILESTONES_LIBRARY_H

#include "gradus.h"

/* given() finds its weights in p from now on; a failure of the library ends the program. */
void library_begin(const Params *p);

/* The index of the largest of n numbers. */
int largest(const float *x, int n);

/* Prints how far x is at most from the library's numbers; true if that is less than `most`. */
bool agrees(const float *x, const float *library, int64_t n, double most);

#endif
