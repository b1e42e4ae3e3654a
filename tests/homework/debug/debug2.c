/* debug2.c: a right answer to debug-2, not as the solution; debug.sh adds the line. */
#include "debug2.h"

/* The logits of a text's beginning, alone and within the text. */
int symptom(const Program *program, unsigned seed, char said[SAID])
{
    Model model;
    int x[12];
    double whole[12 * LETTERS], part[12 * LETTERS];
    int wrong = 0;
    program->begin(&model, &seed);
    program->draw(x, 12, &seed);
    program->logits(&model, x, 12, whole);
    for (int n = 1; n < 12; n++) {
        program->logits(&model, x, n, part);
        for (int i = 0; i < n * LETTERS; i++)
            if (fabs(part[i] - whole[i]) > 1e-10)
                wrong++;
    }
    sprintf(said, "%d logits change when letters are appended", wrong);
    return wrong != 0;
}
