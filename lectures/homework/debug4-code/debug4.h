/* debug4.h: the program of debug-4, and the functions that you write in debug4.c; README.md says
 * what is asked. */
#ifndef DEBUG4_H
#define DEBUG4_H

#include "../prelude_debug.h" /* wrong_line, symptom, and random numbers */

typedef struct {
    double look;   /* q(z | x) has the mean tanh(look) x      */
    double spread; /* and the deviation 1 / (1 + e^-spread)    */
    double write;  /* p(x | z) has the mean write z            */
} Model;

#define NOISE 0.5 /* the deviation of p(x | z) */

struct Program {
    /* A model with the same numbers each time. */
    void (*begin)(Model *m);

    /* A number x as there are in the data. */
    double (*draw)(unsigned *state);

    /* The loss of x, with z = mean + deviation noise, of q(z | x). */
    double (*loss)(const Model *m, double x, double noise);

    /* Trains for so many steps; returns the mean loss. */
    double (*train)(Model *m, int steps, unsigned *state);
};

#endif
