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

/* ---- row 18: a temperature ------------------------------------------------------------------- */

/* Now: 1. Change it: the temperature tau at which softmax(scores / tau) gives the better one of two
 * keys the weight `share`, above a half; its score is larger by `gap`. */
static double temperature_for(double gap, double share)
{
    (void)gap, (void)share;
    return 1;
}

static double temperature(Trial *t)
{
    static const double gap[] = {3, 0.5, 10}, share[] = {0.9, 0.6, 0.75};
    double worst = 0;
    for (int i = 0; i < 3; i++) {
        double tau = TRIED(t, temperature_for, temperature_for_solved, temperature_for_wrong_share,
                           temperature_for_wrong_inverse)(gap[i], share[i]);
        Tensor *scores = tape_input(trial_tape(t), (real[]){(real)(gap[i] / tau), 0}, shape2(1, 2));
        double a = (double)ag_softmax(scores)->data[0];
        explain(t, "scores %g apart, tau = %.3f: the better key has %.4f, wanted %.2f", gap[i], tau,
                a, share[i]);
        worst = values_worst(worst, fabs(a - share[i]));
    }
    return worst;
}

/* ---- row 21: entries of another size --------------------------------------------------------- */

/* Now: the factor for entries of deviation 1. Change it: queries and keys have entries of deviation
 * `deviation`; the scores shall have variance 1 all the same. */
static double score_factor(int d, double deviation)
{
    (void)deviation;
    return 1 / sqrt(d);
}

static double unit_variance(Trial *t)
{
    enum { N = 4000 };
    static const struct {
        int d;
        double deviation;
    } sizes[] = {{64, 3}, {256, 0.5}};
    Tape *tape = trial_tape(t);
    Rng *rng = trial_rng(t, 402);
    double worst = 0;
    for (int i = 0; i < 2; i++) {
        int d = sizes[i].d;
        double deviation = sizes[i].deviation, variance = 0;
        double factor = TRIED(t, score_factor, score_factor_solved, score_factor_wrong_once,
                              score_factor_wrong_one_width)(d, deviation);
        tape_reset(tape);
        Tensor *q = values_normal(tape, rng, shape2(N, d), deviation);
        Tensor *k = values_normal(tape, rng, shape2(N, d), deviation);
        Tensor *s = ag_scale(ag_sum_axis(ag_mul(q, k), 1, false), (real)factor);
        for (int n = 0; n < N; n++)
            variance += (double)s->data[n] * (double)s->data[n] / N;
        explain(t, "d = %3d, entries of deviation %g: Var = %.3f over %d pairs", d, deviation,
                variance, N);
        worst = values_worst(worst, fabs(variance - 1));
    }
    return worst;
}

/* ---- row 19: one matrix for two -------------------------------------------------------------- */

/* Now: symmetric scores X W (X W)^T. Change it: X W X^T, the scores of queries X W_q and keys X W_k
 * by the one matrix W = W_q W_k^T. */
static Tensor *bilinear(Tensor *X, Tensor *W)
{
    Tensor *XW = ag_matmul(X, W);
    return ag_matmul(XW, ag_transpose(XW, 0, 1));
}

static double one_matrix(Trial *t)
{
    Tape *tape = trial_tape(t);
    Rng *rng = trial_rng(t, 403);
    Tensor *X = values_normal(tape, rng, shape2(6, 8), 1);
    Tensor *Wq = values_normal(tape, rng, shape2(8, 3), 0.3);
    Tensor *Wk = values_normal(tape, rng, shape2(8, 3), 0.3);
    Tensor *W = ag_matmul(Wq, ag_transpose(Wk, 0, 1));
    Tensor *two = ag_matmul(ag_matmul(X, Wq), ag_transpose(ag_matmul(X, Wk), 0, 1));
    double off =
        values_difference(TRIED(t, bilinear, bilinear_solved, bilinear_wrong_transposed)(X, W),
                          two);
    explain(t, "W_q W_k^T is (8, 8) of rank 3; max |X W X^T - X W_q (X W_k)^T| = %.2g", off);
    return off;
}

/* ---- row 23: heads that share their keys ----------------------------------------------------- */

/* Now: head h has query, key and value of its own, of d channels each: q, k, v (T, H d). Change it:
 * multi-query attention, in which all heads share the first head's key and value. */
static Tensor *heads_side_by_side(Tensor *q, Tensor *k, Tensor *v, int heads, int d)
{
    Tensor *head[8];
    for (int h = 0; h < heads; h++)
        head[h] =
            ag_attention(ag_slice(q, 1, h * d, (h + 1) * d), ag_slice(k, 1, h * d, (h + 1) * d),
                         ag_slice(v, 1, h * d, (h + 1) * d), (Mask){0}, 0);
    return ag_concat(head, heads, 1);
}

/* Against all heads at once, by a further axis, whose keys and values were copied. */
static double multi_query(Trial *t)
{
    enum { TOKENS = 5, HEADS = 4, D = 8 };
    Tensor *x[3], *axis[3];
    for (int part = 0; part < 3; part++) {
        x[part] = trial_normal(t, 404, shape2(TOKENS, HEADS * D));
        Tensor *from = ag_slice(x[part], 1, 0, D);
        Tensor *same = ag_concat((Tensor *[]){from, from, from, from}, HEADS, 1);
        Tensor *heads = ag_reshape(part ? same : x[part], shape3(TOKENS, HEADS, D));
        axis[part] = ag_reshape(ag_copy(ag_transpose(heads, 0, 1)), shape4(1, HEADS, TOKENS, D));
    }
    Tensor *all = ag_transpose(ag_attention(axis[0], axis[1], axis[2], (Mask){0}, 0), 1, 2);
    Tensor *y =
        TRIED(t, heads_side_by_side, heads_side_by_side_solved, heads_side_by_side_wrong_own_values,
              heads_side_by_side_wrong_one_query)(x[0], x[1], x[2], HEADS, D);
    double off = values_difference(y, ag_reshape(ag_copy(all), shape2(TOKENS, HEADS * D)));
    explain(t, "%d heads, one key and value: max difference %.2g", HEADS, off);
    return off;
}

/* ---- row 24: the best that one head can do --------------------------------------------------- */

/* Now: the factor of independent tokens. Change it: the w for which w (a x_A + b x_B) misses x_A -
 * x_B by least in the mean square, where x_A, x_B have variance 1 and the correlation E[x_A x_B] =
 * rho. */
static double best_factor(double a, double b, double rho)
{
    (void)rho;
    return (a - b) / (a * a + b * b);
}

/* At the minimum the slope of E (x_A - x_B - w (a x_A + b x_B))^2 is 0. */
static double least_miss(Trial *t)
{
    static const double correlation[] = {-0.5, 0.25, 0.5};
    double worst = 0;
    for (int i = 0; i < 6; i++) {
        double a = 1 - i / 10.0, b = i / 20.0, rho = correlation[i % 3];
        double w = TRIED(t, best_factor, best_factor_solved, best_factor_wrong_numerator,
                         best_factor_wrong_denominator)(a, b, rho);
        double left = 1 - w * a, right = 1 + w * b; /* of x_A, and of -x_B */
        double slope = -2 * a * left + 2 * b * right - 2 * rho * (b * left - a * right);
        explain(t, "a = %.1f, b = %.2f, rho = %5.2f: w = %6.3f, slope of the miss there %.2g", a, b,
                rho, w, slope);
        worst = values_worst(worst, fabs(slope));
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
    EXERCISE(18, "temperature_for: the temperature that gives the better key its share",
             "Z: Self-attention", "max |weight - share|, three gaps and shares", 1e-5,
             "a sigmoid in float", temperature, {"share", "the log of the share, not of the odds"},
             {"inverse", "1 / tau"}),
    EXERCISE(21, "score_factor: variance 1 for entries of any deviation", "H: What is Attention",
             "max |Var - 1| at d = 64, deviation 3, and at d = 256, deviation 1/2", 0.1,
             "4,000 pairs: an error of 0.023, four of which are 0.09", unit_variance,
             {"once", "divided by the deviation once"},
             {"one_width", "the factor of d = 64 at every d"}),
    EXERCISE(19, "bilinear: X W X^T for W = W_q W_k^T", "Z: Introducing network parameters",
             "max |bilinear - X W_q (X W_k)^T|", 1e-4,
             "the same sums in another order, of numbers near 10", one_matrix,
             {"transposed", "X W^T X^T, which exchanges queries and keys"}),
    EXERCISE(23, "heads_side_by_side: all heads share one key and one value",
             "J: Multi-Head Self-Attention Summary", "max |loop - all heads at once|", 1e-5,
             "the same sums; kernels may add them in another order", multi_query,
             {"own_values", "the key is shared, and the value is not"},
             {"one_query", "the query is shared, too"}),
    EXERCISE(24, "best_factor: the w of least miss, for correlated tokens",
             "Z: Multi-Head Attention", "max |d miss / d w| for six pairs of weights", 1e-12,
             "0 at a minimum; five doubles", least_miss,
             {"numerator", "the correlation is left out of the mean square of what is said"},
             {"denominator", "the correlation is left out of what is asked"}),
    {0},
};
