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
    .statement = "a_mm = 1 forces a_nm = 0 elsewhere, and y_m = x_m",
    .slides = {"Z: Attention weights constraints"},
    .quantity = "max |y - x| over their length, 4 tokens at right angles, length 8",
    AT_MOST(1e-6),
    .why = "the others share 3 exp(-64), far below float's 6e-8",
    .faults = {{"half", "the second token is half of the first, and sees that more than itself"},
               {"short", "the tokens stay of length 1: each sees the others too"}},
    .measure = identity,
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
    return after;
}

const Claim claim_softmax_asymmetry = {
    .row = 19,
    .statement = "softmax alone makes weights of symmetric scores differ",
    .slides = {"Z: Introducing network parameters"},
    .quantity = "max |A - A^T| of A = softmax(X X^T)",
    AT_LEAST(0.01),
    .why = "each row is divided by a sum of its own; of symmetric numbers only rounding, 1e-7, is "
           "left",
    .faults = {{"no-softmax", "the scores instead of the weights"}},
    .measure = softmax_asymmetry,
};

/* ---- cat and pet --------------------------------------------------------------------------------------- */

/* Learns scores with "cat" to "pet" at 2 and "pet" to "cat" at -2; returns by how much they differ then. */
static double learned_gap(bool shared, uint64_t seed)
{
    enum { STEPS = 200 };
    static const real wanted[] = {0, 2, -2, 0};
    Params *params = params_new(seed);
    Tape *tape = tape_new(seed);
    Linear query, key;
    Adam adam;
    nn_linear_init(&query, params, "query", WIDTH, WIDTH, false);
    nn_linear_init(&key, params, "key", WIDTH, WIDTH, false);
    adam_init(&adam, params, 0.02);
    double gap = 0;
    for (int step = 0; step < STEPS; step++) {
        Rng rng = {.seed = seed, .stream = 190};
        tape_reset(tape);
        Tensor *x = values_normal(tape, &rng, shape2(2, WIDTH), 1); /* cat, pet */
        Tensor *q = nn_linear(&query, x), *k = nn_linear(shared ? &query : &key, x);
        Tensor *s = ag_matmul(q, ag_transpose(k, 0, 1));
        Tensor *target = tape_input(tape, wanted, shape2(2, 2));
        gap = (double)s->data[1] - (double)s->data[2];
        ag_backward(ag_mse(s, target));
        adam_step(&adam, params);
    }
    adam_free(&adam);
    tape_free(tape);
    params_free(params);
    return gap;
}

static double cat_to_pet(Trial *t)
{
    double gap = learned_gap(broken(t, "shared-weights"), t->seed);
    explain(t, "after 200 steps: score of cat to pet less that of pet to cat = %.4f, wanted 4",
            gap);
    return gap;
}

const Claim claim_cat_pet = {
    .row = 19,
    .statement = "with separate W_q and W_k, cat to pet is strong and pet to cat weak",
    .slides = {"Z: Introducing network parameters"},
    .quantity = "score of cat to pet less pet to cat; wanted are 2 and -2",
    BETWEEN(3.9, 4.1),
    .why = "two 16 x 16 matrices have room for any four scores; 0.1 is left to the training",
    .faults = {{"shared-weights", "W_k is W_q: the scores are symmetric"}},
    .measure = cat_to_pet,
};
