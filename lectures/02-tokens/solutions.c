/* solutions.c: solutions of the chapter's exercises, and mistakes that students make; try the
 * exercises first. */
#include "lectures/02-tokens/exercises.h"

#include <string.h>

/* ---- row 6: the gradient of a look-up -------------------------------------------------------- */

void look_up_gradient_solved(double *dE, const int *id, const real *G, int T, int C)
{
    for (int t = 0; t < T; t++)
        for (int c = 0; c < C; c++)
            dE[id[t] * C + c] += (double)G[t * C + c];
}

void look_up_gradient_wrong_mean(double *dE, const int *id, const real *G, int T, int C)
{
    for (int t = 0; t < T; t++)
        for (int c = 0; c < C; c++)
            dE[id[t] * C + c] += (double)G[t * C + c] / T;
}

void look_up_gradient_wrong_first(double *dE, const int *id, const real *G, int T, int C)
{
    for (int t = T - 1; t >= 0; t--)
        for (int c = 0; c < C; c++)
            dE[id[t] * C + c] = (double)G[t * C + c];
}

/* ---- row 8: the most frequent pair ----------------------------------------------------------- */

int frequent_pair_solved(const int32_t *ids, int n, int32_t pair[2])
{
    int most = 0;
    for (int i = 0; i + 1 < n; i++) {
        int count = 0;
        for (int k = i; k + 1 < n; k++)
            if (ids[k] == ids[i] && ids[k + 1] == ids[i + 1]) {
                count++;
                k += ids[k] == ids[k + 1]; /* what was counted is used up */
            }
        if (count > most) {
            most = count;
            pair[0] = ids[i];
            pair[1] = ids[i + 1];
        }
    }
    return most;
}

int frequent_pair_wrong_overlapping(const int32_t *ids, int n, int32_t pair[2])
{
    int most = 0;
    for (int i = 0; i + 1 < n; i++) {
        int count = 0;
        for (int k = i; k + 1 < n; k++)
            count += ids[k] == ids[i] && ids[k + 1] == ids[i + 1];
        if (count > most) {
            most = count;
            pair[0] = ids[i];
            pair[1] = ids[i + 1];
        }
    }
    return most;
}

/* The text without its first tokens may have an equal pair that stands later. */
int frequent_pair_wrong_last(const int32_t *ids, int n, int32_t pair[2])
{
    int most = frequent_pair_solved(ids, n, pair);
    for (int32_t later[2]; frequent_pair_solved(++ids, --n, later) == most;)
        memcpy(pair, later, sizeof later);
    return most;
}
