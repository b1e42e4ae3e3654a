/* tests.c: the tests of debug-4. See bug.h, and GUIDE.md beside this folder. */
#include "debug4.h"

#include "bug.h"

static void begin(Model *m)
{
    running->begin(m);
}

static double draw(unsigned *state)
{
    return running->draw(state);
}

static double loss(const Model *m, double x, double noise)
{
    return running->loss(m, x, noise);
}

static double train(Model *m, int steps, unsigned *state)
{
    return running->train(m, steps, state);
}

static const Program shown = {begin, draw, loss, train};

BUG_TESTS(shown)
