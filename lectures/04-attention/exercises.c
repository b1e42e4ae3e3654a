/* exercises.c: functions to be changed, about ten lines each, and the claims that tell whether the
 * change is right.
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

/* ---- row 26: hide the future ----------------------------------------------------------------- */

Tensor *without_later(Tensor *A)
{
    int64_t T = A->shape.dim[0];
    Tensor *kept = ag_copy(A);
    for (int64_t i = 0; i < T; i++)
        for (int64_t j = i + 1; j < T; j++)
            kept->data[i * T + j] = 0;
    return kept;
}

/* Now: weights A (T, T) of a softmax over all keys, those of later keys replaced by 0. Change it:
 * the weights that the causal mask gives; from A alone, without the scores. */
static Tensor *hide_future(Tensor *A)
{
    return without_later(A);
}

static double future_hidden(Trial *t)
{
    Tensor *scores = trial_normal(t, 410, shape2(6, 6));
    Tensor *kept = TRIED(t, hide_future, hide_future_solved, hide_future_wrong_again,
                         hide_future_wrong_shared_out)(ag_softmax(scores));
    Tensor *masked = ag_masked_softmax(ag_reshape(scores, shape3(1, 6, 6)), (Mask){.causal = true});
    double off = values_difference(kept, ag_reshape(masked, shape2(6, 6)));
    explain(t, "max |weights - those under the causal mask| = %.2g", off);
    return off;
}

/* ---- row 16: a function of a set ------------------------------------------------------------- */

/* Now: the last token's row of y (T, C), which moves when the tokens are permuted. Change it: one
 * row (1, C) that depends on every token and on no order. */
static Tensor *of_the_set(Tensor *y)
{
    int64_t T = y->shape.dim[0];
    return ag_slice(y, 0, T - 1, T);
}

static double set_pooled(Trial *t)
{
    static const int order[] = {3, 0, 4, 1, 2};
    Tensor *x = values_leaf(trial_tape(t), trial_rng(t, 413), shape2(5, 4), 1),
           *permuted = values_permuted(x, order);
    Tensor *y = ag_attention(x, x, x, (Mask){0}, 0),
           *z = ag_attention(permuted, permuted, permuted, (Mask){0}, 0);
    Tensor *(*pool)(Tensor *) =
        TRIED(t, of_the_set, of_the_set_solved, of_the_set_wrong_first, of_the_set_wrong_constant);
    Tensor *a = pool(y), *b = pool(z);
    double off = values_difference(a, b), least = INFINITY;
    real upstream[4] = {1, 1, 1, 1};
    if (tensor_size(a) != 4 || !ag_backward_from(a, upstream))
        off = (double)NAN;
    for (int i = 0; i < 5; i++)
        least = values_least(least, fabs((double)x->grad[i * 4]));
    explain(t, "tokens permuted: it moves by %.2g; the token with the least gradient has %.2g", off,
            least);
    return least > 0 ? off : (double)NAN;
}

/* ---- row 30: keys that come by --------------------------------------------------------------- */

bool next_score(Stream *from, double *score)
{
    if (from->left-- <= 0)
        return false;
    *score = *from->s++;
    return true;
}

/* Now: log of the sum of exp(s_j), which overflows. Change it: no overflow, for scores of any size;
 * a score may be
 * -infinity, that of a hidden key, also the first. */
static double log_sum(Stream *from)
{
    double s, sum = 0;
    while (next_score(from, &s))
        sum += exp(s);
    return log(sum);
}

static double streamed(Trial *t)
{
    static const double scores[][3] = {{0, 1, 2},
                                       {1000, 1001, 1002},
                                       {-1002, -1000, -1001},
                                       {0, 1000, 0},
                                       {-(double)INFINITY, 1, 2}};
    double worst = 0, base = log(1 + exp(-1) + exp(-2));
    const double expected[] = {2 + base, 1002 + base, -1000 + base, 1000, 2 + log(1 + exp(-1))};
    for (int i = 0; i < 5; i++) {
        Stream from = {scores[i], 3};
        double got =
            TRIED(t, log_sum, log_sum_solved, log_sum_wrong_unscaled, log_sum_wrong_hidden)(&from);
        explain(t, "scores %g, %g, %g: %.6g, expected %.6g", scores[i][0], scores[i][1],
                scores[i][2], got, expected[i]);
        worst = values_worst(worst, fabs(got - expected[i]));
    }
    return worst;
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
    EXERCISE(26, "hide_future: the causal weights, from those of all keys",
             "J: Masked self-attention layer",
             "max |hide_future(A) - weights under the causal mask|", 1e-6,
             "the same ratios of exponentials, divided twice", future_hidden,
             {"again", "a softmax of the weights"},
             {"shared_out", "what was lost is added to all in equal parts"}),
    EXERCISE(16, "of_the_set: one row that depends on all tokens and no order",
             "J: Capturing the Order of the Input",
             "max |f(Px) - f(x)|; NaN where a token has no part", 1e-5,
             "the same terms in another order: rounding", set_pooled, {"first", "the first token"},
             {"constant", "0 whatever the tokens are"}),
    EXERCISE(30, "log_sum: of scores that come once, without overflow", "H: Complexity",
             "max |log_sum - closed form|, scores near 0, 1000, -1000, 0 with 1000, one hidden",
             1e-9,
             "largest + log(1 + 1/e + 1/e^2), and the like; doubles near 1000 are rounded by 1e-13",
             streamed, {"unscaled", "the sum so far is not scaled down"},
             {"hidden", "-infinity less -infinity, where the first key is hidden"}),
    {0},
};
