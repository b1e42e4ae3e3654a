/* exercises.c: functions to be changed, about ten lines each, and the claims that tell whether the
 * change is right. exercises_models.c has those of rows 43 to 47.
 *
 * `./gradus claims 6 --try 38` runs those of row 38. As they stand they compute something else, so
 * their claims FAIL. solutions.c has a solution of each, which `--try 38:solved` measures, and
 * mistakes, NAME_wrong_WHAT, with which the claim must FAIL, too. */
#include "lectures/06-language/exercises.h"

#include <string.h>

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

/* ---- row 41: a model that reads its own words in training ------------------------------------ */

/* Now: all n inputs are the right words (teacher forcing). Change it: each is the model's own word
 * with probability `share` (scheduled sampling, Bengio et al. 2015). The loss is then no longer
 * least at the language's own probabilities (Huszar 2015). */
static void mixed_inputs(const int *right, const int *own, int n, double share, Rng *rng, int *in)
{
    (void)own, (void)share, (void)rng;
    for (int i = 0; i < n; i++)
        in[i] = right[i];
}

/* How far the number of neighbours that are both own words is from that of independent choices, in
 * standard errors. Of n pairs with X_i = 1 for an own word: E[X_i X_(i+1)] = s^2; the variance is
 * s^2 - s^4 of a pair, and s^3 - s^4 between each pair and the next. */
static double neighbours_off(int both, int n, double s)
{
    double variance = s * s - pow(s, 4) + 2 * (pow(s, 3) - pow(s, 4));
    return fabs(both - s * s * n) / sqrt(n * variance);
}

static double mixed_right(Trial *t)
{
    enum { N = 10000 };
    static int right[N], own[N], in[N];
    double worst = 0;
    void (*mixed)(const int *, const int *, int, double, Rng *, int *) =
        TRIED(t, mixed_inputs, mixed_inputs_solved, mixed_inputs_wrong_first,
              mixed_inputs_wrong_exchanged, mixed_inputs_wrong_once);
    for (int i = 0; i < N; i++) {
        right[i] = i + 1;
        own[i] = i + 1 + N;
    }
    for (double share = 0.1; share < 1; share += 0.4) {
        int taken = 0, both = 0;
        memset(in, -1, sizeof in); /* is to be overwritten */
        mixed(right, own, N, share, trial_rng(t, 692), in);
        for (int i = 0; i < N; i++) {
            taken += in[i] == own[i] ? 1 : in[i] == right[i] ? 0 : N;
            both += i > 0 && in[i] == own[i] && in[i - 1] == own[i - 1];
        }
        explain(t, "share %.1f: %d of %d words are its own, and %d pairs of neighbours", share,
                taken, N, both);
        worst = values_worst(worst, fabs(taken - share * N) / sqrt(N * share * (1 - share)));
        worst = values_worst(worst, neighbours_off(both, N - 1, share));
    }
    return worst;
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
    double drawn[N], p[N], by_hand[4] = {1 / 8.0, 1 / 8.0, 1 / 4.0, 1 / 2.0};
    MinP *tried = TRIED(t, min_p, min_p_solved, min_p_wrong_sum);
    tried(by_hand, 4, 1 / 2.0); /* 1/4 is not below 1/2 times 1/2 */
    double worst = fmax(fabs(by_hand[0]) + fabs(by_hand[1]), fabs(by_hand[2] - 1 / 3.0));
    explain(t, "share 1/2 of 1/8, 1/8, 1/4, 1/2: %.3f, %.3f, %.3f, %.3f", by_hand[0], by_hand[1],
            by_hand[2], by_hand[3]);
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
        tried(p, N, share);
        for (int i = 0; i < N; i++) /* c.list: all N, the kept ones first */
            worst = values_worst(worst, ok ? fabs(p[c.list[i].token] - (i < kept ? c.list[i].p : 0))
                                           : (double)NAN);
        explain(t, "share %.2f: %d of %d tokens are kept", share, kept, N);
    }
    nn_candidates_free(&c);
    return worst;
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
    EXERCISE(41, "mixed_inputs: each input is the model's own word with probability share",
             "J: Decoder: Training vs Inference",
             "|own words, own neighbours - expected| in standard errors, 10,000 words", 5,
             "5 standard errors: by chance once in 300,000 tables of 6", mixed_right,
             {"first", "the first share of the words"},
             {"exchanged", "the right word with probability share"},
             {"once", "one draw for all words"}),
    EXERCISE(42, "min_p: tokens of at least a share of the largest probability",
             "Z: Sampling strategies", "max |min_p - the kept tokens' share|", 1e-6,
             "the same quotients; softmax in floats", min_p_right,
             {"sum", "what is left does not sum to 1"}),
    {0},
};
