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
    enum { MOST = 24 }; /* so short that in many texts two pairs are equally frequent */
    int wrong = 0;
    for (int trial = 0; trial < 50; trial++) {
        char text[MOST];
        int32_t ids[MOST], pair[2] = {0};
        int n = MOST - trial % (MOST - 1);
        Bpe b;
        for (int i = 0; i < n; i++)
            ids[i] = text[i] = "aaabc"[rng_below(trial_rng(t, 951), 5)];
        data_bpe_train(&b, text, (size_t)n, 1);
        int count = TRIED(t, frequent_pair, frequent_pair_solved, frequent_pair_wrong_overlapping,
                          frequent_pair_wrong_last)(ids, n, pair);
        Merge m = {.left = ids[0], .right = ids[1], .count = 1}; /* where no pair occurs twice */
        m = b.merges ? b.merge[0] : m;
        wrong += pair[0] != m.left || pair[1] != m.right || count != m.count;
        if (trial == 0)
            explain(t, "%.20s...: found %c%c, %d times; the first merge is %c%c, %d times", text,
                    (char)pair[0], (char)pair[1], count, (char)m.left, (char)m.right, (int)m.count);
        data_bpe_free(&b);
    }
    explain(t, "%d of 50 texts wrong", wrong);
    return wrong;
}

const Claim tokens_exercises[] = {
    EXERCISE(6, "look_up_gradient: the sum over where a word stands", "Z: Word embedding",
             "max |dE - gradient of ag_embedding|", 1e-5, "sums of 12 numbers of size 1 in float",
             gradient_right, {"mean", "divided by T"}, {"first", "only where a word stands first"}),
    EXERCISE(8, "frequent_pair: which pair is merged first", "Z: Tokenization",
             "texts of 50 whose pair or count is not data_bpe_train's", 0, "the same definition",
             pair_right, {"overlapping", "aaa counts a a twice"},
             {"last", "among equals the last"}),
    {0},
};
