/* homework.h: what the tests of an assignment are written with (GUIDE.md leads through it).
 *
 * A test is a function that makes inputs, calls what the student wrote, and names the outputs. The
 * very same function is run with the submission, with the reference and with each known mistake;
 * the grader compares what they leave in the outputs. So a test holds no expected value.
 *
 *   static void softmax_case(Case *c)
 *   {
 *       int rows = case_size(c, "rows", 1, 4), n = case_size(c, "n", 1, 6);
 *       const real *x = case_input(c, "x", 2, rows, n);
 *       softmax(case_output(c, "y", 2, rows, n), x, rows, n);
 *   }
 *   const Test tests[] = {{"softmax", "softmax", "softmax of rows", POINTS(10), softmax_case}, {0}};
 */
#ifndef HOMEWORK_H
#define HOMEWORK_H

#include "kind.h"

#include <stdbool.h>

/* As in every hwN.h, so that either may come first. */
#ifdef GRADUS_F64
typedef double real;
#else
typedef float real;
#endif

typedef struct Case Case; /* one call of the function: its sizes, inputs and outputs */

/* ---- inputs ---------------------------------------------------------------------------------- */

/* A size from low to high. The first cases have the smallest, later ones grow: the first case that
 * fails is a small one. */
int case_size(Case *c, const char *name, int low, int high);

/* Any whole number from low to high: a switch, an axis, a position. */
int case_choice(Case *c, const char *name, int low, int high);

/* The numbers from low to high in turn, one a case: for what every run must try, such as all the
 * ways to broadcast. */
int case_turn(Case *c, const char *name, int low, int high);

/* Arrays: a name, a rank (at most 4) and as many ints. The macros below say what they are. */
real *case_reals(Case *c, const char *name, CaseKind kind, double scale, int rank, ...);
int *case_wholes(Case *c, const char *name, CaseKind kind, int low, int high, int rank, ...);

/* Random numbers, about normal times `scale`, multiples of 1/32 times the scale: short to print and
 * the same in float and double. The function under test must not change them. */
#define case_input(c, name, ...) case_input_scaled(c, name, 1, __VA_ARGS__)
#define case_input_scaled(c, name, scale, ...) \
    ((const real *)case_reals(c, name, CASE_INPUT, scale, __VA_ARGS__))

/* Random whole numbers from low to high: token ids, masks of 0 and 1. */
#define case_integers(c, name, low, high, ...) \
    ((const int *)case_wholes(c, name, CASE_INPUT, low, high, __VA_ARGS__))

/* An input that the test fills itself, before it makes an output: case_random and case_normal
 * help. */
#define case_given(c, name, ...)          case_reals(c, name, CASE_GIVEN, 0, __VA_ARGS__)
#define case_given_integers(c, name, ...) case_wholes(c, name, CASE_GIVEN, 0, 0, __VA_ARGS__)
double case_random(Case *c); /* from 0 up to, not including, 1 */
double case_normal(Case *c); /* mean 0, variance 1 */

/* ---- outputs --------------------------------------------------------------------------------- */

/* Filled with -9999 before the call, so that what is not written shows. */
#define case_output(c, name, ...)          case_reals(c, name, CASE_OUTPUT, 0, __VA_ARGS__)
#define case_output_integers(c, name, ...) case_wholes(c, name, CASE_OUTPUT, 0, 0, __VA_ARGS__)

/* Holds random numbers before the call, to which the function must ADD: a gradient. */
#define case_sum(c, name, ...) case_reals(c, name, CASE_SUM, 1, __VA_ARGS__)

/* ---- the table ------------------------------------------------------------------------------- */

/* Points are known to the grader alone: where a submission runs, they are all 0. */
#ifdef HOMEWORK_JUDGE
#define POINTS(n)                                                                              \
    ((n) + 0 * (int)sizeof(struct {                                                            \
               _Static_assert((n) >= 0 && (n) == (int)(n), "expected whole points from 0 on"); \
               int whole;                                                                      \
           }))
#else
#define POINTS(n) 0
#endif

typedef struct {
    const char *name; /* one word, unique */
    /* Whom it tries. The functions' order in the table is the assignment's: in a test of one, all
     * those before it are the reference's. */
    const char *function;
    const char *title;
    int points;
    void (*body)(Case *c);
    const char *needs; /* a test that has to pass first; without that, this one is "blocked" */

    /* A gradient test names the body that computes the forward function from inputs of the same
     * names and sizes, which gradient belongs to which of them ("da:a db:b"), and the upstream
     * gradients ("dc:c": L = sum of dc * c). The finite differences of L are then what it is
     * compared with. */
    void (*forward)(Case *c);
    const char *gradients;
    const char *upstream;

    int cases;   /* how many, for the shown and for the hidden seed; 0 means 12 */
    int seconds; /* of processor time, where 2 are too few; mistakes are then not looked for */
} Test;

extern const Test tests[];        /* of tests.c; the last one is {0}                     */
extern const Test hidden_tests[]; /* of an instructor's overlay, hidden.c; the same way  */

#endif
