/* debug1.c: a right answer to debug-1, not as the solution; debug.sh adds the line. */
#include "debug1.h"

/* A closed form: a query of ones, one key of ones and one of zeros have the scores 8 and 0. */
int symptom(const Program *program, unsigned seed, char said[SAID])
{
    double q[64], k[128] = {0}, a[2];
    (void)seed;
    for (int c = 0; c < 64; c++)
        q[c] = k[c] = 1;
    program->weights(a, q, k, 2, 64);
    double score = log(a[0]) - log(a[1] > 0 ? a[1] : 1e-300);
    snprintf(said, SAID, "score %g, expected 8", score);
    return fabs(score - 8) > 1e-6;
}
