/* hw8.c: decoding. README.md has the equations, hw8.h the contracts. You may add static functions
 * of your own. */
#include "hw8.h"

#include <math.h>

real perplexity(const real *log_p, const int *length, int texts, int longest)
{
    /* BEGIN SOLUTION: exp of minus the mean over all words that are no padding */
    double sum = 0;
    int count = 0;
    for (int i = 0; i < texts; i++)
        for (int j = 0; j < length[i]; j++) {
            sum += (double)log_p[i * longest + j];
            count++;
        }
    return (real)exp(-sum / count);
    /* END SOLUTION */
}

void temperature(real *prob, const real *logits, int v, real t)
{
    /* BEGIN SOLUTION: subtract the largest logit, divide by t, softmax; at t = 0 only the largest
     * count */
    double top = (double)logits[0], sum = 0;
    for (int i = 1; i < v; i++)
        top = fmax(top, (double)logits[i]);
    for (int i = 0; i < v; i++) {
        double below = (double)logits[i] - top;
        double part = t > 0 ? exp(below / (double)t) : below == 0;
        prob[i] = (real)part;
        sum += part;
    }
    for (int i = 0; i < v; i++)
        prob[i] = (real)((double)prob[i] / sum);
    /* END SOLUTION */
}

void top_k(real *kept, const real *prob, int v, int k)
{
    /* BEGIN SOLUTION: keep a word if fewer than k come before it; then divide by the sum */
    double sum = 0;
    for (int i = 0; i < v; i++) {
        int rank = 0;
        for (int j = 0; j < v; j++)
            rank += prob[j] > prob[i] || (prob[j] == prob[i] && j < i);
        kept[i] = rank < k ? prob[i] : 0;
        sum += (double)kept[i];
    }
    for (int i = 0; i < v; i++)
        kept[i] = (real)((double)kept[i] / sum);
    /* END SOLUTION */
}

int top_p(real *kept, const real *prob, int v, real p)
{
    /* BEGIN SOLUTION: keep a word if those before it sum to less than p; then divide by the sum */
    double whole = 0;
    int count = 0;
    for (int i = 0; i < v; i++) {
        double before = 0;
        for (int j = 0; j < v; j++)
            if (prob[j] > prob[i] || (prob[j] == prob[i] && j < i))
                before += (double)prob[j];
        int inside = before < (double)p;
        kept[i] = inside ? prob[i] : 0;
        whole += (double)kept[i];
        count += inside;
    }
    for (int i = 0; i < v; i++)
        kept[i] = (real)((double)kept[i] / whole);
    return count;
    /* END SOLUTION */
}

int draw(const real *prob, int v, real u)
{
    /* BEGIN SOLUTION: add the probabilities until their sum is larger than u */
    double sum = 0;
    int last = 0;
    for (int i = 0; i < v; i++) {
        sum += (double)prob[i];
        if (sum > (double)u)
            return i;
        last = prob[i] > 0 ? i : last;
    }
    return last;
    /* END SOLUTION */
}
