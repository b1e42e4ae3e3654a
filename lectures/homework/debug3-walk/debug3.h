/* debug3.h: the program of debug-3, and the functions that you write in debug3.c; README.md says
 * what is asked. */
#ifndef DEBUG3_H
#define DEBUG3_H

#include "../prelude_debug.h" /* wrong_line, symptom, and random numbers */

enum { PLACES = 6, CHANNELS = 8 };

typedef struct {
    double in[PLACES][CHANNELS], out[PLACES][CHANNELS]; /* embeddings of places */
} Model;

struct Program {
    /* A model with random numbers. */
    void (*begin)(Model *m, unsigned *state);

    /* A walk of n steps: places from 0 to PLACES - 1. */
    void (*draw)(int *walk, int n, unsigned *state);

    /* p (PLACES): how probable each place is after `place`. */
    void (*predict)(const Model *m, int place, double *p);

    /* The mean loss of a walk, -log of the probabilities. */
    double (*loss)(const Model *m, const int *walk, int n);

    /* Trains for so many steps; returns the mean loss. */
    double (*train)(Model *m, int steps, unsigned *state);
};

#endif
