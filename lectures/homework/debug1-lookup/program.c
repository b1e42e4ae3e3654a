/* program.c: a memory that is asked. Each of 8 keys has 64 channels. A query is one of the keys in
 * its first 16 channels, and noise in the others. Attention looks for the key; a gain for each
 * channel of the query is learned, so that the noise can be scaled down.
 *
 *     cc -o try program.c debug1.c -lm && ./try */
#include "debug1.h"

enum { SIGNAL = 16, BATCH = 16 };

static double product(const double *a, const double *b, int d)
{
    double sum = 0;
    for (int c = 0; c < d; c++)
        sum += a[c] * b[c];
    return sum;
}

static void weights(double *a, const double *q, const double *k, int n, int d)
{
    double largest = -INFINITY, sum = 0;
    for (int j = 0; j < n; j++) {
        /* stub| a[j] = product(q, k + j * d, d); */
        /* BEGIN SOLUTION */
        a[j] = product(q, k + j * d, d) / sqrt(d);
        /* END SOLUTION */
        largest = a[j] > largest ? a[j] : largest;
    }
    for (int j = 0; j < n; j++)
        sum += a[j] = exp(a[j] - largest);
    for (int j = 0; j < n; j++)
        a[j] /= sum;
}

static void begin(Model *m)
{
    for (int c = 0; c < CHANNELS; c++)
        m->gain[c] = 1;
}

static int draw(double *q, double *k, unsigned *state)
{
    int right = (int)(KEYS * uniform(state));
    for (int i = 0; i < KEYS * CHANNELS; i++)
        k[i] = normal(state);
    for (int c = 0; c < CHANNELS; c++)
        q[c] = c < SIGNAL ? k[right * CHANNELS + c] : normal(state);
    return right;
}

/* Adds dL/dgain of one example to `slope`; returns its loss. With the scores s and L = -log
 * a_right, dL/ds_j = a_j - 1 for the right key and a_j for the others. */
static double example(const Model *m, double *slope, unsigned *state)
{
    double q[CHANNELS], scaled[CHANNELS], k[KEYS * CHANNELS], a[KEYS];
    int right = draw(q, k, state);
    for (int c = 0; c < CHANNELS; c++)
        scaled[c] = m->gain[c] * q[c];
    weights(a, scaled, k, KEYS, CHANNELS);
    for (int j = 0; j < KEYS; j++)
        for (int c = 0; c < CHANNELS; c++)
            slope[c] += (a[j] - (j == right)) * q[c] * k[j * CHANNELS + c] / sqrt(CHANNELS);
    return -log(a[right] + 1e-300);
}

static double train(Model *m, int steps, unsigned *state)
{
    double loss = 0;
    for (int step = 0; step < steps; step++) {
        double slope[CHANNELS] = {0};
        for (int i = 0; i < BATCH; i++)
            loss += example(m, slope, state) / BATCH / steps;
        for (int c = 0; c < CHANNELS; c++)
            m->gain[c] -= 0.5 * slope[c] / BATCH;
    }
    return loss;
}

const Program program = {weights, begin, draw, train};

TRY(begin(&m))
