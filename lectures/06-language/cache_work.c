/* cache_work.c: what the cache saves, and what it costs (row 40).
 * B "Generation via Transformer-based LMs"
 *
 *   without a cache:  a pass over all n tokens for token n  L n (12 C^2 + (n + 1) C) + n C V multiply-adds
 *   with one:         a pass over one token                 L (12 C^2 + 2 n C) + C V,  and 2 L n C numbers are kept */
#include "lectures/06-language/language.h"
#include "lectures/runner/counting.h"

/* ---- work ------------------------------------------------------------------------------------ */

/* Multiply-adds of a pass over the n-th token alone, whose n keys are in the cache but one:
 *   L (12 C^2 + 2 n C) + C V:  projections 4 C^2, feed-forward 8 C^2, scores and weighted sum n C each, and the head. */
static int64_t talker_cached_work(int64_t n)
{
    const int64_t C = WIDE, L = DEEP, V = VOCABULARY;
    return L * (12 * C * C + 2 * n * C) + C * V;
}

/* And of a pass over all n tokens, with the pairs that a causal mask keeps. */
static int64_t talker_full_work(int64_t n)
{
    const int64_t C = WIDE, L = DEEP, V = VOCABULARY;
    return n * (L * 12 * C * C + C * V) + L * n * (n + 1) * C;
}

int64_t talker_count(Talker *k, int64_t n, bool cached)
{
    int ids[LONGEST] = {0};
    if (cached) {
        tape_reset(k->tape);
        nn_cache_reset(&k->cache);
        if (n > 1)
            nn_gpt_cached(&k->gpt, tape_ids(k->tape, ids, shape2(1, n - 1)), &k->cache);
        nn_cache_advance(&k->cache, NULL, n - 1);
    }
    tape_reset(k->tape);
    Tensor *in = tape_ids(k->tape, ids, shape2(1, cached ? 1 : n));
    counting_begin();
    cached ? nn_gpt_cached(&k->gpt, in, &k->cache) : nn_gpt(&k->gpt, in);
    return counting_end();
}

static double cache_work(Trial *t)
{
    double worst = 0;
    bool always_full = broken(t, "no-cache");
    Talker *k = talker_of(t->seed);
    for (int64_t n = 1; k && n <= 128; n *= 2) {
        int64_t cached = talker_count(k, n, !always_full), full = talker_count(k, n, false);
        explain(t, "token %3lld: %9lld multiply-adds with the cache, %9lld without: %.1f times",
                (long long)n, (long long)cached, (long long)full, (double)full / (double)cached);
        worst = values_worst(worst, fabs((double)(cached - talker_cached_work(n))));
        worst = values_worst(worst, fabs((double)(full - talker_full_work(n))));
    }
    return k ? worst : (double)NAN;
}

/* ---- the last token only --------------------------------------------------------------------- */

/* The head for the last of n tokens alone: the same row, and (n - 1) C V multiply-adds fewer. */
static double last_only(Trial *t)
{
    enum { T = 48 };
    int ids[T], from = broken(t, "all-rows") ? 0 : T - 1;
    Talker *k = talker_of(t->seed);
    if (!k)
        return (double)NAN;
    talker_tokens(t->seed, ids, T);
    tape_reset(k->tape);
    Tensor *in = tape_ids(k->tape, ids, shape2(1, T));
    counting_begin();
    Tensor *all = nn_gpt(&k->gpt, in);
    int64_t whole = counting_end();
    counting_begin();
    Tensor *hidden = nn_encoder(&k->gpt.encoder, in, (Mask){0});
    Tensor *one = nn_linear(&k->gpt.head, ag_slice(hidden, 1, from, T));
    int64_t last = counting_end();
    double apart =
        values_difference(ag_slice(all, 1, T - 1, T), ag_slice(one, 1, T - 1 - from, T - from));
    explain(t, "%d tokens: %lld multiply-adds with all logits, %lld with the last; apart %.2g", T,
            (long long)whole, (long long)last, apart);
    double off = fabs((double)(whole - last - (T - 1) * WIDE * VOCABULARY));
    return isnan(apart) ? apart : off + (apart > 1e-5 ? 1 : 0);
}

const Claim cache_work_claims[] = {
    {40, cache_work,
     "with the cache token n takes L (12 C^2 + 2 n C) + C V multiply-adds; without it all n tokens "
     "are computed again",
     .slides = {"B: Generation via Transformer-based LMs"},
     .quantity = "largest |counted - formula|, n = 1 .. 128, with the cache and without",
     EXACTLY(0, "each multiply-add is counted; without the cache pairs grow as n (n + 1) / 2"),
     .faults = {{"no-cache", "a pass over all n tokens for each new one"}}},
    {40, last_only, "the head for the last token alone saves (n - 1) C V multiply-adds",
     .slides = {"B: Generation via Transformer-based LMs"},
     .quantity = "|counted saving - (n - 1) C V|, plus 1 if the last logits differ by over 1e-5",
     EXACTLY(0, "the head is a linear layer of C V weights, applied to each token alone"),
     .faults = {{"all-rows", "logits of all tokens are computed"}}},
    {0},
};

/* ---- figures --------------------------------------------------------------------------------- */

static bool draw_cache(const Sketch *s)
{
    enum { POINTS = 7 };
    static const int tokens[POINTS] = {1, 2, 5, 10, 20, 50, 100};
    static double x[POINTS], y[4][POINTS];
    Talker *k = talker_of(s->seed);
    if (!k)
        return false;
    for (int i = 0; i < POINTS; i++) {
        int64_t n = tokens[i];
        x[i] = (double)n;
        y[0][i] = (double)talker_count(k, n, true);
        y[1][i] = (double)talker_count(k, n, false);
        y[2][i] = y[0][0];
        y[3][i] = y[1][0] * (double)n;
    }
    const PlotSeries series[] = {{"with the cache, counted", x, y[0], POINTS},
                                 {"without, counted", x, y[1], POINTS},
                                 {"as for the first token", x, y[2], POINTS},
                                 {"n times the first token", x, y[3], POINTS}};
    return SKETCH_CURVES(s, "The work for token n", series, .x_name = "token n",
                         .y_name = "multiply-adds", .log_x = true, .log_y = true);
}

const Figure cache_work_figures[] = {
    {40, "cache", draw_cache, .what = "the work for token n, with the cache and without"},
    {0},
};
