/* exercises.h: tries exercises: the functions of the chapters' exercises.c, as the reader has
 * changed them. */
#ifndef LECTURES_EXERCISES_H
#define LECTURES_EXERCISES_H

#include "lectures/runner/claims.h"

typedef struct {
    int seconds;            /* of processor time for one         */
    int count, done, ended; /* ended: by an error or a signal */
} Tries;

/* Runs the exercise's claim in a process of its own, so that an error or an endless loop in it ends
 * no other, and reports it. In a table follows what is known of a try that fails: how it ended, or
 * the wrong solutions with which all numbers that the claim explains are the same. */
void exercise_try(Report *r, Tries *tries, const Claim *exercise, uint64_t seed);

/* A table's last line: how many are done, how many not yet, how many ended with an error. */
void exercises_end(const Report *r, const Tries *tries);

#endif
