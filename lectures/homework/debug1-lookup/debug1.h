/* debug1.h: the program of debug-1, and the functions that you write in debug1.c; README.md says
 * what is asked. */
#ifndef DEBUG1_H
#define DEBUG1_H

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

enum { CHANNELS = 64, KEYS = 8 };

typedef struct {
    double gain[CHANNELS]; /* of each channel of a query */
} Model;

typedef struct {
    /* Attention weights a (n) of a query q (d) over the keys k (n, d), n at most 64. */
    void (*weights)(double *a, const double *q, const double *k, int n, int d);

    /* A model with gains of 1. */
    void (*begin)(Model *m);

    /* A query (CHANNELS) and KEYS keys (KEYS, CHANNELS); returns the key that is looked for. */
    int (*draw)(double *q, double *k, unsigned *state);

    /* Trains for so many steps; returns the mean loss, -log of the right key's weight. */
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
