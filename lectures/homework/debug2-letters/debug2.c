/* debug2.c: the wrong line of program.c, and a test that shows its symptom. README.md says what is
 * asked. You may add static functions of your own. */
#include "debug2.h"

int wrong_line(void)
{
    /* BEGIN SOLUTION: the number of the line */
    int line = 34;
    return line;
    /* END SOLUTION */
}

int symptom(const Program *program, unsigned seed, char said[SAID])
{
    /* BEGIN SOLUTION: call functions of the program, measure a number that is wrong, say it and
     * decide */
    /* The last letter is exchanged: the logits of the letters before it must stay. */
    enum { N = 8 };
    Model m;
    int text[N];
    double before[N * LETTERS], after[N * LETTERS], moved = 0;
    program->begin(&m, &seed);
    program->draw(text, N, &seed);
    program->logits(&m, text, N, before);
    text[N - 1] = (text[N - 1] + 1) % LETTERS;
    program->logits(&m, text, N, after);
    for (int i = 0; i < (N - 1) * LETTERS; i++)
        moved = fmax(moved, fabs(after[i] - before[i]));
    snprintf(said, SAID, "another last letter moves the logits before it by up to %.3f", moved);
    int found = moved > 1e-9;
    return found;
    /* END SOLUTION */
}
