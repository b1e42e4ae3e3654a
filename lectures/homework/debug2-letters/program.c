/* program.c: a language model of letters. After letter l comes l + 1 with probability 0.6, l + 2
 * with 0.3 and l + 3 with 0.1 (modulo 4), so that no model can have a loss below 0.898, the entropy
 * of a letter given those before it. Attention looks at the letters of the text by their distance.
 *
 *     cc -o try program.c debug2.c -lm && ./try */
#include "debug2.h"

enum { BATCH = 8, TEXT = 10 };

static void begin(Model *m, unsigned *state)
{
    for (int l = 0; l < LETTERS; l++)
        for (int v = 0; v < LETTERS; v++)
            m->after[l][v] = 0.1 * normal(state);
    for (int d = 0; d < 2 * LONGEST; d++)
        m->near[d] = 0.1 * normal(state);
}

static void draw(int *text, int n, unsigned *state)
{
    text[0] = (int)(LETTERS * uniform(state));
    for (int i = 1; i < n; i++) {
        double u = uniform(state);
        text[i] = (text[i - 1] + (u < 0.6 ? 1 : u < 0.9 ? 2 : 3)) % LETTERS;
    }
}

/* Weights a (n, n) of letter j for letter i. */
static void attention(const Model *m, int n, double *a)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) {
            /* stub| bool kept = j >= i; */
            /* BEGIN SOLUTION */
            bool kept = j <= i;
            /* END SOLUTION */
            a[i * n + j] = kept ? exp(m->near[LONGEST + j - i]) : 0;
            sum += a[i * n + j];
        }
        for (int j = 0; j < n; j++)
            a[i * n + j] /= sum;
    }
}

static void logits(const Model *m, const int *text, int n, double *y)
{
    double a[LONGEST * LONGEST];
    attention(m, n, a);
    for (int i = 0; i < n; i++)
        for (int v = 0; v < LETTERS; v++) {
            y[i * LETTERS + v] = 0;
            for (int j = 0; j < n; j++)
                y[i * LETTERS + v] += a[i * n + j] * m->after[text[j]][v];
        }
}

/* dL/dy of one letter into dy, where L = -log of the probability of `next`; returns L. */
static double cross_entropy(const double *y, int next, double *dy)
{
    double sum = 0;
    for (int v = 0; v < LETTERS; v++)
        sum += exp(y[v]);
    for (int v = 0; v < LETTERS; v++)
        dy[v] = exp(y[v]) / sum - (v == next);
    return log(sum) - y[next];
}

/* Adds the gradient of one text to `slope`; returns the sum of its losses. */
static double example(const Model *m, Model *slope, unsigned *state)
{
    int text[TEXT];
    double a[TEXT * TEXT], y[TEXT * LETTERS], dy[LETTERS], loss = 0;
    draw(text, TEXT, state);
    attention(m, TEXT, a);
    logits(m, text, TEXT, y);
    for (int i = 0; i < TEXT - 1; i++) {
        double da[TEXT], mean = 0;
        loss += cross_entropy(y + i * LETTERS, text[i + 1], dy);
        for (int j = 0; j < TEXT; j++) {
            da[j] = 0;
            for (int v = 0; v < LETTERS; v++) {
                da[j] += dy[v] * m->after[text[j]][v];
                slope->after[text[j]][v] += a[i * TEXT + j] * dy[v];
            }
            mean += a[i * TEXT + j] * da[j];
        }
        for (int j = 0; j < TEXT; j++)
            slope->near[LONGEST + j - i] += a[i * TEXT + j] * (da[j] - mean);
    }
    return loss;
}

static double train(Model *m, int steps, unsigned *state)
{
    double loss = 0, rate = 2.0 / (BATCH * (TEXT - 1));
    for (int step = 0; step < steps; step++) {
        Model slope = {.after = {{0}}};
        for (int i = 0; i < BATCH; i++)
            loss += example(m, &slope, state) / (BATCH * (TEXT - 1)) / steps;
        for (int l = 0; l < LETTERS; l++)
            for (int v = 0; v < LETTERS; v++)
                m->after[l][v] -= rate * slope.after[l][v];
        for (int d = 0; d < 2 * LONGEST; d++)
            m->near[d] -= rate * slope.near[d];
    }
    return loss;
}

const Program program = {begin, draw, logits, train};

TRY(begin(&m, &state))
