/* debug6.h: the program of debug-6, and the functions that you write in debug6.c; README.md says
 * what is asked. */
#ifndef DEBUG6_H
#define DEBUG6_H

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

enum { LETTERS = 5, CHANNELS = 16, LONGEST = 16 };

typedef struct {
    double embedding[LETTERS][CHANNELS];
    double gain[CHANNELS];  /* of the layer          */
    double query[CHANNELS]; /* this alone is learned */
} Model;

typedef struct {
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
} Program;

/* 1. The number of the line of program.c that is wrong, counted from 1. */
TASK int wrong_line(void);

/* 2. Does this program show the symptom? 1: yes, 0: no. Writes into `said` one line with the number
 * that was measured, and closes it with a 0. The program may be the one of program.c or the right
 * one; the answer must be the same for every seed and at every call. */
enum { SAID = 200 };
TASK int symptom(const Program *program, unsigned seed, char said[SAID]);

#endif
