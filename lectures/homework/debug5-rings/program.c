/* program.c: which of two rings is a point in? A network with one hidden layer of 16 units, and
 * dropout of a quarter of them. What is kept is divided by 1 - 1/4, so that the expectation stays.
 *
 *     cc -o try program.c debug5.c -lm && ./try */
#include "debug5.h"

enum { BATCH = 32 };
#define DROP 0.25

static void begin(Model *m, unsigned *state)
{
    m->shift = 0;
    for (int j = 0; j < UNITS; j++) {
        m->in[j][0] = normal(state);
        m->in[j][1] = normal(state);
        m->bias[j] = normal(state);
        m->out[j] = 0.3 * normal(state);
    }
}

/* Class 0: about 0.5 from the middle; class 1: about 1.5. */
static int draw(double x[2], unsigned *state)
{
    int class = uniform(state) < 0.5;
    double angle = 6.283185307179586 * uniform(state), radius = 0.5 + class + 0.1 * normal(state);
    x[0] = radius * cos(angle);
    x[1] = radius * sin(angle);
    return class;
}

/* The hidden units h and what each was multiplied by; returns the probability of class 1. */
static double forward(const Model *m, const double x[2], bool training, double *h, double *factor,
                      unsigned *noise)
{
    double logit = m->shift;
    for (int j = 0; j < UNITS; j++) {
        factor[j] = 1;
        if (training)
            factor[j] = uniform(noise) < DROP ? 0 : 1 / (1 - DROP);
        h[j] = tanh(m->in[j][0] * x[0] + m->in[j][1] * x[1] + m->bias[j]);
        logit += m->out[j] * factor[j] * h[j];
    }
    return 1 / (1 + exp(-logit));
}

static double predict(const Model *m, const double x[2], unsigned *noise)
{
    double h[UNITS], factor[UNITS];
    /* stub| return forward(m, x, true, h, factor, noise); */
    /* BEGIN SOLUTION */
    return forward(m, x, false, h, factor, noise);
    /* END SOLUTION */
}

/* Adds the gradient of one example to `slope`; returns its loss. */
static double example(const Model *m, Model *slope, unsigned *state)
{
    double x[2], h[UNITS], factor[UNITS];
    int class = draw(x, state);
    double p = forward(m, x, true, h, factor, state);
    double dlogit = p - class;
    slope->shift += dlogit;
    for (int j = 0; j < UNITS; j++) {
        double dsum = dlogit * m->out[j] * factor[j] * (1 - h[j] * h[j]);
        slope->out[j] += dlogit * factor[j] * h[j];
        slope->in[j][0] += dsum * x[0];
        slope->in[j][1] += dsum * x[1];
        slope->bias[j] += dsum;
    }
    return -log(class ? p : 1 - p);
}

static double train(Model *m, int steps, unsigned *state)
{
    double loss = 0, rate = 1.0 / BATCH;
    for (int step = 0; step < steps; step++) {
        Model slope = {.shift = 0};
        for (int i = 0; i < BATCH; i++)
            loss += example(m, &slope, state) / BATCH / steps;
        m->shift -= rate * slope.shift;
        for (int j = 0; j < UNITS; j++) {
            m->out[j] -= rate * slope.out[j];
            m->in[j][0] -= rate * slope.in[j][0];
            m->in[j][1] -= rate * slope.in[j][1];
            m->bias[j] -= rate * slope.bias[j];
        }
    }
    return loss;
}

const Program program = {begin, draw, predict, train};

TRY(begin(&m, &state))
