/* weights.c: attention weights before anything is learned (rows 18 to 20).
 *
 *   a_nm = exp(x_n . x_m) / sum_k exp(x_n . x_k),   Y = A X        Z "Self-attention"
 *   scores X X^T, then X U U^T X^T, then X W_q (X W_k)^T           Z "Introducing network parameters" */
#include "lectures/04-attention/attention.h"

#include <math.h>

/* ---- row 18: a partition of unity -------------------------------------------------------------------- */

/* The worst of |sum of a row - 1| and of how far a weight leaves 0 .. 1. */
static double partition(Trial *t)
{
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 18};
    Tensor *x = values_normal(tape, &rng, shape2(12, 8), 1);
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
    tape_free(tape);
    return values_worst(off, values_worst(-least, most - 1));
}

const Claim claim_partition = {
    .row = 18,
    .statement = "weights are 0 or more and sum to 1 over the keys",
    .slides = {"Z: Attention weights constraints", "Z: Attention weights considerations",
               "Z: Self-attention", "B: Computing Attention Weights"},
    .quantity = "the worst of |sum - 1|, -a and a - 1",
    AT_MOST(1e-6),
    .why = "softmax divides by the sum; adding 12 rounded floats is off by some 1e-7",
    .faults = {{"no-softmax", "the scores themselves are the weights"},
               {"no-norm", "exponentials that are not divided by their sum"}},
    .measure = partition,
};

/* a_mm = 1 leaves the other weights nothing: y_m = x_m. Tokens at right angles, made longer and longer. */
static double identity(Trial *t)
{
    Tape *tape = tape_new(t->seed);
    double last = 0;
    for (int length = 1; length <= 8; length *= 2) {
        real x[16] = {0};
        for (int i = 0; i < 4; i++)
            x[i * 4 + i] = broken(t, "short") ? 1 : (real)length;
        if (broken(t, "half")) { /* x_2 . x_1 = length^2 / 2, x_2 . x_2 = length^2 / 4 */
            x[5] = 0;
            x[4] = (real)length / 2;
        }
        Tensor *X = tape_input(tape, x, shape2(4, 4));
        Tensor *A = ag_softmax(ag_matmul(X, ag_transpose(X, 0, 1)));
        last = values_difference(ag_matmul(A, X), X) / values_largest(X);
        explain(t, "length %d: a_11 = %.6f, max |y - x| / length = %.2g", length,
                (double)tensor_get(A, (int64_t[]){0, 0}), last);
    }
    tape_free(tape);
    return last;
}

const Claim claim_identity = {
    .row = 18,
    .statement = "a_mm = 1 forces a_mn = 0 elsewhere in the row, and y_m = x_m",
    .slides = {"Z: Attention weights constraints"},
    .quantity = "max |y - x| over their length, 4 tokens at right angles, length 8",
    AT_MOST(1e-6),
    .why = "the others share 3 exp(-64), far below float's 6e-8",
    .faults = {{"half", "the second token is half of the first, and sees that more than itself"},
               {"short", "the tokens stay of length 1: each sees the others too"}},
    .measure = identity,
};

/* Two tokens that are nearly alike, x_2 = x_1 + gap e, and the target x_1 + e. Without the constraint the weights that
 * give it exactly are a_2 = 1 / gap and a_1 = 1 - 1 / gap: a large one compensated by a large negative one. */
static double compensated(Trial *t)
{
    enum { C = 8 };
    double gap = broken(t, "far-apart") ? 1 : 0.02, largest = 1 / gap;
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 181};
    Tensor *first = values_normal(tape, &rng, shape2(1, C), 1);
    Tensor *e = values_normal(tape, &rng, shape2(1, C), 1);
    Tensor *tokens = ag_concat((Tensor *[]){first, ag_add(first, ag_scale(e, (real)gap))}, 2, 0);
    Tensor *a = tape_input(tape, (real[]){(real)(1 - largest), (real)largest}, shape2(1, 2));
    double off = values_difference(ag_matmul(a, tokens), ag_add(first, e));
    explain(t, "weights %.1f and %.1f reach the target to %.2g; the constraint allows 0 to 1",
            1 - largest, largest, off);
    tape_free(tape);
    return off <= 1e-3 ? largest : (double)NAN;
}

const Claim claim_compensated = {
    .row = 18,
    .statement = "without the constraint, large weights compensate large negative ones",
    .slides = {"Z: Attention weights considerations"},
    .quantity = "largest weight that reaches a target beside two tokens 0.02 apart",
    AT_LEAST(49),
    .why = "a_1 + a_2 = 1 and 0.02 a_2 = 1: a_2 = 50, a_1 = -49; the sum of the two is still 1",
    .faults = {{"far-apart", "the tokens are as far apart as the target: a_2 = 1, a_1 = 0"}},
    .measure = compensated,
};

/* ---- row 19: symmetric scores ------------------------------------------------------------------------ */

enum { TOKENS = 10, WIDTH = 16 };

/* max |S - S^T| for the scores of the same random tokens. */
static double asymmetry(Tensor *s)
{
    return values_difference(s, ag_transpose(s, 0, 1));
}

static double symmetric_scores(Trial *t)
{
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 19};
    Tensor *X = values_normal(tape, &rng, shape2(TOKENS, WIDTH), 1);
    Tensor *U = values_normal(tape, &rng, shape2(WIDTH, WIDTH), 0.25);
    Tensor *W = values_normal(tape, &rng, shape2(WIDTH, WIDTH), 0.25);
    Tensor *XU = ag_matmul(X, U);
    Tensor *keys = broken(t, "separate-weights") ? ag_matmul(X, W) : XU;
    double plain = asymmetry(ag_matmul(X, ag_transpose(X, 0, 1)));
    double with_u = asymmetry(ag_matmul(XU, ag_transpose(keys, 0, 1)));
    explain(t, "X X^T: max |S - S^T| = %.2g", plain);
    explain(t, "X U U^T X^T: max |S - S^T| = %.2g", with_u);
    tape_free(tape);
    return values_worst(plain, with_u);
}

const Claim claim_symmetric_scores = {
    .row = 19,
    .statement = "X X^T and X U U^T X^T are symmetric: cat to pet is pet to cat",
    .slides = {"Z: Introducing network parameters", "Z: Self-attention"},
    .quantity = "max |S - S^T|",
    AT_MOST(1e-4),
    .why = "the same products in another order: rounding only, of scores up to some 40",
    .faults = {{"separate-weights", "the keys get weights of their own"}},
    .measure = symmetric_scores,
};

static double softmax_asymmetry(Trial *t)
{
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 19};
    Tensor *X = values_normal(tape, &rng, shape2(TOKENS, WIDTH), 0.5);
    Tensor *S = ag_matmul(X, ag_transpose(X, 0, 1));
    double before = asymmetry(S), after = asymmetry(broken(t, "no-softmax") ? S : ag_softmax(S));
    explain(t, "max |S - S^T| = %.2g, max |A - A^T| = %.3f", before, after);
    tape_free(tape);
    return before <= 1e-4 ? after : (double)NAN;
}

const Claim claim_softmax_asymmetry = {
    .row = 19,
    .statement = "softmax makes the weights of symmetric scores asymmetric",
    .slides = {"Z: Introducing network parameters"},
    .quantity = "max |A - A^T| of A = softmax(X X^T); NaN if the scores differ by 1e-4",
    AT_LEAST(0.01),
    .why = "each row is divided by a sum of its own; of symmetric numbers only rounding, 1e-7, is "
           "left",
    .faults = {{"no-softmax", "the scores instead of the weights"}},
    .measure = softmax_asymmetry,
};

/* ---- cat and pet --------------------------------------------------------------------------------------- */

/* Learns scores with "cat" to "pet" at 2 and "pet" to "cat" at -2; max |score - wanted| over the four afterwards. */
static double learned_scores(Trial *t, bool shared)
{
    enum { STEPS = 200 };
    static const real wanted[] = {0, 2, -2, 0};
    Params *params = params_new(t->seed);
    Tape *tape = tape_new(t->seed);
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
        Tensor *q = nn_linear(&query, x), *k = nn_linear(shared ? &query : &key, x);
        Tensor *s = ag_matmul(q, ag_transpose(k, 0, 1));
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
    tape_free(tape);
    params_free(params);
    return off;
}

static double cat_to_pet(Trial *t)
{
    return learned_scores(t, broken(t, "shared-weights"));
}

const Claim claim_cat_pet = {
    .row = 19,
    .statement = "with separate W_q and W_k, cat to pet is strong and pet to cat weak",
    .slides = {"Z: Introducing network parameters"},
    .quantity = "max |score - wanted| over all four scores; wanted are 0, 2, -2, 0",
    AT_MOST(0.1),
    .why = "two 16 x 16 matrices can give any four scores, 0.1 is left to the training; symmetric "
           "ones miss by 2",
    .faults = {{"shared-weights", "W_k is W_q: the scores are symmetric"}},
    .measure = cat_to_pet,
};

/* ---- features that matter ------------------------------------------------------------------------------------- */

/* Which of 8 tokens is relevant to a query is told by feature 1 alone, of 16: the one that has most of it. */
enum { QUERIES = 64, KEYS = 8 };

/* Scores (QUERIES, KEYS) of fresh tokens, and which key is relevant to each query. */
static Tensor *relevance(Tape *tape, Rng *rng, const Linear *U, int *label)
{
    tape_reset(tape);
    Tensor *x = values_normal(tape, rng, shape3(QUERIES, 1, WIDTH), 1);
    Tensor *keys = values_normal(tape, rng, shape3(QUERIES, KEYS, WIDTH), 1);
    for (int n = 0; n < QUERIES; n++) {
        const real *k = keys->data + n * KEYS * WIDTH;
        x->data[n * WIDTH] = 1; /* every query has the feature */
        label[n] = 0;
        for (int m = 1; m < KEYS; m++)
            label[n] = k[m * WIDTH] > k[label[n] * WIDTH] ? m : label[n];
    }
    Tensor *q = U ? nn_linear(U, x) : x, *k = U ? nn_linear(U, keys) : keys;
    return ag_reshape(ag_matmul(q, ag_transpose(k, 1, 2)), shape2(QUERIES, KEYS));
}

/* The share of queries whose largest score is the relevant key's. */
static double share_right(const Tensor *scores, const int *label)
{
    int right = 0;
    for (int n = 0; n < QUERIES; n++) {
        const real *s = scores->data + n * KEYS;
        bool best = true;
        for (int m = 0; m < KEYS; m++)
            best &= m == label[n] || s[label[n]] > s[m];
        right += best;
    }
    return (double)right / QUERIES;
}

static double focus(Trial *t)
{
    enum { STEPS = 200, TESTS = 20 };
    int label[QUERIES];
    Params *params = params_new(t->seed);
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 191};
    Linear U;
    Adam adam;
    double with = 0, without = 0;
    nn_linear_init(&U, params, "U", WIDTH, WIDTH, false);
    adam_init(&adam, params, 0.02);
    for (int step = 0; step < STEPS; step++) {
        Tensor *scores = relevance(tape, &rng, &U, label);
        ag_backward(ag_cross_entropy(scores, tape_ids(tape, label, shape1(QUERIES))));
        adam_step(&adam, params);
    }
    for (int i = 0; i < TESTS; i++) {
        without += share_right(relevance(tape, &rng, NULL, label), label) / TESTS;
        with += share_right(relevance(tape, &rng, &U, label), label) / TESTS;
    }
    explain(t, "relevant key found: X X^T %.3f, X U U^T X^T %.3f of the time; by chance %.3f",
            without, with, 1.0 / KEYS);
    adam_free(&adam);
    tape_free(tape);
    params_free(params);
    return broken(t, "no-U") ? without : with;
}

const Claim claim_focus = {
    .row = 19,
    .statement = "X X^T weighs all features alike; a learned U attends to those that matter",
    .slides = {"Z: Introducing network parameters"},
    .quantity = "share of queries whose relevant key, told by 1 feature of 16, scores highest",
    AT_LEAST(0.8),
    .why = "1,280 queries: an error of 0.011; X X^T has 15 features of noise and finds about 0.23",
    .faults = {{"no-U", "the scores are X X^T"}},
    .measure = focus,
};
