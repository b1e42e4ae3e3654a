/* debug1.c: two right answers to debug-1, in different styles; debug.sh hands in each. */
#include "debug1.h"

/* 1. A closed form: a query of ones, one key of ones and one of zeros have the scores 8 and 0. */
int style_1(const Program *program, unsigned seed, char said[SAID])
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

/* 2. The variance of the scores, from ratios of weights to that of the first key. */
int style_2(const Program *program, unsigned seed, char said[SAID])
{
    enum { D = 16, DRAWS = 4000 };
    double square = 0;
    for (int i = 0; i < DRAWS; i++) {
        double q[D], k[2 * D], a[2];
        for (int c = 0; c < D; c++) {
            q[c] = normal(&seed);
            k[c] = normal(&seed);
            k[D + c] = 0;
        }
        program->weights(a, q, k, 2, D);
        double s = log(a[0] / a[1]);
        square += s * s;
    }
    sprintf(said, "the variance of a score is %.2f", square / DRAWS);
    return square / DRAWS > 4 ? 1 : 0;
}
