/* hw8b.c: searching for a probable sequence. README.md has the equations, hw8b.h the contracts. You
 * may add static functions of your own. */
#include "hw8b.h"

#include <math.h>

real log_probability(const int *words, int n, int v, Next *next, const void *model)
{
    /* BEGIN SOLUTION: the sum over i of log p(word i | words 0 to i - 1) */
    double sum = 0;
    (void)v;
    for (int i = 0; i < n; i++) {
        real log_p[WORDS_MOST];
        next(log_p, words, i, model);
        sum += (double)log_p[words[i]];
    }
    return (real)sum;
    /* END SOLUTION */
}

real greedy(int *words, int n, int v, Next *next, const void *model)
{
    /* BEGIN SOLUTION: n times: ask the model, take the most probable word */
    double total = 0;
    for (int i = 0; i < n; i++) {
        real row[WORDS_MOST];
        int best = 0;
        next(row, words, i, model);
        for (int w = 1; w < v; w++)
            best = row[w] > row[best] ? w : best;
        words[i] = best;
        total += (double)row[best];
    }
    return (real)total;
    /* END SOLUTION */
}

real exhaustive(int *words, int n, int v, Next *next, const void *model)
{
    /* BEGIN SOLUTION: write the numbers from 0 to v^n - 1 in base v: their digits are the
     * sequences */
    int all = 1, path[LONGEST];
    real best = -(real)INFINITY;
    for (int i = 0; i < n; i++)
        all *= v;
    for (int code = 0; code < all; code++) {
        for (int i = 0, rest = code; i < n; i++, rest /= v)
            path[i] = rest % v;
        real found = log_probability(path, n, v, next, model);
        if (found > best) {
            best = found;
            for (int i = 0; i < n; i++)
                words[i] = path[i];
        }
    }
    return best;
    /* END SOLUTION */
}

/* BEGIN SOLUTION: perhaps a helper: the score log_p / n^alpha */
static real score_of(real log_p, int n, real alpha)
{
    return (real)((double)log_p / pow(n, (double)alpha));
}
/* END SOLUTION */

int may_stop(real best, real log_p, int n, int longest, real alpha)
{
    /* BEGIN SOLUTION: compare best with the highest score that the open hypothesis could still
     * get */
    (void)n;
    return best >= score_of(log_p, longest, alpha);
    /* END SOLUTION */
}

/* BEGIN SOLUTION: perhaps a struct for a hypothesis, and a helper that extends all open ones and
 * keeps the best */
typedef struct {
    int words[LONGEST], n;
    double log_p;
} Hypothesis;

/* Sets kept to the `beam` most probable extensions, the most probable first, and returns how many
 * there are. */
static int extend(Hypothesis *kept, int beam, const Hypothesis *open, int count, int v, Next *rule,
                  const void *table)
{
    int keeps = 0;
    for (int h = 0; h < count; h++) {
        real row[WORDS_MOST];
        rule(row, open[h].words, open[h].n, table);
        for (int w = 0; w < v; w++) {
            Hypothesis one = open[h];
            one.words[one.n++] = w;
            one.log_p += (double)row[w];
            int at = keeps;
            for (; at > 0 && one.log_p > kept[at - 1].log_p; at--)
                kept[at] = kept[at - 1];
            kept[at] = one;
            keeps = keeps < beam ? keeps + 1 : beam;
        }
    }
    return keeps;
}
/* END SOLUTION */

real beam_search(int *words, int *length, int beam, int longest, real alpha, int v, int end,
                 Next *next, const void *model)
{
    /* BEGIN SOLUTION: extend, keep `beam`, take out what is finished, until nothing is open or may
     * win */
    Hypothesis open[BEAM_MOST] = {{.n = 0}}, best = {.n = 0};
    real top = -(real)INFINITY;
    int count = 1;
    while (count) {
        Hypothesis kept[BEAM_MOST + 1];
        int keeps = extend(kept, beam, open, count, v, next, model);
        count = 0;
        for (int i = 0; i < keeps; i++) {
            int ended = kept[i].words[kept[i].n - 1] == end, full = kept[i].n == longest;
            real score = score_of((real)kept[i].log_p, kept[i].n, alpha);
            if (!ended && !full) {
                open[count++] = kept[i];
            } else if (score > top) {
                top = score;
                best = kept[i];
            }
        }
        if (count && may_stop(top, (real)open[0].log_p, open[0].n, longest, alpha))
            count = 0;
    }
    for (int i = 0; i < longest; i++)
        words[i] = i < best.n ? best.words[i] : -1;
    *length = best.n;
    return top;
    /* END SOLUTION */
}
