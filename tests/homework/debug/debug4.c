/* debug4.c: five right answers to debug-4, in different styles; answers.sh hands in each. */
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

/* 3. A loss of a code cannot be negative where the noise is this large. */
int style_3(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    program->begin(&m);
    double loss = 0;
    for (int k = 0; k < 3; k++)
        loss = program->train(&m, 100, &seed);
    sprintf(said, "after 300 steps the loss is %.3f", loss);
    return loss < 1 ? 1 : 0;
}

/* 4. Of a code that is not looked at, the deviation that costs least is 1, not 0. */
int style_4(const Program *program, unsigned seed, char said[SAID])
{
    Model narrow = {0, -5, 0}, wide = {0, 5, 0};
    (void)seed;
    double less = program->loss(&narrow, 1, 0) - program->loss(&wide, 1, 0);
    snprintf(said, SAID, "a deviation near 0 costs %.2f nats more than one near 1", less);
    return less < 0;
}

/* 5. Training makes the KL divergence large. */
static double divergence(const Model *m, double x)
{
    double mean = tanh(m->look) * x, s = 1 / (1 + exp(-m->spread));
    return (mean * mean + s * s - 1) / 2 - log(s);
}
int style_5(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    double kl = 0;
    program->begin(&m);
    program->train(&m, 300, &seed);
    for (int i = 0; i < 500; i++)
        kl += divergence(&m, program->draw(&seed)) / 500;
    snprintf(said, SAID, "KL is %.2f nats in the mean", kl);
    return kl > 3;
}
