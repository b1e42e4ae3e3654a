/* weights.c: attention weights before anything is learned (rows 18 and 19).
 *
 *   a_nm = exp(x_n . x_m) / sum_k exp(x_n . x_k),   Y = A X   Z "Self-attention"
 *   scores X X^T, then X U U^T X^T, then X W_q (X W_k)^T      Z "Introducing network parameters" */
#include "lectures/04-attention/attention.h"

#include <math.h>

/* ---- row 18: a partition of unity ------------------------------------------------------------ */

/* The worst of |sum of a row - 1| and of how far a weight leaves 0 .. 1. */
static double partition(Trial *t)
{
    Tensor *x = trial_normal(t, 18, shape2(12, 8));
    Tensor *scores = ag_matmul(x, ag_transpose(x, 0, 1));
    Tensor *a = broken(t, "no-softmax") ? ag_scale(scores, (real)0.1)
                : broken(t, "no-norm")  ? ag_exp(ag_scale(scores, (real)0.1))
                                        : ag_softmax(scores);
    double off = 0, least = INFINITY, most = -INFINITY;
    for (int n = 0; n < 12; n++) {
        double sum = 0;
        for (int m = 0; m < 12; m++) {
            double w = (double)tensor_get(a, (int64_t[]){n, m});
            sum += w;
            least = values_least(least, w);
            most = values_worst(most, w);
        }
        off = values_worst(off, fabs(sum - 1));
    }
    explain(t, "12 tokens: weights from %.3g to %.3g; the sums of rows are off 1 by %.2g", least,
            most, off);
    return values_worst(off, values_worst(-least, most - 1));
}

/* a_mm = 1 leaves the other weights of row m nothing: y_m = x_m. Of four tokens, made longer and
 * longer, the second is half of the first, and the others stand at right angles: x_1 . x_1 =
 * length^2, x_2 . x_1 = length^2 / 2, x_2 . x_2 = length^2 / 4. So a_11 goes to 1, and a_21, which
 * Z's index names, goes to 1 as well. */
static double identity(Trial *t)
{
    double off = 0, column = 0;
    for (int length = 1; length <= 16; length *= 2) {
        real x[16] = {0}, size = broken(t, "short") ? 1 : (real)length;
        for (int i = 0; i < 4; i++)
            x[i * 4 + (i == 1 ? 0 : i)] = i == 1 ? size / 2 : size;
        Tensor *X = tape_input(trial_tape(t), x, shape2(4, 4));
        Tensor *A = ag_softmax(ag_matmul(X, ag_transpose(X, 0, 1)));
        Tensor *moved = ag_slice(ag_sub(ag_matmul(A, X), X), 0, 0, 1);
        off = values_worst(values_largest(moved) / length, (double)A->data[1]);
        column = (double)A->data[4];
        explain(t, "length %2d: a_11 = %.6f, a_12 = %.2g, |y_1 - x_1| / length = %.2g; a_21 = %.4f",
                length, (double)A->data[0], (double)A->data[1], values_largest(moved) / length,
                column);
    }
    return broken(t, "column") ? column : column > 0.9 ? off : (double)NAN;
}

/* Two tokens that are nearly alike, x_2 = x_1 + gap e, and the target x_1 + e. The weights of least
 * square error, from the normal equations G a = b, G_ij = x_i . x_j and b_i = x_i . target; and,
 * with a_1, a_2 >= 0 and a_1 + a_2 = 1, the best is a_2 = 1, which misses by (1 - gap) |e|. */
static double compensated(Trial *t)
{
    enum { C = 8 };
    double gap = broken(t, "far-apart") ? 1 : 0.02, G[3] = {0}, b[2] = {0}, miss = 0, e = 0;
    const real *x = trial_normal(t, 181, shape2(2, C))->data;
    for (int c = 0; c < C; c++) {
        double first = (double)x[c], second = first + gap * (double)x[C + c];
        double target = first + (double)x[C + c];
        G[0] += first * first, G[1] += first * second, G[2] += second * second;
        b[0] += first * target, b[1] += second * target;
    }
    double det = G[0] * G[2] - G[1] * G[1];
    double a1 = (b[0] * G[2] - b[1] * G[1]) / det, a2 = (G[0] * b[1] - G[1] * b[0]) / det;
    for (int c = 0; c < C; c++) {
        double off = (a1 + a2 - 1) * (double)x[c] + (a2 * gap - 1) * (double)x[C + c];
        miss += off * off;
        e += (double)x[C + c] * (double)x[C + c];
    }
    explain(t, "least squares: weights %.3f and %.3f miss by %.2g; the best within 0 .. 1 by %.2f",
            a1, a2, sqrt(miss), (1 - gap) * sqrt(e));
    return miss < 1e-6 ? values_least(a2, -a1) : (double)NAN;
}

/* ---- row 19: symmetric scores ---------------------------------------------------------------- */

enum { TOKENS = 10, WIDTH = 16 };

/* max |S - S^T| for the scores of the same random tokens. */
static double asymmetry(Tensor *s)
{
    return values_difference(s, ag_transpose(s, 0, 1));
}

static double symmetric_scores(Trial *t)
{
    Tape *tape = trial_tape(t);
    Rng *rng = trial_rng(t, 19);
    Tensor *X = values_normal(tape, rng, shape2(TOKENS, WIDTH), 1);
    Tensor *U = values_normal(tape, rng, shape2(WIDTH, WIDTH), 0.25);
    Tensor *W = values_normal(tape, rng, shape2(WIDTH, WIDTH), 0.25);
    Tensor *XU = ag_matmul(X, U);
    Tensor *keys = broken(t, "separate-weights") ? ag_matmul(X, W) : XU;
    double plain = asymmetry(ag_matmul(X, ag_transpose(X, 0, 1)));
    double with_u = asymmetry(ag_matmul(XU, ag_transpose(keys, 0, 1)));
    explain(t, "X X^T: max |S - S^T| = %.2g", plain);
    explain(t, "X U U^T X^T: max |S - S^T| = %.2g", with_u);
    return values_worst(plain, with_u);
}

/* One learned number u for each word, so that the score of two words is the product of theirs: cat
 * 1, pet 5. The weights are as asymmetric as Z's example asks. But pet looks at itself: by Cauchy
 * and Schwarz u_c . u_p is at most the larger of |u_c|^2 and |u_p|^2, so that with one U no two
 * tokens can each prefer the other to itself. */
static double softmax_asymmetry(Trial *t)
{
    Tensor *U = tape_input(trial_tape(t), (real[]){1, 5}, shape2(2, 1));
    Tensor *S = ag_matmul(U, ag_transpose(U, 0, 1)),
           *A = broken(t, "no-softmax") ? S : ag_softmax(S);
    double there = (double)A->data[1], back = (double)A->data[2];
    explain(t, "scores: cat to pet %g, pet to cat %g; to themselves %g and %g", (double)S->data[1],
            (double)S->data[2], (double)S->data[0], (double)S->data[3]);
    explain(t, "weights: cat to pet %.4f, pet to cat %.2g, pet to itself %.4f", there, back,
            (double)A->data[3]);
    return fabs(there - 1 / (1 + exp(-4))) + fabs(back - 1 / (1 + exp(20)));
}

/* ---- cat and pet ----------------------------------------------------------------------------- */

/* S_ij = (W_q x_i) . (W_k x_j); shared: W_k is W_q, and S symmetric. */
static Tensor *scores_of(const Linear *query, const Linear *key, bool shared, Tensor *x)
{
    Tensor *q = nn_linear(query, x), *k = nn_linear(shared ? query : key, x);
    return ag_matmul(q, ag_transpose(k, 0, 1));
}

/* Learns scores with "cat" to "pet" at 2 and "pet" to "cat" at -2; max |score - wanted| over the
 * four afterwards. */
static double learned_scores(Trial *t, bool shared)
{
    enum { STEPS = 200 };
    static const real wanted[] = {0, 2, -2, 0};
    Params *params = trial_params(t);
    Tape *tape = trial_tape(t);
    Linear query, key;
    Adam adam;
    nn_linear_init(&query, params, "query", WIDTH, WIDTH, false);
    nn_linear_init(&key, params, "key", WIDTH, WIDTH, false);
    adam_init(&adam, params, 0.02);
    double off = 0;
    for (int step = 0; step <= STEPS; step++) {
        Rng rng = {.seed = t->seed, .stream = 190};
        tape_reset(tape);
        Tensor *x = values_normal(tape, &rng, shape2(2, WIDTH), 1); /* cat, pet */
        Tensor *s = scores_of(&query, &key, shared, x);
        Tensor *target = tape_input(tape, wanted, shape2(2, 2));
        off = values_difference(s, target);
        if (step % 100 == 0)
            explain(t,
                    "step %3d: cat to cat %6.3f, cat to pet %6.3f, pet to cat %6.3f, pet to pet "
                    "%6.3f",
                    step, (double)s->data[0], (double)s->data[1], (double)s->data[2],
                    (double)s->data[3]);
        ag_backward(ag_mse(s, target));
        adam_step(&adam, params);
    }
    adam_free(&adam);
    return off;
}

static double cat_to_pet(Trial *t)
{
    return learned_scores(t, broken(t, "shared-weights"));
}

const Claim weights_claims[] = {
    {18, partition, "weights are 0 or more and sum to 1 over the keys",
     .slides = {"Z: Attention weights constraints", "Z: Attention weights considerations",
                "Z: Self-attention", "B: Computing Attention Weights"},
     .quantity = "the worst of |sum - 1|, -a and a - 1",
     AT_MOST(1e-6, "softmax divides by the sum; adding 12 rounded floats is off by some 1e-7"),
     .faults = {{"no-softmax", "the scores themselves are the weights"},
                {"no-norm", "exponentials that are not divided by their sum"}}},
    {18, identity,
     "if a_mm = 1, then a_mn = 0 for the other n, not a_nm as Z prints; and y_m = x_m",
     .slides = {"Z: Attention weights constraints"},
     .quantity = "max of a_12 and |y_1 - x_1| over the length, 16; NaN unless a_21 is above 0.9",
     AT_MOST(1e-6, "a_12 = exp(-128), far below float's 6e-8; a_21 = 1 - exp(-64)"),
     .faults = {{"column", "a_21, of the column, as Z's index says"},
                {"short", "the tokens stay of length 1: each sees the others too"}},
     .against = {MISPRINTED, "Z: Attention weights constraints",
                 "\"If a_mm = 1, it follows that a_nm = 0 for n != m, and therefore y_m = x_m\""}},
    {18, compensated, "without the constraint, large weights compensate large negative ones",
     .slides = {"Z: Attention weights considerations"},
     .quantity = "the lesser of a_2 and -a_1, by least squares, for two tokens 0.02 apart",
     BETWEEN(48.99, 49.01, "a_1 + a_2 = 1 and 0.02 a_2 = 1: a_1 = -49, a_2 = 50; solved in double"),
     .faults = {{"far-apart", "the tokens are as far apart as the target: a_2 = 1, a_1 = 0"}},
     HOLDS_POISONED("the weights are solved for in double; no kernel is run")},
    {19, symmetric_scores, "X X^T and X U U^T X^T are symmetric: cat to pet is pet to cat",
     .slides = {"Z: Introducing network parameters", "Z: Self-attention"},
     .quantity = "max |S - S^T|",
     AT_MOST(1e-4, "the same products in another order: rounding only, of scores up to some 40"),
     .faults = {{"separate-weights", "the keys get weights of their own"}}},
    {19, softmax_asymmetry,
     "softmax makes the weights of symmetric scores asymmetric: 0.98 and 2e-9",
     .slides = {"Z: Introducing network parameters"},
     .quantity = "|weights - closed form|, cat to pet and pet to cat, scores u_i u_j with u = 1, 5",
     AT_MOST(1e-6, "each row is divided by a sum of its own: 1 / (1 + e^-4) and 1 / (1 + e^20), "
                   "in float"),
     .faults = {{"no-softmax", "the scores instead of the weights: 5 and 5"}}},
    {19, cat_to_pet,
     "with separate W_q and W_k the score of cat to pet is high and that of pet to cat low",
     .slides = {"Z: Introducing network parameters"},
     .quantity = "max |score - wanted| over all four scores; wanted are 0, 2, -2, 0",
     AT_MOST(0.1, "two 16 x 16 matrices can give any four scores, 0.1 is left to the training; "
                  "symmetric ones miss by 2"),
     .faults = {{"shared-weights", "W_k is W_q: the scores are symmetric"}}},
    {0},
};
