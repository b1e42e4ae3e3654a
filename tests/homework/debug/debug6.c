/* debug6.c: a right answer to debug-6, not as the solution; debug.sh adds the line. */
#include "debug6.h"

/* The layer by its equation. */
int symptom(const Program *program, unsigned seed, char said[SAID])
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
