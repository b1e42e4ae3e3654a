/* exercises.c: functions to be changed, about ten lines each, and the claims that tell whether the
 * change is right.
 *
 * `./gradus claims 6 --try 38` runs those of row 38. As they stand they compute something else, so
 * their claims FAIL. solutions.c has a solution of each, which `--try 38:solved` measures, and
 * mistakes, NAME_wrong_WHAT, with which the claim must FAIL, too. */
#include "lectures/06-language/exercises.h"

/* ---- row 38: the logarithm of a text's probability ------------------------------------------- */

/* logits (N, K) of the N tokens of a text, next (N, 1) their ids. Now: the sum of log p over all K
 * tokens at each position. Change it: log p of this text, as a tensor of one element with a
 * gradient; exp of it over all K^N texts sums to 1. */
static Tensor *text_log_probability(Tensor *logits, Tensor *next)
{
    (void)next;
    return ag_sum(ag_log_softmax(logits));
}

/* All four texts of two tokens, of probabilities 1/2, 1/2 and then 1/3, 2/3. The gradient of a
 * chosen token's logit is 1 - p, that of another one -p. */
static double text_right(Trial *t)
{
    static const double p[2][2] = {{1 / 2.0, 1 / 2.0}, {1 / 3.0, 2 / 3.0}};
    const real numbers[4] = {0, 0, 0, (real)log(2)};
    double worst = 0, sum = 0;
    for (int text = 0; text < 4; text++) {
        const int ids[2] = {text / 2, text % 2};
        Tape *tape = trial_tape(t);
        tape_reset(tape);
        Tensor *logits = tape_leaf(tape, numbers, shape2(2, 2));
        Tensor *next = tape_ids(tape, ids, shape2(2, 1));
        Tensor *y =
            TRIED(t, text_log_probability, text_log_probability_solved,
                  text_log_probability_wrong_logits, text_log_probability_wrong_mean)(logits, next);
        double got = (double)tensor_item(y), expected = log(p[0][ids[0]]) + log(p[1][ids[1]]);
        worst = values_worst(worst, fabs(got - expected));
        sum += exp(got);
        explain(t, "text %d %d: %.5f; expected %.5f", ids[0], ids[1], got, expected);
        if (!ag_backward(y))
            return (double)NAN;
        for (int i = 0; i < 4; i++)
            worst = values_worst(worst, fabs((double)logits->grad[i] - (ids[i / 2] == i % 2) +
                                             p[i / 2][i % 2]));
    }
    explain(t, "the four probabilities sum to %.5f", sum);
    return worst;
}

/* ---- row 40: a cache of a fixed size --------------------------------------------------------- */

/* Now: the first RING keys are kept, and later ones are dropped. Change it: token n = 0, 1, 2 ...
 * replaces the oldest one, so that the last RING are kept. ring (RING, RING_WIDTH), key
 * (RING_WIDTH). */
static void ring_insert(real *ring, int n, const real *key)
{
    for (int c = 0; c < RING_WIDTH && n < RING; c++)
        ring[n * RING_WIDTH + c] = key[c];
}

/* The last of 10 tokens: attention to the ring, whatever the order of its keys, against attention
 * with a window. */
static double ring_right(Trial *t)
{
    enum { N = 10 };
    Tensor *x = trial_normal(t, 691, shape4(1, 1, N, RING_WIDTH));
    real ring[RING * RING_WIDTH] = {0};
    void (*insert)(real *, int, const real *) =
        TRIED(t, ring_insert, ring_insert_solved, ring_insert_wrong_last_slot);
    for (int n = 0; n < N; n++)
        insert(ring, n, x->data + n * RING_WIDTH);
    Tensor *kept = tape_input(trial_tape(t), ring, shape4(1, 1, RING, RING_WIDTH));
    Tensor *last = ag_slice(x, 2, N - 1, N);
    Tensor *window = ag_attention(x, x, x, (Mask){.causal = true, .window = RING - 1}, 0);
    double off = values_difference(ag_attention(last, kept, kept, (Mask){0}, 0),
                                   ag_slice(window, 2, N - 1, N));
    explain(t, "the last %d of %d keys in a ring: attention differs from a window's by %.2g", RING,
            N, off);
    return off;
}

/* ---- row 42: min-p sampling ------------------------------------------------------------------ */

/* Now: tokens whose probability is below `share` become 0. Change it: those below `share` times the
 * largest probability do, and what is left sums to 1 (Nguyen et al. 2024). p (n). */
static void min_p(double *p, int n, double share)
{
    for (int i = 0; i < n; i++)
        p[i] = p[i] < share ? 0 : p[i];
}

/* Tokens in order of their logits: the first `kept` of them, by the library's top-k, which divides
 * by their sum. */
static double min_p_right(Trial *t)
{
    enum { N = SAMPLED };
    Candidates c = {0};
    double worst = 0, drawn[N], p[N];
    for (double share = 0.05; share < 1; share += 0.15) {
        Tensor *logits = sampling_logits(trial_tape(t), trial_rng(t, 693), drawn),
               *q = ag_softmax(logits);
        int kept = 0;
        double most = values_largest(q);
        for (int i = 0; i < N; i++) {
            p[i] = (double)q->data[i];
            kept += p[i] >= share * most;
        }
        bool ok = (c.list || nn_candidates_init(&c, N)) && nn_temperature(&c, logits->data, 1) &&
                  nn_top_k(&c, kept);
        TRIED(t, min_p, min_p_solved, min_p_wrong_sum)(p, N, share);
        for (int i = 0; i < N; i++) /* c.list: all N, the kept ones first */
            worst = values_worst(worst, ok ? fabs(p[c.list[i].token] - (i < kept ? c.list[i].p : 0))
                                           : (double)NAN);
        explain(t, "share %.2f: %d of %d tokens are kept", share, kept, N);
    }
    nn_candidates_free(&c);
    return worst;
}

/* ---- row 45: whole words --------------------------------------------------------------------- */

/* Pieces of words: word[i] is the number of the word that piece i belongs to, chosen[i] whether it
 * was chosen. Now: the chosen pieces are masked. Change it: all pieces of a word are masked if one
 * of them was chosen (whole word masking), so that no word can be read off its other pieces. */
static void whole_words(const int *word, const bool *chosen, int n, bool *masked)
{
    (void)word;
    for (int i = 0; i < n; i++)
        masked[i] = chosen[i];
}

/* Words of 1 to 3 pieces, of which 15 % are chosen. */
static double whole_right(Trial *t)
{
    enum { N = 300 };
    int word[N], wrong = 0, of_word[N] = {0};
    bool chosen[N], masked[N];
    Rng *rng = trial_rng(t, 696);
    for (int i = 0, k = 0; i < N; k++)
        for (int pieces = 1 + (int)rng_below(rng, 3); pieces > 0 && i < N; pieces--)
            word[i++] = k;
    for (int i = 0; i < N; i++) {
        chosen[i] = rng_uniform(rng) < 0.15;
        of_word[word[i]] += chosen[i];
    }
    TRIED(t, whole_words, whole_words_solved, whole_words_wrong_later)(word, chosen, N, masked);
    for (int i = 0; i < N; i++)
        wrong += masked[i] != (of_word[word[i]] > 0);
    explain(t, "%d pieces: %d are masked wrongly", N, wrong);
    return wrong;
}

const Claim language_exercises[] = {
    EXERCISE(38, "text_log_probability: the logarithms of its tokens' probabilities, added",
             "Z: Decoder transformers", "max |log p, gradients - by hand|, four texts", 1e-6,
             "a few roundings of numbers below 2, 6e-8 each", text_right,
             {"logits", "the logits of its tokens, which are no log p"},
             {"mean", "the mean in place of the sum"}),
    EXERCISE(40, "ring_insert: a cache of the last 4 tokens is attention with a window",
             "B: Generation via Transformer-based LMs", "max |ring - window|", 1e-5,
             "the same four keys in another order", ring_right,
             {"last_slot", "the newest key replaces the one before it"}),
    EXERCISE(42, "min_p: tokens of at least a share of the largest probability",
             "Z: Sampling strategies", "max |min_p - the kept tokens' share|", 1e-6,
             "the same quotients; softmax in floats", min_p_right,
             {"sum", "what is left does not sum to 1"}),
    EXERCISE(45, "whole_words: a word is masked as a whole", "Z: Encoder transformers",
             "pieces of 300 that are masked wrongly", 0,
             "a piece is masked where a piece of its word is chosen, and nowhere else", whole_right,
             {"later", "only the pieces after the chosen one"}),
    {0},
};
