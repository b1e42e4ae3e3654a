/* debug2.h: the program of debug-2, and the functions that you write in debug2.c; README.md says
 * what is asked. */
#ifndef DEBUG2_H
#define DEBUG2_H

#include "../prelude_debug.h" /* wrong_line, symptom, and random numbers */

enum { LETTERS = 4, LONGEST = 16 };

typedef struct {
    double after[LETTERS][LETTERS]; /* logits of the next letter (column) after a letter (row) */
    double near[2 * LONGEST];       /* score of letter j for letter i: near[LONGEST + j - i]    */
} Model;

struct Program {
    /* A model with small random numbers. */
    void (*begin)(Model *m, unsigned *state);

    /* A text of n letters, 0 to LETTERS - 1, n at most LONGEST. */
    void (*draw)(int *text, int n, unsigned *state);

    /* Logits y (n, LETTERS): row i is about the letter that follows letter i of the text. */
    void (*logits)(const Model *m, const int *text, int n, double *y);

    /* Trains for so many steps; returns the mean loss of a letter, -log of its probability. */
    double (*train)(Model *m, int steps, unsigned *state);
};

#endif
