/* tests.c: the tests of debug-3. See bug.h, and GUIDE.md beside this folder. */
#include "debug3.h"

#include "bug.h"

static void begin(Model *m, unsigned *state)
{
    running->begin(m, state);
}

static void draw(int *walk, int n, unsigned *state)
{
    running->draw(walk, n, state);
}

static void predict(const Model *m, int place, double *p)
{
    running->predict(m, place, p);
}

static double loss(const Model *m, const int *walk, int n)
{
    return running->loss(m, walk, n);
}

static double train(Model *m, int steps, unsigned *state)
{
    return running->train(m, steps, state);
}

static const Program shown = {begin, draw, predict, loss, train};

BUG_TESTS(shown)
