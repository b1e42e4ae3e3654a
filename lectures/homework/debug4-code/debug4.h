/* debug4.h: the program of debug-4, and the functions that you write in debug4.c; README.md says
 * what is asked. */
#ifndef DEBUG4_H
#define DEBUG4_H

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

typedef struct {
    double look;   /* q(z | x) has the mean tanh(look) x      */
    double spread; /* and the deviation 1 / (1 + e^-spread)    */
    double write;  /* p(x | z) has the mean write z            */
} Model;

#define NOISE 0.5 /* the deviation of p(x | z) */

typedef struct {
    /* A model with the same numbers each time. */
    void (*begin)(Model *m);

    /* A number x as there are in the data. */
    double (*draw)(unsigned *state);

    /* The loss of x, with z = mean + deviation noise, of q(z | x). */
    double (*loss)(const Model *m, double x, double noise);

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
