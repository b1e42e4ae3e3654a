/* hw5.c: pieces of BERT, of a variational autoencoder and of GPT. README.md has the equations,
 * hw5.h the contracts.
 *
 * You may add static functions of your own. */
#include "hw5.h"

#include <math.h>

/* ---- 1. masked tokens ------------------------------------------------------------------------ */

/* BEGIN SOLUTION: perhaps a helper: log sum exp of a row, with its largest number subtracted
 * first */
static double log_sum_exp(const real *x, int n)
{
    double top = x[0], sum = 0;
    for (int j = 1; j < n; j++)
        top = x[j] > top ? x[j] : top;
    for (int j = 0; j < n; j++)
        sum += exp(x[j] - top);
    return top + log(sum);
}
/* END SOLUTION */

real masked_loss(const real *logits, const int *labels, int t, int v)
{
    /* stub| (void)logits, (void)labels, (void)t, (void)v; */
    /* BEGIN SOLUTION: the mean, over the positions with a label, of log sum exp minus the logit of
     * the label */
    double sum = 0;
    int count = 0;
    for (int i = 0; i < t; i++) {
        if (labels[i] < 0)
            continue;
        count++;
        sum += log_sum_exp(logits + i * v, v) - logits[i * v + labels[i]];
    }
    return count ? (real)(sum / count) : 0;
    /* END SOLUTION */
    /* stub| return -9999; */
}

void masked_loss_backward(real *dlogits, real dloss, const real *logits, const int *labels, int t,
                          int v)
{
    /* stub| (void)dlogits, (void)dloss, (void)logits, (void)labels, (void)t, (void)v; */
    /* BEGIN SOLUTION: dloss (softmax - 1 at the label) / number of labels; nothing at ignored
     * positions */
    int counted = 0;
    for (int i = 0; i < t; i++)
        counted += labels[i] >= 0;
    for (int i = 0; i < t; i++) {
        if (labels[i] < 0)
            continue;
        double whole = log_sum_exp(logits + i * v, v);
        for (int j = 0; j < v; j++) {
            double wanted = j == labels[i];
            double softmax = exp(logits[i * v + j] - whole);
            dlogits[i * v + j] += (real)(dloss * (softmax - wanted) / counted);
        }
    }
    /* END SOLUTION */
}

/* ---- 2. KL ----------------------------------------------------------------------------------- */

real gaussian_kl(const real *mean, const real *logvar, int batch, int n)
{
    /* stub| (void)mean, (void)logvar, (void)batch, (void)n; */
    /* BEGIN SOLUTION: the sum of (exp(logvar) + mean^2 - 1 - logvar) / 2, divided by batch */
    double sum = 0;
    for (int i = 0; i < batch * n; i++) {
        double m = mean[i], l = logvar[i];
        sum += 0.5 * (exp(l) + m * m - 1 - l);
    }
    return (real)(sum / batch);
    /* END SOLUTION */
    /* stub| return -9999; */
}

void gaussian_kl_backward(real *dmean, real *dlogvar, real dloss, const real *mean,
                          const real *logvar, int batch, int n)
{
    /* stub| (void)dmean, (void)dlogvar, (void)dloss, (void)mean, (void)logvar, (void)batch; */
    /* stub| (void)n; */
    /* BEGIN SOLUTION: add mean to dmean and (exp(logvar) - 1) / 2 to dlogvar, times dloss /
     * batch */
    double g = dloss / (double)batch;
    for (int i = 0; i < batch * n; i++) {
        dmean[i] += (real)(g * mean[i]);
        dlogvar[i] += (real)(g * 0.5 * (exp((double)logvar[i]) - 1));
    }
    /* END SOLUTION */
}

/* ---- 3. reparameterisation ------------------------------------------------------------------- */

void reparameterise(real *z, const real *mean, const real *logvar, const real *noise, int n)
{
    /* stub| (void)z, (void)mean, (void)logvar, (void)noise, (void)n; */
    /* BEGIN SOLUTION: z = mean + sigma noise, sigma = exp(logvar / 2) */
    for (int i = 0; i < n; i++) {
        double sigma = exp(0.5 * (double)logvar[i]);
        z[i] = (real)(mean[i] + sigma * noise[i]);
    }
    /* END SOLUTION */
}

void reparameterise_backward(real *dmean, real *dlogvar, const real *dz, const real *logvar,
                             const real *noise, int n)
{
    /* stub| (void)dmean, (void)dlogvar, (void)dz, (void)logvar, (void)noise, (void)n; */
    /* BEGIN SOLUTION: add dz to dmean and dz noise sigma / 2 to dlogvar */
    for (int i = 0; i < n; i++) {
        double deviation = exp(0.5 * (double)logvar[i]);
        dmean[i] += dz[i];
        dlogvar[i] += (real)(dz[i] * noise[i] * 0.5 * deviation);
    }
    /* END SOLUTION */
}

/* ---- 4. top-p sampling ----------------------------------------------------------------------- */

int top_p(real *prob, const real *logits, int v, real p)
{
    /* stub| (void)prob, (void)logits, (void)v, (void)p; */
    /* BEGIN SOLUTION: a word belongs to the nucleus if the more probable words sum to less than p;
     * then divide by the sum */
    double whole = log_sum_exp(logits, v), kept = 0;
    int count = 0;
    for (int i = 0; i < v; i++) {
        double before = 0, own = exp(logits[i] - whole);
        for (int j = 0; j < v; j++)
            if (logits[j] > logits[i] || (logits[j] == logits[i] && j < i))
                before += exp(logits[j] - whole);
        int inside = before < (double)p;
        prob[i] = inside ? (real)own : 0;
        kept += inside ? own : 0;
        count += inside;
    }
    for (int i = 0; i < v; i++)
        prob[i] = (real)(prob[i] / kept);
    return count;
    /* END SOLUTION */
    /* stub| return -9999; */
}

int draw(const real *prob, int v, real u)
{
    /* stub| (void)prob, (void)v, (void)u; */
    /* BEGIN SOLUTION: add the probabilities until their sum is larger than u */
    double sum = 0;
    int last = 0;
    for (int i = 0; i < v; i++) {
        sum += prob[i];
        if (sum > (double)u)
            return i;
        last = prob[i] > 0 ? i : last;
    }
    return last;
    /* END SOLUTION */
    /* stub| return -9999; */
}

/* ---- 5. the KV cache ------------------------------------------------------------------------- */

void cache_append(real *cache, const real *x, int heads, int capacity, int d, int position)
{
    /* stub| (void)cache, (void)x, (void)heads, (void)capacity, (void)d, (void)position; */
    /* BEGIN SOLUTION: element (h, e) of x becomes (h, position, e) of the cache */
    for (int h = 0; h < heads; h++)
        for (int e = 0; e < d; e++)
            cache[(h * capacity + position) * d + e] = x[h * d + e];
    /* END SOLUTION */
}

/* BEGIN SOLUTION: perhaps a helper: the score of a query and a key */
static double score_of(const real *query, const real *key, int d)
{
    double sum = 0;
    for (int e = 0; e < d; e++)
        sum += (double)query[e] * key[e];
    return sum / sqrt((double)d);
}
/* END SOLUTION */

void cached_attention(real *y, const real *q, const real *keys, const real *values, int heads,
                      int capacity, int d, int count)
{
    /* stub| (void)y, (void)q, (void)keys, (void)values; */
    /* stub| (void)heads, (void)capacity, (void)d, (void)count; */
    /* BEGIN SOLUTION: for each head: scores of the first count keys, softmax, weighted sum of the
     * values */
    for (int h = 0; h < heads; h++, q += d, y += d) {
        const real *k = keys + h * capacity * d, *v = values + h * capacity * d;
        double top = -INFINITY, sum = 0;
        for (int j = 0; j < count; j++)
            top = fmax(top, score_of(q, k + j * d, d));
        for (int e = 0; e < d; e++)
            y[e] = 0;
        for (int j = 0; j < count; j++) {
            double weight = exp(score_of(q, k + j * d, d) - top);
            sum += weight;
            for (int e = 0; e < d; e++)
                y[e] += (real)(weight * v[j * d + e]);
        }
        for (int e = 0; e < d; e++)
            y[e] = (real)(y[e] / sum);
    }
    /* END SOLUTION */
}
