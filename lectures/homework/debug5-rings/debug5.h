/* debug5.h: the program of debug-5, and the functions that you write in debug5.c; README.md says
 * what is asked. */
#ifndef DEBUG5_H
#define DEBUG5_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#ifndef TASK
#define TASK /* the grader's own mark; it means nothing to you */
#endif

/* Random numbers; equal states give equal numbers. From 0 to 1, and normal ones of variance 1. */
static inline double uniform(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return ((*state >> 8) + 0.5) / 16777216;
}
static inline double normal(unsigned *state)
{
    double r = sqrt(-2 * log(uniform(state)));
    return r * cos(6.283185307179586 * uniform(state));
}

enum { UNITS = 16 };

typedef struct {
    double in[UNITS][2], bias[UNITS]; /* hidden unit j: tanh(in_j . x + bias_j) */
    double out[UNITS], shift;         /* the logit: out . hidden + shift         */
} Model;

typedef struct {
    /* A model with random numbers. */
    void (*begin)(Model *m, unsigned *state);

    /* A point x; returns its class, 0 or 1. */
    int (*draw)(double x[2], unsigned *state);

    /* The probability that x is of class 1, for use after training. Random numbers, where the
     * program needs any, come from `noise`. */
    double (*predict)(const Model *m, const double x[2], unsigned *noise);

    /* Trains for so many steps; returns the mean loss. */
    double (*train)(Model *m, int steps, unsigned *state);
} Program;

/* 1. The number of the line of program.c that is wrong, counted from 1. */
TASK int wrong_line(void);

/* 2. Does this program show the symptom? 1: yes, 0: no. Writes into `said` one line with the number
 * that was measured, and closes it with a 0. The program may be the one of program.c or the right
 * one; the answer must be the same for every seed and at every call. */
enum { SAID = 200 };
TASK int symptom(const Program *program, unsigned seed, char said[SAID]);

#endif
