/* tests.c: the tests of debug-1. See bug.h, and GUIDE.md beside this folder. */
#include "debug1.h"

#include "bug.h"

static void weights(double *a, const double *q, const double *k, int n, int d)
{
    running->weights(a, q, k, n, d);
}

static void begin(Model *m)
{
    running->begin(m);
}

static int draw(double *q, double *k, unsigned *state)
{
    return running->draw(q, k, state);
}

static double train(Model *m, int steps, unsigned *state)
{
    return running->train(m, steps, state);
}

static const Program shown = {weights, begin, draw, train};

BUG_TESTS(shown)
