/* hw6.c: tokens and their vectors. README.md has the equations, hw6.h the contracts. You may add
 * static functions of your own. */
#include "hw6.h"

#include <math.h>

int merge(int *ids, int n, Merge pair, int whole)
{
    /* BEGIN SOLUTION: read on from left to right, and write behind */
    int left = 0;
    for (int i = 0; i < n; i++) {
        int found = i + 1 < n && ids[i] == pair.left && ids[i + 1] == pair.right;
        ids[left++] = found ? whole : ids[i];
        i += found;
    }
    return left;
    /* END SOLUTION */
}

int most_frequent(Merge *pair, const int *ids, int n)
{
    /* BEGIN SOLUTION: for each pair, count from left to right, and skip what a pair has used */
    int most = 0;
    for (int i = 0; i + 1 < n; i++) {
        int left = ids[i], right = ids[i + 1], count = 0;
        for (int j = 0; j + 1 < n; j++)
            if (ids[j] == left && ids[j + 1] == right) {
                count++;
                j++;
            }
        int first = left < pair->left || (left == pair->left && right < pair->right);
        if (count > most || (count == most && first)) {
            most = count;
            *pair = (Merge){left, right};
        }
    }
    return most;
    /* END SOLUTION */
}

int train(Merge *merges, int most, const unsigned char *bytes, int n)
{
    /* BEGIN SOLUTION: the bytes as ids; then find a pair, note it, merge it */
    int ids[BYTES_MOST], made = 0;
    for (int i = 0; i < n; i++)
        ids[i] = bytes[i];
    while (made < most) {
        Merge pair = {0, 0};
        int count = most_frequent(&pair, ids, n);
        if (count < 2)
            break;
        merges[made] = pair;
        n = merge(ids, n, pair, 256 + made);
        made++;
    }
    return made;
    /* END SOLUTION */
}

int encode(int *ids, const unsigned char *bytes, int n, const Merge *merges, int count)
{
    /* BEGIN SOLUTION: the bytes as ids, then every merge in order */
    for (int i = 0; i < n; i++)
        ids[i] = bytes[i];
    for (int i = 0; i < count; i++)
        n = merge(ids, n, merges[i], 256 + i);
    return n;
    /* END SOLUTION */
}

/* BEGIN SOLUTION: perhaps a helper that writes the bytes of one token, and calls itself */
static int write_token(unsigned char *bytes, int id, const Merge *merges)
{
    if (id < 256) {
        *bytes = (unsigned char)id;
        return 1;
    }
    int length = write_token(bytes, merges[id - 256].left, merges);
    return length + write_token(bytes + length, merges[id - 256].right, merges);
}
/* END SOLUTION */

int decode(unsigned char *bytes, const int *ids, int n, const Merge *merges)
{
    /* BEGIN SOLUTION: the bytes of each token, one after the other */
    int length = 0;
    for (int i = 0; i < n; i++)
        length += write_token(bytes + length, ids[i], merges);
    return length;
    /* END SOLUTION */
}

/* BEGIN SOLUTION: perhaps helpers: a product of rows; -log s(z) without overflow; its derivative is
 * -s(-z) */
static double product(const real *row, const real *other, int d)
{
    double sum = 0;
    for (int e = 0; e < d; e++)
        sum += (double)row[e] * (double)other[e];
    return sum;
}

static double surprise(double z)
{
    return z > 0 ? log1p(exp(-z)) : -z + log1p(exp(z));
}

static double logistic(double z)
{
    return 1 / (1 + exp(-z));
}

/* Adds the gradients of row . other, times slope. */
static void send(real *drow, real *dother, double slope, const real *row, const real *other, int d)
{
    for (int e = 0; e < d; e++) {
        drow[e] += (real)(slope * (double)other[e]);
        dother[e] += (real)(slope * (double)row[e]);
    }
}
/* END SOLUTION */

real skip_gram(const real *word, const real *context, const real *negatives, int k, int d)
{
    /* BEGIN SOLUTION: equation 1 */
    double loss = surprise(product(word, context, d));
    for (int i = 0; i < k; i++)
        loss += surprise(-product(word, negatives + i * d, d));
    return (real)loss;
    /* END SOLUTION */
}

void skip_gram_backward(real *dword, real *dcontext, real *dnegatives, const real *word,
                        const real *context, const real *negatives, int k, int d)
{
    /* BEGIN SOLUTION: slope s(z) - 1 for the context, s(z) for the negatives */
    send(dword, dcontext, logistic(product(word, context, d)) - 1, word, context, d);
    for (int i = 0; i < k; i++) {
        double slope = logistic(product(word, negatives + i * d, d));
        send(dword, dnegatives + i * d, slope, word, negatives + i * d, d);
    }
    /* END SOLUTION */
}

/* BEGIN SOLUTION: perhaps a helper: the mean of the contexts */
static void bag(real *h, const real *contexts, int m, int d)
{
    for (int e = 0; e < d; e++) {
        double sum = 0;
        for (int i = 0; i < m; i++)
            sum += (double)contexts[i * d + e];
        h[e] = (real)(sum / m);
    }
}
/* END SOLUTION */

real cbow(const real *contexts, const real *word, const real *negatives, int m, int k, int d)
{
    /* BEGIN SOLUTION: skip_gram's loss, with the mean of the contexts in the word's role */
    real h[CHANNELS_MOST];
    bag(h, contexts, m, d);
    return skip_gram(h, word, negatives, k, d);
    /* END SOLUTION */
}

void cbow_backward(real *dcontexts, real *dword, real *dnegatives, const real *contexts,
                   const real *word, const real *negatives, int m, int k, int d)
{
    /* BEGIN SOLUTION: skip_gram's gradients; each context gets its share of the mean's */
    real h[CHANNELS_MOST], dh[CHANNELS_MOST] = {0};
    bag(h, contexts, m, d);
    skip_gram_backward(dh, dword, dnegatives, h, word, negatives, k, d);
    for (int i = 0; i < m; i++)
        for (int e = 0; e < d; e++)
            dcontexts[i * d + e] += dh[e] / (real)m;
    /* END SOLUTION */
}

int analogy_rank(const real *vectors, int v, int d, int a, int b, int c, int answer)
{
    /* BEGIN SOLUTION: the cosine of each word with b - a + c; count the better ones */
    real aim[CHANNELS_MOST];
    int rank = 1;
    for (int e = 0; e < d; e++)
        aim[e] = vectors[b * d + e] - vectors[a * d + e] + vectors[c * d + e];
    const real *right = vectors + answer * d;
    double best = product(right, aim, d) / sqrt(product(right, right, d));
    for (int w = 0; w < v; w++) {
        const real *other = vectors + w * d;
        int given = w == a || w == b || w == c || w == answer;
        double cosine = product(other, aim, d) / sqrt(product(other, other, d));
        rank += !given && cosine > best;
    }
    return rank;
    /* END SOLUTION */
}
