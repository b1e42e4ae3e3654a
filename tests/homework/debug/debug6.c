/* debug6.c: five right answers to debug-6, in different styles; answers.sh hands in each. */
#include "debug6.h"

#include <string.h>

/* 1. Without gain the layer returns what it is given. */
int style_1(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    int text[7];
    double x[7 * CHANNELS], h[7 * CHANNELS], off = 0;
    program->begin(&m, &seed);
    memset(m.gain, 0, sizeof m.gain);
    program->draw(text, 7, &seed);
    program->embed(&m, text, 7, x);
    program->layer(&m, text, 7, h);
    for (int i = 0; i < 7 * CHANNELS; i++)
        off = fmax(off, fabs(h[i] - x[i]));
    snprintf(said, SAID, "h differs from x by up to %.3f", off);
    return off > 1e-12;
}

/* 2. The layer by its equation. */
int style_2(const Program *program, unsigned seed, char said[SAID])
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

/* 3. The same letter at positions 0 and 1: by how much of a position do the rows differ? */
int style_3(const Program *program, unsigned seed, char said[SAID])
{
    Model m = {.gain = {0}};
    const int text[] = {1, 1, 1};
    double h[3 * CHANNELS];
    (void)seed;
    program->layer(&m, text, 3, h);
    double ratio = (h[CHANNELS] - h[0]) / (program->position(1, 0) - program->position(0, 0));
    snprintf(said, SAID, "one step is %.2f steps of the encoding", ratio);
    return ratio > 1.5;
}

/* 4. The length of h at one position, with embeddings of 0. */
int style_4(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    int text[4] = {0};
    double h[4 * CHANNELS], square = 0;
    program->begin(&m, &seed);
    for (int c = 0; c < CHANNELS; c++)
        m.embedding[0][c] = m.gain[c] = 0;
    program->layer(&m, text, 4, h);
    for (int c = 0; c < CHANNELS; c++)
        square += h[3 * CHANNELS + c] * h[3 * CHANNELS + c];
    snprintf(said, SAID, "|h|^2 = %.2f; sines and cosines of 8 frequencies have 8", square);
    return square > 16;
}

/* 5. An embedding that takes the position away again leaves 0. */
int style_5(const Program *program, unsigned seed, char said[SAID])
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
