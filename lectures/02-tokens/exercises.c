/* exercises.c: functions to be changed, and the claims that tell whether the change is right.
 *
 * `./gradus claims 2 --try 8` runs those of row 8. As they stand they compute something else, so
 * their claims FAIL. solutions.c has a solution of each, which `--try 8:solved` measures, and
 * mistakes, NAME_wrong_WHAT, with which the claim must FAIL, too. */
#include "lectures/02-tokens/exercises.h"

#include <string.h>

/* ---- row 6: the gradient of a look-up -------------------------------------------------------- */

/* Now: row id[t] of dE (V, C) becomes row t of G (T, C). Change it: the gradient of a look-up,
 * which is right where a word stands several times, too. dE is 0 before. */
static void look_up_gradient(double *dE, const int *id, const real *G, int T, int C)
{
    for (int t = 0; t < T; t++)
        for (int c = 0; c < C; c++)
            dE[id[t] * C + c] = (double)G[t * C + c];
}

static double gradient_right(Trial *t)
{
    enum { V = 5, C = 3, T = 12 };
    Tape *tape = trial_tape(t);
    Rng *rng = trial_rng(t, 950);
    int id[T];
    double dE[V * C] = {0}, worst = 0;
    for (int i = 0; i < T; i++)
        id[i] = (int)rng_below(rng, V - 1);
    Tensor *E = values_leaf(tape, rng, shape2(V, C), 1);
    Tensor *G = values_normal(tape, rng, shape2(T, C), 1);
    if (!ag_backward_from(ag_embedding(E, tape_ids(tape, id, shape1(T))), G->data))
        worst = (double)NAN;
    void (*gradient)(double *, const int *, const real *, int, int) =
        TRIED(t, look_up_gradient, look_up_gradient_solved, look_up_gradient_wrong_mean,
              look_up_gradient_wrong_first);
    gradient(dE, id, G->data, T, C);
    for (int i = 0; i < V * C; i++)
        worst = values_worst(worst, fabs(dE[i] - (double)E->grad[i]));
    explain(t, "12 look-ups of 4 words: max |dE - ag_embedding's gradient| = %.2g", worst);
    return worst;
}

/* ---- row 7: what negatives are drawn from ---------------------------------------------------- */

/* What w.x becomes for context x of `contexts`, given p(w, x), p(w) and how often each context
 * stands in the text, n. Now: as in section 7, for k negatives drawn from p(x). Change it for
 * word2vec's own negatives (Mikolov et al. 2013b), among which the share of each context is
 * proportional to n^(3/4). */
static double learned_product(double p_wx, double p_w, const double *n, int contexts, int x, int k)
{
    double all = 0;
    for (int i = 0; i < contexts; i++)
        all += n[i];
    return log(p_wx / (p_w * n[x] / all)) - log(k);
}

/* Where the loss -p log s(z) - k p_w q log s(-z) is least, by bisection: its derivative is -p s(-z)
 * + k p_w q s(z). */
static double least_loss(double p, double negatives)
{
    double low = -50, high = 50;
    for (int i = 0; i < 200; i++) {
        double z = (low + high) / 2, s = 1 / (1 + exp(-z));
        *(negatives * s > p * (1 - s) ? &high : &low) = z;
    }
    return low;
}

static double product_right(Trial *t)
{
    enum { K = 5 };
    static const double n[] = {1, 16, 81}, beside[] = {0.7, 0.2, 0.1}, p_w = 0.3;
    double worst = 0;
    double (*product)(double, double, const double *, int, int, int) =
        TRIED(t, learned_product, learned_product_solved, learned_product_wrong_sum,
              learned_product_wrong_twice);
    for (int x = 0; x < 3; x++) {
        double q = pow(n[x], 0.75) / 36; /* the powers are 1, 8 and 27 */
        double z = product(p_w * beside[x], p_w, n, 3, x, K);
        double least = least_loss(p_w * beside[x], K * p_w * q);
        explain(t, "context of count %2.0f: w.x = %.4f, and the loss is least at %.4f", n[x], z,
                least);
        worst = values_worst(worst, fabs(z - least));
    }
    return worst;
}

/* ---- row 8: the most frequent pair ----------------------------------------------------------- */

/* Now: the first pair of neighbours. Change it: the most frequent one, among equals the first in
 * the text. "aaa" has the pair a a once: its tokens can be replaced once. Returns how often it
 * occurs. */
static int frequent_pair(const int32_t *ids, int n, int32_t pair[2])
{
    pair[0] = ids[0];
    pair[1] = n > 1 ? ids[1] : ids[0];
    return 1;
}

static double pair_right(Trial *t)
{
    enum { TEXT = 24 }; /* so short that in many texts two pairs are equally frequent */
    int wrong = 0;
    for (int trial = 0; trial < 50; trial++) {
        char text[TEXT];
        int32_t ids[TEXT], pair[2];
        Bpe b;
        for (int i = 0; i < TEXT; i++)
            ids[i] = text[i] = "aaabc"[rng_below(trial_rng(t, 951), 5)];
        data_bpe_train(&b, text, TEXT, 1);
        int count = TRIED(t, frequent_pair, frequent_pair_solved, frequent_pair_wrong_overlapping,
                          frequent_pair_wrong_last)(ids, TEXT, pair);
        Merge m = b.merge[0];
        wrong += pair[0] != m.left || pair[1] != m.right || count != m.count;
        if (trial == 0)
            explain(t, "%.20s...: found %c%c, %d times; the first merge is %c%c, %d times", text,
                    (char)pair[0], (char)pair[1], count, (char)m.left, (char)m.right, (int)m.count);
        data_bpe_free(&b);
    }
    explain(t, "%d of 50 texts wrong", wrong);
    return wrong;
}

/* ---- row 9: a picture as tokens -------------------------------------------------------------- */

/* Now: the numbers of the picture (28, 28) in their order. Change it: X (16, 49), a row a patch of
 * 7 x 7, patches and the numbers in them row by row. */
static void picture_tokens(const real *picture, real X[PATCHES][FEATURES])
{
    memcpy(X, picture, sizeof(real) * PATCHES * FEATURES);
}

static double tokens_right(Trial *t)
{
    static real X[PATCHES][FEATURES];
    Tensor *picture = trial_normal(t, 952, shape2(DATA_DIGIT_SIDE, DATA_DIGIT_SIDE));
    TRIED(t, picture_tokens, picture_tokens_solved, picture_tokens_wrong_columns)(picture->data, X);
    Tensor *cut = ag_reshape(picture, shape4(SIDE, PATCH_SIDE, SIDE, PATCH_SIDE));
    cut = ag_reshape(ag_permute(cut, (int[]){0, 2, 1, 3}), shape2(PATCHES, FEATURES));
    double off = values_difference(tape_input(trial_tape(t), X[0], shape2(PATCHES, FEATURES)), cut);
    explain(t, "max |X - reshape, permute, reshape| = %g", off);
    return off;
}

const Claim tokens_exercises[] = {
    EXERCISE(6, "look_up_gradient: the sum over where a word stands", "Z: Word embedding",
             "max |dE - gradient of ag_embedding|", 1e-5, "sums of 12 numbers of size 1 in float",
             gradient_right, {"mean", "divided by T"}, {"first", "only where a word stands first"}),
    EXERCISE(7, "learned_product: w.x with negatives from n^(3/4)",
             "Z: Word2Vec: Continuous bag-of-words and skip-grams",
             "max |w.x - where the loss is least| of three contexts", 1e-9,
             "logarithms and bisection in double", product_right,
             {"sum", "the powers are divided by the sum of the counts"},
             {"twice", "p(x) is still divided out, beside the noise"}),
    EXERCISE(8, "frequent_pair: which pair is merged first", "Z: Tokenization",
             "texts of 50 whose pair or count is not data_bpe_train's", 0, "the same definition",
             pair_right, {"overlapping", "aaa counts a a twice"},
             {"last", "among equals the last"}),
    EXERCISE(9, "picture_tokens: a row a patch", "Z: Notation",
             "max |X - the picture reshaped, permuted, reshaped|", 0, "the same numbers elsewhere",
             tokens_right, {"columns", "the patches column by column"}),
    {0},
};
