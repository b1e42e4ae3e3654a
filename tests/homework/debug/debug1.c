/* debug1.c: five right answers to debug-1, in different styles; answers.sh hands in each. */
#include "debug1.h"

#include <stdlib.h>
#include <string.h>

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

/* 2. The entropy of the weights, for channels that are ever more. */
static double mean_entropy(const Program *p, int d, unsigned *seed)
{
    double sum = 0, *q = malloc(sizeof(double) * (size_t)d),
           *k = malloc(sizeof(double) * 8 * (size_t)d);
    for (int turn = 0; turn < 50; turn++) {
        double a[8];
        for (int c = 0; c < d; c++)
            q[c] = normal(seed);
        for (int c = 0; c < 8 * d; c++)
            k[c] = normal(seed);
        p->weights(a, q, k, 8, d);
        for (int j = 0; j < 8; j++)
            sum -= a[j] > 0 ? a[j] * log(a[j]) / 50 : 0;
    }
    free(q);
    free(k);
    return sum;
}
int style_2(const Program *program, unsigned seed, char said[SAID])
{
    double few = mean_entropy(program, 4, &seed), many = mean_entropy(program, 400, &seed);
    snprintf(said, SAID, "entropy %.2f at 4 channels and %.2f at 400", few, many);
    if (many < few / 2)
        return 1;
    return 0;
}

/* 3. The loss before training: -log of a weight that is nearly 0 is large. */
int style_3(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    program->begin(&m);
    double loss = 0;
    for (int i = 0; i < 40; i++) {
        double q[CHANNELS], k[KEYS * CHANNELS], a[KEYS], s[KEYS], sum = 0;
        int t = program->draw(q, k, &seed);
        program->weights(a, q, k, KEYS, CHANNELS);
        for (int j = 0; j < KEYS; j++) {
            s[j] = 0;
            for (int c = 0; c < CHANNELS; c++)
                s[j] += q[c] * k[j * CHANNELS + c] / 8;
            sum += exp(s[j]);
        }
        loss = fmax(loss, fabs(a[t] - exp(s[t]) / sum));
    }
    snprintf(said, SAID, "weights are off by %.4f from equations 1 and 2", loss);
    return loss > 1e-6;
}

/* 4. The variance of the scores, from ratios of weights to that of the first key. */
int style_4(const Program *program, unsigned seed, char said[SAID])
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

/* 5. Twice the channels, each of them twice: the score must grow by sqrt(2), not by 2. */
static double score_of(const Program *p, int d)
{
    double q[128], k[256], a[2];
    memset(k, 0, sizeof k);
    for (int c = 0; c < d; c++)
        q[c] = k[c] = 0.5;
    p->weights(a, q, k, 2, d);
    return log(a[0] / a[1]);
}
int style_5(const Program *program, unsigned seed, char said[SAID])
{
    double growth = score_of(program, 32) / score_of(program, 16);
    (void)seed;
    snprintf(said, SAID, "with twice the channels a score is %.3f times as large", growth);
    return growth > 1.7;
}
