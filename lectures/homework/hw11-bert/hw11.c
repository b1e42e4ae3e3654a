/* hw11.c: BERT around its blocks. README.md has the equations, hw11.h the contracts. You may add
 * static functions of your own. */
#include "hw11.h"

#include <math.h>

int pack(int *ids, int *segments, const int *a, int na, const int *b, int nb, int longest, int cls,
         int sep)
{
    /* BEGIN SOLUTION: shorten the longer sentence until all fits; then write the parts */
    while (na + nb + 3 > longest) {
        if (na > nb)
            na--;
        else
            nb--;
    }
    int length = na + nb + 3;
    for (int i = 0; i < length; i++) {
        segments[i] = i > na + 1;
        if (i == 0)
            ids[i] = cls;
        else if (i == na + 1 || i == length - 1)
            ids[i] = sep;
        else
            ids[i] = i <= na ? a[i - 1] : b[i - na - 2];
    }
    return length;
    /* END SOLUTION */
}

void pad_batch(int *ids, const int *tokens, const int *length, int batch, int t, int pad)
{
    /* BEGIN SOLUTION: copy each sequence to the beginning of its row */
    for (int i = 0; i < batch; i++)
        for (int j = 0; j < t; j++)
            ids[i * t + j] = j < length[i] ? *tokens++ : pad;
    /* END SOLUTION */
}

void padded_softmax(real *y, const real *scores, const int *length, int batch, int t)
{
    /* BEGIN SOLUTION: of each query that is no padding, the softmax of its first length[b]
     * scores */
    for (int row = 0; row < batch * t; row++) {
        int keys = length[row / t];
        const real *score = scores + row * t;
        double top = (double)score[0], sum = 0;
        for (int j = 0; j < keys; j++)
            top = fmax(top, (double)score[j]);
        for (int j = 0; j < keys; j++)
            sum += exp((double)score[j] - top);
        int padding = row % t >= keys;
        for (int j = 0; j < t; j++) {
            int hidden = padding || j >= keys;
            y[row * t + j] = hidden ? 0 : (real)(exp((double)score[j] - top) / sum);
        }
    }
    /* END SOLUTION */
}

void mask_tokens(int *ids, int *labels, const int *tokens, int n, int v, int specials, int mask,
                 real share, const real *choose, const real *change, const real *word)
{
    /* BEGIN SOLUTION: equations 1 and 2 */
    for (int i = 0; i < n; i++) {
        int chosen = tokens[i] >= specials && choose[i] < share;
        int other = specials + (int)((double)word[i] * (v - specials));
        labels[i] = chosen ? tokens[i] : -1;
        ids[i] = tokens[i];
        if (chosen && change[i] < (real)0.8)
            ids[i] = mask;
        else if (chosen && change[i] < (real)0.9)
            ids[i] = other;
    }
    /* END SOLUTION */
}

/* BEGIN SOLUTION: perhaps a helper: the probabilities of all words at one position */
static void words_of(double *p, const real *state, const real *embedding, const real *bias, int c,
                     int v)
{
    double top = -INFINITY, sum = 0;
    for (int w = 0; w < v; w++) {
        p[w] = (double)bias[w];
        for (int e = 0; e < c; e++)
            p[w] += (double)state[e] * (double)embedding[w * c + e];
        top = fmax(top, p[w]);
    }
    for (int w = 0; w < v; w++)
        sum += p[w] = exp(p[w] - top);
    for (int w = 0; w < v; w++)
        p[w] /= sum;
}

static int chosen_of(const int *labels, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += labels[i] >= 0;
    return count;
}
/* END SOLUTION */

real masked_loss(const real *hidden, const real *embedding, const real *bias, const int *labels,
                 int n, int c, int v)
{
    /* BEGIN SOLUTION: the mean over the chosen positions */
    double sum = 0;
    int count = chosen_of(labels, n);
    for (int i = 0; i < n; i++) {
        double p[CLASSES_MOST];
        if (labels[i] < 0)
            continue;
        words_of(p, hidden + i * c, embedding, bias, c, v);
        sum -= log(p[labels[i]]);
    }
    return count ? (real)(sum / count) : 0;
    /* END SOLUTION */
}

void masked_loss_backward(real *dhidden, real *dembedding, real *dbias, real dloss,
                          const real *hidden, const real *embedding, const real *bias,
                          const int *labels, int n, int c, int v)
{
    /* BEGIN SOLUTION: p - (1 at the label), times dloss / count, for each chosen position */
    int count = chosen_of(labels, n);
    for (int i = 0; i < n; i++) {
        double p[CLASSES_MOST];
        if (labels[i] < 0)
            continue;
        words_of(p, hidden + i * c, embedding, bias, c, v);
        for (int w = 0; w < v; w++) {
            double slope = (double)dloss * (p[w] - (w == labels[i])) / count;
            dbias[w] += (real)slope;
            for (int e = 0; e < c; e++) {
                dhidden[i * c + e] += (real)(slope * (double)embedding[w * c + e]);
                dembedding[w * c + e] += (real)(slope * (double)hidden[i * c + e]);
            }
        }
    }
    /* END SOLUTION */
}

/* BEGIN SOLUTION: perhaps a helper: tanh(h W^T + b) of one sentence */
static void pool(double *pooled, const real *state, const real *w, const real *b, int c)
{
    for (int i = 0; i < c; i++) {
        double sum = (double)b[i];
        for (int e = 0; e < c; e++)
            sum += (double)w[i * c + e] * (double)state[e];
        pooled[i] = tanh(sum);
    }
}
/* END SOLUTION */

void classify(real *logits, const real *hidden, const real *w, const real *b, const real *u,
              const real *d, int batch, int t, int c, int classes)
{
    /* BEGIN SOLUTION: pool token 0 of each sentence, then a linear layer */
    for (int i = 0; i < batch; i++) {
        double pooled[CHANNELS_MOST];
        pool(pooled, hidden + i * t * c, w, b, c);
        for (int k = 0; k < classes; k++) {
            double sum = (double)d[k];
            for (int e = 0; e < c; e++)
                sum += (double)u[k * c + e] * pooled[e];
            logits[i * classes + k] = (real)sum;
        }
    }
    /* END SOLUTION */
}

void classify_backward(real *dhidden, real *dw, real *db, real *du, real *dd, const real *dlogits,
                       const real *hidden, const real *w, const real *b, const real *u, int batch,
                       int t, int c, int classes)
{
    /* BEGIN SOLUTION: through the last layer, tanh, and the pooling layer, to token 0 */
    for (int i = 0; i < batch; i++) {
        double pooled[CHANNELS_MOST];
        const real *state = hidden + i * t * c;
        pool(pooled, state, w, b, c);
        for (int k = 0; k < classes; k++)
            dd[k] += dlogits[i * classes + k];
        for (int e = 0; e < c; e++) {
            double up = 0;
            for (int k = 0; k < classes; k++) {
                double dlogit = (double)dlogits[i * classes + k];
                du[k * c + e] += (real)(dlogit * pooled[e]);
                up += dlogit * (double)u[k * c + e];
            }
            double slope = up * (1 - pooled[e] * pooled[e]);
            db[e] += (real)slope;
            for (int s = 0; s < c; s++) {
                dw[e * c + s] += (real)(slope * (double)state[s]);
                dhidden[i * t * c + s] += (real)(slope * (double)w[e * c + s]);
            }
        }
    }
    /* END SOLUTION */
}
