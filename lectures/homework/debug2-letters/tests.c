/* tests.c: the tests of debug-2. See bug.h, and GUIDE.md beside this folder. */
#include "debug2.h"

#include "bug.h"

static void begin(Model *m, unsigned *state)
{
    running->begin(m, state);
}

static void draw(int *text, int n, unsigned *state)
{
    running->draw(text, n, state);
}

static void logits(const Model *m, const int *text, int n, double *y)
{
    running->logits(m, text, n, y);
}

static double train(Model *m, int steps, unsigned *state)
{
    return running->train(m, steps, state);
}

static const Program shown = {begin, draw, logits, train};

BUG_TESTS(shown)
