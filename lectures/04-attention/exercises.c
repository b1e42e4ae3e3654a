/* exercises.c: functions to be changed, about ten lines each, and the claims that tell whether the
 * change is right; the rows of a head, from queries and keys to several heads. exercises_masks.c
 * and exercises_costs.c have the other rows.
 *
 * `./gradus claims 4 --try 22` runs those of row 22. As they stand they compute something else, so
 * their claims FAIL. solutions.c has a solution of each, which `--try 22:solved` measures, and
 * mistakes, NAME_wrong_WHAT, with which the claim must FAIL, too. */
#include "lectures/04-attention/exercises.h"

/* ---- row 20: a look-up ----------------------------------------------------------------------- */

/* Now: a soft match of one query (1, d) with keys (m, d). Change it: the result is the value of the
 * best key alone, still by softmax, without a loop over the keys. */
static Tensor *look_up(Tensor *q, Tensor *k, Tensor *v)
{
    return ag_matmul(ag_softmax(ag_matmul(q, ag_transpose(k, 0, 1))), v);
}

/* One key is that of the best score less q / (10 |q|^2), which has a score that is 0.1 lower. */
static double best_key(Trial *t)
{
    enum { KEYS = 5, D = 8 };
    Tensor *q = trial_normal(t, 400, shape2(1, D));
    Tensor *k = trial_normal(t, 400, shape2(KEYS, D));
    Tensor *v = trial_normal(t, 400, shape2(KEYS, 3));
    Tensor *scores = ag_matmul(q, ag_transpose(k, 0, 1));
    double square = (double)tensor_item(ag_sum(ag_mul(q, q)));
    int best = 0;
    for (int j = 1; j < KEYS; j++)
        best = scores->data[j] > scores->data[best] ? j : best;
    for (int c = 0; c < D; c++)
        k->data[(best + 1) % KEYS * D + c] =
            k->data[best * D + c] - (real)((double)q->data[c] / (10 * square));
    Tensor *y = TRIED(t, look_up, look_up_solved, look_up_wrong_scaled,
                      look_up_wrong_small_factor)(q, k, v);
    double off = values_difference(y, ag_slice(v, 0, best, best + 1));
    explain(t, "the best of 5 keys is %d; max |look_up - its value| = %.2g", best + 1, off);
    return off;
}

/* ---- row 22: attention in one function ------------------------------------------------------- */

/* Now: one query after another, Q (n, d), K (m, d), V (m, e). Change it: scaled dot-product
 * attention, as three matrix operations without a loop. */
static Tensor *attend(Tensor *Q, Tensor *K, Tensor *V)
{
    Tensor *row[8];
    int n = (int)Q->shape.dim[0];
    for (int i = 0; i < n; i++) {
        Tensor *scores = ag_matmul(ag_slice(Q, 0, i, i + 1), ag_transpose(K, 0, 1));
        row[i] = ag_matmul(ag_softmax(scores), V);
    }
    return ag_concat(row, n, 0);
}

static double attention_right(Trial *t)
{
    Tensor *Q = trial_normal(t, 401, shape2(4, 16));
    Tensor *K = trial_normal(t, 401, shape2(6, 16));
    Tensor *V = trial_normal(t, 401, shape2(6, 3));
    Tensor *y = TRIED(t, attend, attend_solved, attend_wrong_unscaled, attend_wrong_by_d)(Q, K, V);
    double off = values_difference(y, ag_attention(Q, K, V, (Mask){0}, 0));
    explain(t, "4 queries, 6 keys, d = 16: max |attend - ag_attention| = %.2g", off);
    return off;
}

const Claim attention_exercises[] = {
    EXERCISE(
        20, "look_up: the value of the best key", "V: Analogy for Query, Key, and Value",
        "max |look_up - value of the best of 5 keys|", 1e-5,
        "a score that is 0.1 lower gets e^(-w / 10) under a factor w: 4e-5 under 100, 0 under 1100",
        best_key, {"scaled", "divided by sqrt(d), which makes the match softer"},
        {"small_factor", "a factor of 10, with which the second-best key keeps a weight"}),
    EXERCISE(22, "attend: softmax(Q K^T / sqrt(d)) V", "J: Matrix Calculation of Self-Attention",
             "max |attend - ag_attention|", 1e-5, "the same formula: rounding of numbers near 1",
             attention_right, {"unscaled", "Q K^T without 1 / sqrt(d)"}, {"by_d", "divided by d"}),
    {0},
};
