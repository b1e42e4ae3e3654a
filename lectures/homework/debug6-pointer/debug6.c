/* debug6.c: the wrong line of program.c, and a test that shows its symptom. README.md says what is
 * asked. You may add static functions of your own. */
#include "debug6.h"

int wrong_line(void)
{
    /* BEGIN SOLUTION: the number of the line */
    int line = 45;
    return line;
    /* END SOLUTION */
}

int symptom(const Program *program, unsigned seed, char said[SAID])
{
    /* BEGIN SOLUTION: call functions of the program, measure a number that is wrong, say it and
     * decide */
    /* Without embeddings and without gain the layer returns the encoding of each position. */
    enum { N = 6 };
    Model m = {.gain = {0}};
    int text[N];
    double h[N * CHANNELS], off = 0;
    program->draw(text, N, &seed);
    program->layer(&m, text, N, h);
    for (int t = 0; t < N; t++)
        for (int c = 0; c < CHANNELS; c++)
            off = fmax(off, fabs(h[t * CHANNELS + c] - program->position(t, c)));
    snprintf(said, SAID, "without embeddings and gain, |h - position| is up to %.3f", off);
    int found = off > 1e-9;
    return found;
    /* END SOLUTION */
}
