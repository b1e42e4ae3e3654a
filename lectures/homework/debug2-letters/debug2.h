/* debug2.h: the program of debug-2, and the functions that you write in debug2.c; README.md says
 * what is asked. */
#ifndef DEBUG2_H
#define DEBUG2_H

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

enum { LETTERS = 4, LONGEST = 16 };

typedef struct {
    double after[LETTERS][LETTERS]; /* logits of the next letter (column) after a letter (row) */
    double near[2 * LONGEST];       /* score of letter j for letter i: near[LONGEST + j - i]    */
} Model;

typedef struct {
    /* A model with small random numbers. */
    void (*begin)(Model *m, unsigned *state);

    /* A text of n letters, 0 to LETTERS - 1, n at most LONGEST. */
    void (*draw)(int *text, int n, unsigned *state);

    /* Logits y (n, LETTERS): row i is about the letter that follows letter i of the text. */
    void (*logits)(const Model *m, const int *text, int n, double *y);

    /* Trains for so many steps; returns the mean loss of a letter, -log of its probability. */
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
