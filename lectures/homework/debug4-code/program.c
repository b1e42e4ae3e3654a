/* program.c: a variational autoencoder of numbers. The data are x = 2 z + noise, z and the noise
 * normal; the encoder says q(z | x), the decoder p(x | z), and p(z) = N(0, 1). The loss is the
 * negative ELBO, estimated with one z. Three numbers are learned; their gradient is measured by
 * moving each a little to both sides.
 *
 *     cc -o try program.c debug4.c -lm && ./try */
#include "debug4.h"

enum { BATCH = 32, NUMBERS = 3 };

static void begin(Model *m)
{
    m->look = 0.1;
    m->spread = 0;
    m->write = 0.5;
}

static double draw(unsigned *state)
{
    double z = normal(state);
    return 2 * z + NOISE * normal(state);
}

static double square(double x)
{
    return x * x;
}

static double loss(const Model *m, double x, double noise)
{
    double mean = tanh(m->look) * x, deviation = 1 / (1 + exp(-m->spread));
    double z = mean + deviation * noise;
    double miss = square((x - m->write * z) / NOISE) / 2 + log(NOISE * sqrt(6.283185307179586));
    double kl = (square(mean) + square(deviation) - 1) / 2 - log(deviation);
    /* stub| return miss - kl; */
    /* BEGIN SOLUTION */
    return miss + kl;
    /* END SOLUTION */
}

/* dL/d*number, where number is one of those of m. */
static double slope(const Model *m, double *number, double x, double noise)
{
    double at = *number, h = 1e-4;
    *number = at + h;
    double above = loss(m, x, noise);
    *number = at - h;
    double below = loss(m, x, noise);
    *number = at;
    return (above - below) / (2 * h);
}

static double train(Model *m, int steps, unsigned *state)
{
    double *number[NUMBERS] = {&m->look, &m->spread, &m->write}, mean = 0;
    for (int step = 0; step < steps; step++) {
        double sum[NUMBERS] = {0};
        for (int i = 0; i < BATCH; i++) {
            double x = draw(state), noise = normal(state);
            mean += loss(m, x, noise) / BATCH / steps;
            for (int k = 0; k < NUMBERS; k++)
                sum[k] += slope(m, number[k], x, noise) / BATCH;
        }
        for (int k = 0; k < NUMBERS; k++)
            *number[k] -= 0.01 * sum[k];
    }
    return mean;
}

const Program program = {begin, draw, loss, train};

TRY(begin(&m))
