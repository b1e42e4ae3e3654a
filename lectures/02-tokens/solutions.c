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

/* ---- row 7: what negatives are drawn from ---------------------------------------------------- */

double learned_product_solved(double p_wx, double p_w, const double *n, int contexts, int x, int k)
{
    double all = 0;
    for (int i = 0; i < contexts; i++)
        all += pow(n[i], 0.75);
    return log(p_wx / (p_w * pow(n[x], 0.75) / all)) - log(k);
}

double learned_product_wrong_sum(double p_wx, double p_w, const double *n, int contexts, int x,
                                 int k)
{
    double all = 0;
    for (int i = 0; i < contexts; i++)
        all += n[i];
    return log(p_wx / (p_w * pow(n[x], 0.75) / all)) - log(k);
}

double learned_product_wrong_twice(double p_wx, double p_w, const double *n, int contexts, int x,
                                   int k)
{
    double all = 0;
    for (int i = 0; i < contexts; i++)
        all += n[i];
    return learned_product_solved(p_wx, p_w, n, contexts, x, k) - log(n[x] / all);
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

/* ---- row 9: a picture as tokens -------------------------------------------------------------- */

void picture_tokens_solved(const real *picture, real X[PATCHES][FEATURES])
{
    for (int y = 0; y < DATA_DIGIT_SIDE; y++)
        for (int x = 0; x < DATA_DIGIT_SIDE; x++)
            X[y / PATCH_SIDE * SIDE + x / PATCH_SIDE]
             [y % PATCH_SIDE * PATCH_SIDE + x % PATCH_SIDE] = picture[y * DATA_DIGIT_SIDE + x];
}

void picture_tokens_wrong_columns(const real *picture, real X[PATCHES][FEATURES])
{
    for (int y = 0; y < DATA_DIGIT_SIDE; y++)
        for (int x = 0; x < DATA_DIGIT_SIDE; x++)
            X[x / PATCH_SIDE * SIDE + y / PATCH_SIDE]
             [y % PATCH_SIDE * PATCH_SIDE + x % PATCH_SIDE] = picture[y * DATA_DIGIT_SIDE + x];
}
