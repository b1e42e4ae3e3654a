/* tests.c: the tests of debug-5. See bug.h, and GUIDE.md beside this folder. */
#include "debug5.h"

#include "bug.h"

static void begin(Model *m, unsigned *state)
{
    running->begin(m, state);
}

static int draw(double x[2], unsigned *state)
{
    return running->draw(x, state);
}

static double predict(const Model *m, const double x[2], unsigned *noise)
{
    return running->predict(m, x, noise);
}

static double train(Model *m, int steps, unsigned *state)
{
    return running->train(m, steps, state);
}

static const Program shown = {begin, draw, predict, train};

BUG_TESTS(shown)
