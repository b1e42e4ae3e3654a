/* hw9.c: training. README.md has the equations, hw9.h the contracts. You may add static functions
 * of your own. */
#include "hw9.h"

#include <math.h>

void shift_right(int *inputs, const int *labels, int n, int start)
{
    /* BEGIN SOLUTION: the start symbol, then the label before */
    for (int i = 0; i < n; i++)
        inputs[i] = i > 0 ? labels[i - 1] : start;
    /* END SOLUTION */
}

/* BEGIN SOLUTION: perhaps helpers: the logarithm of the sum of exp of a row, and the number of
 * labels that count */
static double log_sum_exp(const real *row, int v)
{
    double top = (double)row[0], sum = 0;
    for (int j = 1; j < v; j++)
        top = fmax(top, (double)row[j]);
    for (int j = 0; j < v; j++)
        sum += exp((double)row[j] - top);
    return top + log(sum);
}

static int counted(const int *labels, int t)
{
    int count = 0;
    for (int i = 0; i < t; i++)
        count += labels[i] >= 0;
    return count;
}
/* END SOLUTION */

real cross_entropy(const real *logits, const int *labels, int t, int v, real smoothing)
{
    /* BEGIN SOLUTION: minus the mean over counted labels of the sum over j of target_j log p_j */
    double sum = 0;
    int count = counted(labels, t);
    for (int i = 0; i < t; i++) {
        if (labels[i] < 0)
            continue;
        double whole = log_sum_exp(logits + i * v, v);
        for (int j = 0; j < v; j++) {
            double target = (double)smoothing / v + (j == labels[i] ? 1 - (double)smoothing : 0);
            sum -= target * ((double)logits[i * v + j] - whole);
        }
    }
    return count ? (real)(sum / count) : 0;
    /* END SOLUTION */
}

void cross_entropy_backward(real *dlogits, real dloss, const real *logits, const int *labels, int t,
                            int v, real smoothing)
{
    /* BEGIN SOLUTION: dloss (p_j - target_j) / the number of counted labels; 0 at ignored ones */
    int count = counted(labels, t);
    for (int i = 0; i < t; i++) {
        if (labels[i] < 0)
            continue;
        double whole = log_sum_exp(logits + i * v, v);
        for (int j = 0; j < v; j++) {
            double p = exp((double)logits[i * v + j] - whole);
            double aim = (double)smoothing / v + (j == labels[i] ? 1 - (double)smoothing : 0);
            dlogits[i * v + j] += (real)((double)dloss * (p - aim) / count);
        }
    }
    /* END SOLUTION */
}

real clip(real *g, int n, real most)
{
    /* BEGIN SOLUTION: if the norm is above most, multiply by most / norm */
    double squares = 0;
    for (int i = 0; i < n; i++)
        squares += (double)g[i] * (double)g[i];
    double norm = sqrt(squares), factor = norm > (double)most ? (double)most / norm : 1;
    for (int i = 0; i < n; i++)
        g[i] = (real)((double)g[i] * factor);
    return (real)norm;
    /* END SOLUTION */
}

real learning_rate(int step, int warmup, int total, real peak, real lowest)
{
    /* BEGIN SOLUTION: equations 4 and 5 */
    if (step <= warmup)
        return (real)((double)peak * step / warmup);
    if (step > total)
        step = total;
    double passed = (double)(step - warmup) / (total - warmup);
    double height = (1 + cos(acos(-1) * passed)) / 2;
    return (real)((double)lowest + ((double)peak - (double)lowest) * height);
    /* END SOLUTION */
}

void adamw(real *w, real *m, real *v, const real *g, int n, int step, real rate, const Settings *s)
{
    /* BEGIN SOLUTION: update both means, correct them for their start at 0, change the weights */
    double b1 = (double)s->beta1, b2 = (double)s->beta2;
    for (int i = 0; i < n; i++) {
        double slope = (double)g[i];
        m[i] = (real)(b1 * (double)m[i] + (1 - b1) * slope);
        v[i] = (real)(b2 * (double)v[i] + (1 - b2) * slope * slope);
        double mean = (double)m[i] / (1 - pow(b1, step));
        double square = (double)v[i] / (1 - pow(b2, step));
        double move = mean / (sqrt(square) + (double)s->eps);
        move += (double)s->decay * (double)w[i];
        w[i] -= (real)((double)rate * move);
    }
    /* END SOLUTION */
}

void accumulate(real *sum, const real *g, int n, int count, int all)
{
    /* BEGIN SOLUTION: add g times its share of the labels */
    for (int i = 0; i < n; i++)
        sum[i] += (real)((double)g[i] * count / all);
    /* END SOLUTION */
}

real train(real *w, int n, int steps, int parts, const int *count, Gradient *gradient,
           const void *model, const Settings *s)
{
    /* BEGIN SOLUTION: for each step: accumulate over its parts, clip, learning rate, AdamW */
    real m[WEIGHTS_MOST] = {0}, v[WEIGHTS_MOST] = {0}, sum[WEIGHTS_MOST], part[WEIGHTS_MOST];
    double loss = 0;
    for (int step = 1; step <= steps; step++) {
        int first = (step - 1) * parts, all = 0;
        for (int b = first; b < first + parts; b++)
            all += count[b];
        loss = 0;
        for (int i = 0; i < n; i++)
            sum[i] = 0;
        for (int b = first; b < first + parts; b++) {
            double mean = (double)gradient(part, w, b, model);
            accumulate(sum, part, n, count[b], all);
            loss += mean * count[b] / all;
        }
        clip(sum, n, s->most);
        real rate = learning_rate(step, s->warmup, steps, s->peak, s->lowest);
        adamw(w, m, v, sum, n, step, rate, s);
    }
    return (real)loss;
    /* END SOLUTION */
}
