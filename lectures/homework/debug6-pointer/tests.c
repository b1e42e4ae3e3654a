/* tests.c: the tests of debug-6. See bug.h, and GUIDE.md beside this folder. */
#include "debug6.h"

#include "bug.h"

static void begin(Model *m, unsigned *state)
{
    running->begin(m, state);
}

static int draw(int *text, int n, unsigned *state)
{
    return running->draw(text, n, state);
}

static double position(int t, int c)
{
    return running->position(t, c);
}

static void embed(const Model *m, const int *text, int n, double *x)
{
    running->embed(m, text, n, x);
}

static void layer(const Model *m, const int *text, int n, double *h)
{
    running->layer(m, text, n, h);
}

static void predict(const Model *m, const int *text, int n, double *p)
{
    running->predict(m, text, n, p);
}

static double train(Model *m, int steps, unsigned *state)
{
    return running->train(m, steps, state);
}

static const Program shown = {begin, draw, position, embed, layer, predict, train};

BUG_TESTS(shown)
