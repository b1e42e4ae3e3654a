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

typedef struct Program Program; /* below: the functions that your test may call */

/* 1. The number of the line of program.c that is wrong, counted from 1. */
TASK int wrong_line(void);

/* 2. Does this program show the symptom? 1: yes, 0: no. Writes into `said` one line with the number
 * that was measured, and closes it with a 0. The program may be the one of program.c or the right
 * one; the answer must be the same for every seed and at every call. */
enum { SAID = 200 };
TASK int symptom(const Program *program, unsigned seed, char said[SAID]);

/* The last line of program.c, with the call that begins a Model m: ./try trains it, then asks your
 * test about it. */
#define TRY(begin)                                                                  \
    int main(void)                                                                  \
    {                                                                               \
        char said[SAID] = "";                                                       \
        unsigned state = 1;                                                         \
        Model m;                                                                    \
        begin;                                                                      \
        for (int steps = 50; steps <= 300; steps += 50)                             \
            printf("%4d steps: loss %.4f\n", steps, program.train(&m, 50, &state)); \
        int shown = symptom(&program, 1, said);                                     \
        printf("symptom returns %d and says: %s\n", shown, said);                   \
        return 0;                                                                   \
    }
