/* debug5.h: the program of debug-5, and the functions that you write in debug5.c; README.md says
 * what is asked. */
#ifndef DEBUG5_H
#define DEBUG5_H

#include "../prelude_debug.h" /* wrong_line, symptom, and random numbers */

enum { UNITS = 16 };

typedef struct {
    double in[UNITS][2], bias[UNITS]; /* hidden unit j: tanh(in_j . x + bias_j) */
    double out[UNITS], shift;         /* the logit: out . hidden + shift         */
} Model;

struct Program {
    /* A model with random numbers. */
    void (*begin)(Model *m, unsigned *state);

    /* A point x; returns its class, 0 or 1. */
    int (*draw)(double x[2], unsigned *state);

    /* The probability that x is of class 1, for use after training. Random numbers, where the
     * program needs any, come from `noise`. */
    double (*predict)(const Model *m, const double x[2], unsigned *noise);

    /* Trains for so many steps; returns the mean loss. */
    double (*train)(Model *m, int steps, unsigned *state);
};

#endif
