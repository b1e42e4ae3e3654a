/* debug6.h: the program of debug-6, and the functions that you write in debug6.c; README.md says
 * what is asked. */
#ifndef DEBUG6_H
#define DEBUG6_H

#include "../prelude_debug.h" /* wrong_line, symptom, and random numbers */

enum { LETTERS = 5, CHANNELS = 16, LONGEST = 16 };

typedef struct {
    double embedding[LETTERS][CHANNELS];
    double gain[CHANNELS];  /* of the layer          */
    double query[CHANNELS]; /* this alone is learned */
} Model;

struct Program {
    /* A model with random numbers. */
    void (*begin)(Model *m, unsigned *state);

    /* A text of n letters, 0 to LETTERS - 1, n from 3 to LONGEST; returns its third letter. */
    int (*draw)(int *text, int n, unsigned *state);

    /* Channel c of the encoding of position t. */
    double (*position)(int t, int c);

    /* x (n, CHANNELS), the embedded text, and h (n, CHANNELS), what the layer makes of it. */
    void (*embed)(const Model *m, const int *text, int n, double *x);
    void (*layer)(const Model *m, const int *text, int n, double *h);

    /* p (LETTERS): how probable each letter is to be the third one. */
    void (*predict)(const Model *m, const int *text, int n, double *p);

    /* Trains for so many steps; returns the mean loss. */
    double (*train)(Model *m, int steps, unsigned *state);
};

#endif
