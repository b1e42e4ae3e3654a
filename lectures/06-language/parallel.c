/* parallel.c: training is parallel, inference serial (row 41).
 *    J "Decoder: Training vs Inference", B "Training Transformer-based LM": "extensively parallelized"
 *
 * In training all tokens are known: one pass gives all N distributions. In generation token n + 1
 * is the input that step n decides. The work is the same; the number of steps that must wait for
 * one another is not. */
#include "lectures/06-language/language.h"

#include "examples/common/progress.h"
#include "lectures/runner/counting.h"

/* ---- one pass, N distributions --------------------------------------------------------------- */

/* max |row n of one pass - last row of a pass over the first n tokens|, over the largest logit. */
static double one_pass(Trial *t)
{
    enum { T = 48 };
    int ids[T];
    double worst = 0;
    Talker *k = talker_of(t->seed);
    if (!k)
        return (double)NAN;
    Gpt gpt = k->gpt;
    gpt.encoder.causal = !broken(t, "no-mask");
    talker_tokens(t->seed, ids, T);
    trial_tape(t)->no_grad = true;
    Tensor *whole = nn_gpt(&gpt, tape_ids(trial_tape(t), ids, shape2(1, T)));
    for (int n = 1; n <= T && !tensor_is_poison(whole); n++) {
        tape_reset(k->tape);
        Tensor *prefix = nn_gpt(&gpt, tape_ids(k->tape, ids, shape2(1, n)));
        worst = values_worst(worst, values_difference(ag_slice(prefix, 1, n - 1, n),
                                                      ag_slice(whole, 1, n - 1, n)));
    }
    worst /= values_largest(whole);
    explain(t, "%d rows of one pass against %d passes over prefixes: %.2g of the largest logit", T,
            T, worst);
    return worst;
}

/* ---- steps that wait for one another --------------------------------------------------------- */

/* The longest chain of ops of a pass over `n` new tokens; with the cache, after `before` in it. */
static int depth_of(Talker *k, int n, bool cached, int before)
{
    static int ids[LONGEST];
    tape_reset(k->tape);
    nn_cache_reset(&k->cache);
    nn_cache_advance(&k->cache, NULL, before);
    Tensor *in = tape_ids(k->tape, ids, shape2(1, n));
    cached ? nn_gpt_cached(&k->gpt, in, &k->cache) : nn_gpt(&k->gpt, in);
    return counting_depth(k->tape);
}

/* Each token's pass waits for the token that the one before chose: their depths add up. */
static int serial_depth(Talker *k, int T)
{
    int sum = 0;
    for (int n = 0; n < T; n++)
        sum += depth_of(k, 1, true, n);
    return sum;
}

/* The largest |steps of generation / steps of training - N|. */
static double serial_steps(Trial *t)
{
    double worst = 0;
    Talker *k = talker_of(t->seed);
    for (int T = 8; k && T <= 128; T *= 2) {
        int training = depth_of(k, T, false, 0);
        int generating = broken(t, "known") ? training : serial_depth(k, T);
        worst = values_worst(worst, fabs((double)generating / training - T));
        explain(t, "%3d tokens: %3d ops one after another in training, %5d in generation", T,
                training, generating);
    }
    return k ? worst : (double)NAN;
}

/* ---- the same work --------------------------------------------------------------------------- */

/* How long one pass over T tokens takes, and T passes of one token each. For the reader; no claim
 * depends on it. */
static void explain_times(Trial *t, Talker *k)
{
    for (int T = 32; t->notes && T <= 128; T *= 2) {
        static int ids[LONGEST];
        double begun = seconds();
        for (int n = 0; n < 10; n++) {
            tape_reset(k->tape);
            nn_gpt(&k->gpt, tape_ids(k->tape, ids, shape2(1, T)));
        }
        double one = (seconds() - begun) / 10;
        begun = seconds();
        nn_cache_reset(&k->cache);
        for (int n = 0; n < T; n++) {
            tape_reset(k->tape);
            nn_gpt_cached(&k->gpt, tape_ids(k->tape, ids, shape2(1, 1)), &k->cache);
            nn_cache_advance(&k->cache, NULL, 1);
        }
        double many = seconds() - begun;
        explain(t, "%3d tokens, this machine: one pass %.2f ms, %d passes %.2f ms, %.1f times", T,
                1e3 * one, T, 1e3 * many, many / one);
    }
}

static double same_work(Trial *t)
{
    double worst = 0;
    Talker *k = talker_of(t->seed);
    for (int T = 8; k && T <= 64; T *= 2) {
        int64_t one = talker_count(k, T, false), many = 0;
        for (int n = 1; n <= T; n++)
            many += talker_count(k, n, !broken(t, "no-cache"));
        explain(t, "%2d tokens: %9lld multiply-adds in one pass, %9lld in %d passes", T,
                (long long)one, (long long)many, T);
        worst = values_worst(worst, one > 0 ? fabs((double)(many - one)) : (double)NAN);
        int64_t hidden = (int64_t)DEEP * WIDE * T * (T - 1);
        explain(t, "   with the pairs that the mask hides: %9lld in one pass, %.3f times",
                (long long)(one + hidden), (double)many / (double)(one + hidden));
    }
    if (k)
        explain_times(t, k);
    return k ? worst : (double)NAN;
}

const Claim parallel_claims[] = {
    {41, one_pass, "one pass over N tokens gives the N distributions of N passes",
     .slides = {"J: Decoder: Training vs Inference", "B: Training Transformer-based LM"},
     .quantity = "max |row n - last row of a pass over n tokens| / max |logit|, N = 48",
     AT_MOST(1e-5, "under the causal mask the same sums; another shape may add in another order"),
     .faults = {{"no-mask", "each row sees all tokens"}}},
    {41, serial_steps, "generation takes N times as many sequential steps as training",
     .slides = {"J: Decoder: Training vs Inference", "B: Training Transformer-based LM"},
     .quantity =
         "largest |ops that wait for one another, generation / training, - N|, N = 8 .. 128",
     EXACTLY(0, "a pass is as deep for 1 token as for 128, and generation takes N of them"),
     .faults = {{"known", "all tokens are known, as in training"}},
     HOLDS_POISONED("counts ops; no number is read")},
    {41, same_work,
     "generation with a cache takes the multiply-adds of one pass that leaves out masked pairs, "
     "but one token after another",
     .slides = {"J: Decoder: Training vs Inference", "B: Generation via Transformer-based LMs"},
     .quantity = "largest |multiply-adds of N passes with a cache - of one pass|, N = 8 .. 64",
     EXACTLY(0, "each token's projections once, and each pair (query, earlier key) once, in both; "
                "N^2 pairs would be 14 % more at N = 64"),
     .faults = {{"no-cache", "a pass over all tokens so far for each new one"}}},
    {0},
};
