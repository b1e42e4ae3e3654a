/* debug4.c: two right answers to debug-4, in different styles; debug.sh hands in each. */
#include "debug4.h"

/* 1. The closed form of the loss. */
int style_1(const Program *program, unsigned seed, char said[SAID])
{
    Model m = {0.3, -1, 1.5};
    double x = normal(&seed), noise = normal(&seed);
    double mean = tanh(m.look) * x, s = 1 / (1 + exp(-m.spread)), z = mean + s * noise;
    double miss = pow((x - m.write * z) / NOISE, 2) / 2 + log(NOISE * sqrt(2 * acos(-1)));
    double expected = miss + (mean * mean + s * s - 1) / 2 - log(s);
    double off = program->loss(&m, x, noise) - expected;
    snprintf(said, SAID, "the loss is off by %.4f", off);
    return fabs(off) > 1e-9;
}

/* 2. The mean loss of a trained model, against -log p(x), below which it cannot be. */
int style_2(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    double gap = 0;
    program->begin(&m);
    program->train(&m, 200, &seed);
    for (int i = 0; i < 4000; i++) {
        double x = program->draw(&seed), v = m.write * m.write + NOISE * NOISE;
        gap += (program->loss(&m, x, normal(&seed)) - log(2 * acos(-1) * v) / 2 - x * x / (2 * v)) /
               4000;
    }
    snprintf(said, SAID, "the loss is %.3f above -log p(x)", gap);
    return gap < -0.5;
}
