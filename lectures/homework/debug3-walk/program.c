/* program.c: a model of a walk on a circle of 6 places. A step goes to the next place with
 * probability 0.6, to the one after it with 0.3 and one place back with 0.1, so that no model can
 * have a loss below 0.898, the entropy of a step. Place v after u has the logit out_v . tanh(in_u).
 *
 *     cc -o try program.c debug3.c -lm && ./try */
#include "debug3.h"

enum { BATCH = 8, WALK = 11 };

static void begin(Model *m, unsigned *state)
{
    for (int v = 0; v < PLACES; v++)
        for (int c = 0; c < CHANNELS; c++) {
            m->in[v][c] = normal(state);
            m->out[v][c] = 0.3 * normal(state);
        }
}

static void draw(int *walk, int n, unsigned *state)
{
    walk[0] = (int)(PLACES * uniform(state));
    for (int i = 1; i < n; i++) {
        double u = uniform(state);
        walk[i] = (walk[i - 1] + (u < 0.6 ? 1 : u < 0.9 ? 2 : PLACES - 1)) % PLACES;
    }
}

static void predict(const Model *m, int place, double *p)
{
    double sum = 0;
    for (int v = 0; v < PLACES; v++) {
        double y = 0;
        for (int c = 0; c < CHANNELS; c++)
            y += m->out[v][c] * tanh(m->in[place][c]);
        sum += p[v] = exp(y);
    }
    for (int v = 0; v < PLACES; v++)
        p[v] /= sum;
}

/* Adds the gradient of -log p[label] after `place` to `slope`. */
static void backward(const Model *m, int place, int label, const double *p, Model *slope)
{
    for (int c = 0; c < CHANNELS; c++) {
        double h = tanh(m->in[place][c]), dh = 0;
        for (int v = 0; v < PLACES; v++) {
            double dy = p[v] - (v == label);
            dh += dy * m->out[v][c];
            slope->out[v][c] += dy * h;
        }
        slope->in[place][c] += dh * (1 - h * h);
    }
}

/* The mean loss of a walk; its gradient is added to `slope`, unless that is NULL. */
static double example(const Model *m, const int *walk, int n, Model *slope)
{
    double p[PLACES], loss = 0;
    for (int i = 0; i + 1 < n; i++) {
        /* stub| int place = walk[i], label = walk[i]; */
        /* BEGIN SOLUTION */
        int place = walk[i], label = walk[i + 1];
        /* END SOLUTION */
        predict(m, place, p);
        loss -= log(p[label]) / (n - 1);
        if (slope)
            backward(m, place, label, p, slope);
    }
    return loss;
}

static double loss(const Model *m, const int *walk, int n)
{
    return example(m, walk, n, NULL);
}

static double train(Model *m, int steps, unsigned *state)
{
    double mean = 0, rate = 1.0 / (BATCH * (WALK - 1));
    for (int step = 0; step < steps; step++) {
        Model slope = {.in = {{0}}};
        int walk[WALK];
        for (int i = 0; i < BATCH; i++) {
            draw(walk, WALK, state);
            mean += example(m, walk, WALK, &slope) / BATCH / steps;
        }
        for (int v = 0; v < PLACES; v++)
            for (int c = 0; c < CHANNELS; c++) {
                m->in[v][c] -= rate * slope.in[v][c];
                m->out[v][c] -= rate * slope.out[v][c];
            }
    }
    return mean;
}

const Program program = {begin, draw, predict, loss, train};

TRY(begin(&m, &state))
