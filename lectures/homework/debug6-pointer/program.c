/* program.c: which is the third letter of a text? A text is embedded and goes through a layer with
 * a residual path, h = x + gain tanh(x); a learned query attends to its letters, and the weights of
 * equal letters are added up.
 *
 *     cc -o try program.c debug6.c -lm && ./try */
#include "debug6.h"

enum { BATCH = 16, TEXT = 8 };

static void begin(Model *m, unsigned *state)
{
    for (int c = 0; c < CHANNELS; c++) {
        for (int l = 0; l < LETTERS; l++)
            m->embedding[l][c] = 0.5 * normal(state);
        m->gain[c] = 0.5 * normal(state);
        m->query[c] = 0;
    }
}

static int draw(int *text, int n, unsigned *state)
{
    for (int t = 0; t < n; t++)
        text[t] = (int)(LETTERS * uniform(state));
    return text[2];
}

static double position(int t, int c)
{
    double angle = t * pow(100, -(c / 2) / (CHANNELS / 2.0));
    return c % 2 ? cos(angle) : sin(angle);
}

static void embed(const Model *m, const int *text, int n, double *x)
{
    for (int t = 0; t < n; t++)
        for (int c = 0; c < CHANNELS; c++)
            x[t * CHANNELS + c] = m->embedding[text[t]][c] + position(t, c);
}

static void layer(const Model *m, const int *text, int n, double *h)
{
    embed(m, text, n, h);
    for (int t = 0; t < n; t++)
        for (int c = 0; c < CHANNELS; c++) {
            /* stub| double x = h[t * CHANNELS + c] + position(t, c); */
            /* BEGIN SOLUTION */
            double x = h[t * CHANNELS + c];
            /* END SOLUTION */
            h[t * CHANNELS + c] = x + m->gain[c] * tanh(x);
        }
}

/* Weights a (n) of the query over the rows of h (n, CHANNELS). */
static void attention(const Model *m, const double *h, int n, double *a)
{
    double largest = -INFINITY, sum = 0;
    for (int t = 0; t < n; t++) {
        a[t] = 0;
        for (int c = 0; c < CHANNELS; c++)
            a[t] += m->query[c] * h[t * CHANNELS + c] / sqrt(CHANNELS);
        largest = fmax(largest, a[t]);
    }
    for (int t = 0; t < n; t++)
        sum += a[t] = exp(a[t] - largest);
    for (int t = 0; t < n; t++)
        a[t] /= sum;
}

static void predict(const Model *m, const int *text, int n, double *p)
{
    double h[LONGEST * CHANNELS], a[LONGEST];
    layer(m, text, n, h);
    attention(m, h, n, a);
    for (int l = 0; l < LETTERS; l++)
        p[l] = 0;
    for (int t = 0; t < n; t++)
        p[text[t]] += a[t];
}

/* Adds dL/dquery of one text to `slope`; returns L, -log of the right letter's probability p. Where
 * that letter stands, dL/da_t = -1 / p. */
static double example(const Model *m, double *slope, unsigned *state)
{
    int text[TEXT], label = draw(text, TEXT, state);
    double h[TEXT * CHANNELS], a[TEXT], p = 0;
    layer(m, text, TEXT, h);
    attention(m, h, TEXT, a);
    for (int t = 0; t < TEXT; t++)
        p += text[t] == label ? a[t] : 0;
    for (int t = 0; t < TEXT; t++)
        for (int c = 0; c < CHANNELS; c++)
            slope[c] += a[t] * (1 - (text[t] == label) / p) * h[t * CHANNELS + c] / sqrt(CHANNELS);
    return -log(p);
}

static double train(Model *m, int steps, unsigned *state)
{
    double loss = 0;
    for (int step = 0; step < steps; step++) {
        double slope[CHANNELS] = {0};
        for (int i = 0; i < BATCH; i++)
            loss += example(m, slope, state) / BATCH / steps;
        for (int c = 0; c < CHANNELS; c++)
            m->query[c] -= 4 * slope[c] / BATCH;
    }
    return loss;
}

const Program program = {begin, draw, position, embed, layer, predict, train};

TRY(begin(&m, &state))
