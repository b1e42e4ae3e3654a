/* debug1.h: the program of debug-1, and the functions that you write in debug1.c; README.md says
 * what is asked. */
#ifndef DEBUG1_H
#define DEBUG1_H

#include "../prelude_debug.h" /* wrong_line, symptom, and random numbers */

enum { CHANNELS = 64, KEYS = 8 };

typedef struct {
    double gain[CHANNELS]; /* of each channel of a query */
} Model;

struct Program {
    /* Attention weights a (n) of a query q (d) over the keys k (n, d), n at most 64. */
    void (*weights)(double *a, const double *q, const double *k, int n, int d);

    /* A model with gains of 1. */
    void (*begin)(Model *m);

    /* A query (CHANNELS) and KEYS keys (KEYS, CHANNELS); returns the key that is looked for. */
    int (*draw)(double *q, double *k, unsigned *state);

    /* Trains for so many steps; returns the mean loss, -log of the right key's weight. */
    double (*train)(Model *m, int steps, unsigned *state);
};

#endif
