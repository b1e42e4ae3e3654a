/* embedding.c: a word is a one-hot vector, and its embedding is a row of a matrix (row 6).
 *
 *   x_t = x~_t E       x~ (T, V) one-hot rows, E (V, C) a row a word: what gradus has
 *   x_t = E x~_t       x~ (V, T) one-hot columns, E (C, V) a column a word:
 *                      V "Word to Word Embedding", Z "Word embedding"
 *   dL/dE = x~^T dL/dx
 *
 * The product is never computed: ag_embedding looks the row up. */
#include "lectures/02-tokens/tokens.h"

enum { WORDS = 8, CHANNELS = 8, LENGTH = 5 }; /* V, C and T */

/* A sentence in which word 2 occurs twice and words 3, 5, 6 and 7 do not occur. */
static const int sentence[LENGTH] = {2, 0, 4, 2, 1};

/* One-hot rows (T, V): row t is 1 at word id[t], counted from `first`. */
static Tensor *one_hot(Tape *tape, const int *id, int T, int V, int first)
{
    Tensor *x = tape_full(tape, 0, shape2(T, V));
    for (int t = 0; t < T; t++)
        x->data[t * V + id[t] + first] = 1;
    return x;
}

/* ---- the look-up is the product -------------------------------------------------------------- */

static double look_up(Trial *t)
{
    Tape *tape = trial_tape(t);
    Tensor *E = trial_normal(t, 600, shape2(WORDS, CHANNELS));
    Tensor *X = one_hot(tape, sentence, LENGTH, WORDS, broken(t, "from-one") ? 1 : 0);
    Tensor *rows = ag_embedding(E, tape_ids(tape, sentence, shape1(LENGTH)));
    double off = values_difference(rows, ag_matmul(X, E));
    explain(t, "E (%d, %d), %d words: max |E's row - one-hot E| = %g", WORDS, CHANNELS, LENGTH,
            off);
    explain(t, "multiply-adds: %d for the product, 0 for the look-up", LENGTH * WORDS * CHANNELS);
    return off;
}

/* ---- the gradient ---------------------------------------------------------------------------- */

/* dL/dE for a given dL/dx = G; tied: E is the output layer, too, and L a cross-entropy over all
 * words. */
static Tensor *embedding_gradient(Tape *tape, Rng *rng, Tensor *G, bool tied)
{
    Tensor *E = values_leaf(tape, rng, shape2(WORDS, CHANNELS), 1);
    Tensor *ids = tape_ids(tape, sentence, shape1(LENGTH));
    Tensor *x = ag_embedding(E, ids);
    Tensor *loss = tied ? ag_cross_entropy(ag_linear(x, E, NULL), ids) : ag_sum(ag_mul(x, G));
    ag_backward(loss);
    return tape_input(tape, E->grad, E->shape);
}

static double unused_rows(Trial *t)
{
    Tape *tape = trial_tape(t);
    Rng *rng = trial_rng(t, 602);
    Tensor *G = values_normal(tape, rng, shape2(LENGTH, CHANNELS), 1);
    Tensor *dE = embedding_gradient(tape, rng, G, broken(t, "tied"));
    double unused = 0, used = INFINITY;
    for (int word = 0; word < WORDS; word++) {
        double most = 0;
        bool occurs = false;
        for (int i = 0; i < LENGTH; i++)
            occurs |= sentence[i] == word;
        for (int c = 0; c < CHANNELS; c++)
            most = values_worst(most, fabs((double)dE->data[word * CHANNELS + c]));
        explain(t, "word %d of 8 %s: max |dL/dE| in its row %.3g", word + 1,
                occurs ? "occurs        " : "does not occur", most);
        if (occurs)
            used = values_least(used, most);
        else
            unused = values_worst(unused, most);
    }
    return used > 0 ? unused : (double)NAN; /* a gradient that is 0 throughout says nothing */
}

/* dL/dE = x~^T G, with the product computed from the one-hot rows. */
static double summed_gradient(Trial *t)
{
    Tape *tape = trial_tape(t);
    Rng *rng = trial_rng(t, 602);
    Tensor *G = values_normal(tape, rng, shape2(LENGTH, CHANNELS), 1);
    Tensor *dE = embedding_gradient(tape, rng, G, false);
    Tensor *X = one_hot(tape, sentence, LENGTH, WORDS, 0);
    if (broken(t, "last-only")) /* word 2 occurs at t = 0 and t = 3 */
        X->data[0 * WORDS + 2] = 0;
    double off = values_difference(dE, ag_matmul(ag_transpose(X, 0, 1), G));
    explain(t, "word 3 at t = 1 and t = 4: G %.4f and %.4f, dL/dE %.4f (first channel)",
            (double)G->data[0], (double)G->data[3 * CHANNELS], (double)dE->data[2 * CHANNELS]);
    explain(t, "max |dL/dE - x~^T G| = %.2g", off);
    return off;
}

const Claim embedding_claims[] = {
    {6, look_up, "one-hot times E is the word's row of E, bit by bit",
     .slides = {"V: Word to Word Embedding", "Z: Word embedding"},
     .quantity = "max |ag_embedding - ag_matmul of the one-hot rows with E|",
     EXACTLY(0, "1 e + 0 + ... + 0 is e, in float and in any order"),
     .faults = {{"from-one", "the one-hot rows count words from 1, as Z does, the ids from 0"}}},
    {6, unused_rows, "a word that does not occur gets a gradient of exactly 0",
     .slides = {"V: Word to Word Embedding", "Z: Word embedding"},
     .quantity = "max |dL/dE| over the rows of words that do not occur",
     EXACTLY(0, "dL/dE_v = sum over t of x~_tv dL/dx_t, and every x~_tv is 0"),
     .faults = {{"tied", "E is the output layer, too: the softmax reaches every word"}}},
    {6, summed_gradient, "dL/dE = x~^T dL/dx: a word's gradient is the sum over where it stands",
     .slides = {"V: Word to Word Embedding", "Z: Word embedding"},
     .quantity = "max |gradient of ag_embedding - x~^T dL/dx|",
     AT_MOST(1e-6, "a sum of two numbers of size 1 to 3: one rounding of 2^-23 times 4"),
     .faults = {{"last-only", "only the word's last occurrence counts: = in place of +="}}},
    {0},
};
