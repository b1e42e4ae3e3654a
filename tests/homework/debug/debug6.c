/* debug6.c: two right answers to debug-6, in different styles; debug.sh hands in each. */
#include "debug6.h"

/* 1. The layer by its equation. */
int style_1(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    int text[LONGEST], wrong = 0;
    double x[LONGEST * CHANNELS], h[LONGEST * CHANNELS];
    program->begin(&m, &seed);
    program->draw(text, LONGEST, &seed);
    program->embed(&m, text, LONGEST, x);
    program->layer(&m, text, LONGEST, h);
    for (int i = 0; i < LONGEST * CHANNELS; i++)
        wrong += fabs(h[i] - x[i] - m.gain[i % CHANNELS] * tanh(x[i])) > 1e-9;
    sprintf(said, "%d of %d numbers are not x + gain tanh(x)", wrong, LONGEST * CHANNELS);
    return wrong > 0;
}

/* 2. An embedding that takes the position away again leaves 0. */
int style_2(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    int text[5] = {0, 0, 3, 0, 0};
    double h[5 * CHANNELS], left = 0;
    program->begin(&m, &seed);
    for (int c = 0; c < CHANNELS; c++)
        m.embedding[3][c] = -program->position(2, c);
    program->layer(&m, text, 5, h);
    for (int c = 0; c < CHANNELS; c++)
        left += fabs(h[2 * CHANNELS + c]);
    snprintf(said, SAID, "%.3f is left of a position that was taken away", left);
    return left > 1e-6;
}
