/* exercises.h: what the exercises of this chapter and solutions.c share. */
#ifndef LECTURES_RECURRENCE_EXERCISES_H
#define LECTURES_RECURRENCE_EXERCISES_H

#include "lectures/01-recurrence/through_time.h"

enum { STEPS = 64 };

/* One step of a recurrence, h -> a h + u, or several of them together, which are such a step
 * again. */
typedef struct {
    double a, u;
    int chain; /* joins that waited for each other to make it */
} Step;

/* The step that does what `first` and then `second` do. */
Step join(Step first, Step second);

/* Of each function to be changed a solution, and mistakes that students make. */
typedef void Scan(Step *step, int n);
Scan scan_solved, scan_wrong_rounds, scan_wrong_swapped, scan_wrong_pairs_only;
typedef void Clip(double *g, int n, double most);
Clip clip_solved, clip_wrong_each, clip_wrong_always, clip_wrong_to_one;

#endif
