/* last_state.c: the last state of the encoder as the only context of the decoder (row 4).
 *
 *   with attention   s_t = RNN([y_(t-1); c_t], s_(t-1)),   c_t = sum_i gamma_ti z_i
 *   without          s_t = RNN([y_(t-1); 0],   s_(t-1)),   s_0 = tanh(W_0 z_last)
 *
 * In both the decoder begins from the last state; without attention 48 numbers are all it knows of
 * the source, however long that is. V "Recall the Translate and Align Model in RNNs"; the models:
 * translating.h. */
#include "lectures/01-recurrence/translating.h"

#include <string.h>

/* Exact translations by the length of the Spanish sentence. */
enum { GROUPS = 4, SENTENCES = 120 };
static const int shortest[GROUPS + 1] = {1, 5, 7, 9, DATA_WORDS_MAX + 1};

static int group_of(int length)
{
    int group = 0;
    while (length >= shortest[group + 1])
        group++;
    return group;
}

/* Draws SENTENCES held-out pairs of each group, in the order of the groups. */
static void draw_groups(const Translating *m, uint64_t seed, SentencePair *pairs)
{
    int have[GROUPS] = {0}, all = 0;
    SentencePair pair;
    SentenceAlignment gold;
    Rng rng = {.seed = seed, .stream = 145};
    while (all < GROUPS * SENTENCES) {
        translating_draw(m, &rng, &pair, &gold);
        int group = group_of(pair.spanish_length);
        if (have[group] == SENTENCES)
            continue;
        pairs[group * SENTENCES + have[group]++] = pair;
        all++;
    }
}

static bool same_english(const SentencePair *a, const SentencePair *b)
{
    return a->english_length == b->english_length &&
           memcmp(a->english, b->english, (size_t)a->english_length * sizeof *a->english) == 0;
}

/* exact[g]: the share of group g that the model translates exactly, and words[g]: the mean number
 * of Spanish words. NaN where it has no logits that are numbers. */
static void exact_by_length(uint64_t seed, Which which, double exact[GROUPS], double words[GROUPS])
{
    static Translating m;
    static SentencePair pairs[GROUPS * SENTENCES], said[GROUPS * SENTENCES];
    Tape *tape = tape_new(seed);
    Writer w;
    translating_begin(&m, which, seed);
    draw_groups(&m, seed, pairs);
    memcpy(said, pairs, sizeof said);
    bool ok = writer_init(&w, &m.model, SENTENCES) &&
              translate_greedily(&w, tape, said, GROUPS * SENTENCES);
    for (int g = 0; g < GROUPS; g++) {
        exact[g] = ok ? 0 : (double)NAN;
        words[g] = 0;
        for (int i = g * SENTENCES; i < (g + 1) * SENTENCES; i++) {
            exact[g] += (double)same_english(&pairs[i], &said[i]) / SENTENCES;
            words[g] += (double)pairs[i].spanish_length / SENTENCES;
        }
    }
    writer_free(&w);
    tape_free(tape);
    translating_end(&m);
}

static double attention_gains(Trial *t)
{
    double attention[GROUPS], last[GROUPS], words[GROUPS];
    exact_by_length(t->seed, broken(t, "last-state") ? LAST_STATE : WITH_ATTENTION, attention,
                    words);
    exact_by_length(t->seed, LAST_STATE, last, words);
    for (int g = 0; g < GROUPS; g++)
        explain(t, "%d to %2d words: %.3f exact with attention, %.3f with the last state alone",
                shortest[g], shortest[g + 1] - 1, attention[g], last[g]);
    return attention[GROUPS - 1] - last[GROUPS - 1];
}

const Claim last_state_claims[] = {
    {4, attention_gains,
     "of sentences of 9 words and more attention translates nearly all, the last state alone, of "
     "twice its width, a few (one training of each)",
     .slides = {"V: Recall the Translate and Align Model in RNNs", "V: From RNNs to Transformers"},
     .quantity = "share of exact translations of long sentences with attention less that without",
     AT_LEAST(0.65, "0.99 and 0.15, with errors of 0.01 and 0.033 over 120 sentences: 5 of these "
                    "are left"),
     .faults = {{"last-state", "both have the last state only"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

static bool draw_length(const Sketch *s)
{
    static const char *const names[] = {"with attention", "the last state alone"};
    double x[2][GROUPS], exact[2][GROUPS], error[2][GROUPS];
    const double *const errors[] = {error[0], error[1]};
    PlotSeries series[2];
    for (Which which = WITH_ATTENTION; which <= LAST_STATE; which++) {
        exact_by_length(s->seed, which, exact[which], x[which]);
        for (int g = 0; g < GROUPS; g++)
            error[which][g] = sqrt(exact[which][g] * (1 - exact[which][g]) / SENTENCES);
        series[which] = (PlotSeries){names[which], x[which], exact[which], GROUPS};
    }
    const PlotCurves curves = {.series = series,
                               .errors = errors,
                               .count = 2,
                               .title =
                                   sketch_title(s,
                                                "Exact translations by the length of the sentence"),
                               .x_name = "Spanish words",
                               .y_name = "share of exact translations",
                               .y_low = 0,
                               .y_high = 1.05};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure last_state_figures[] = {
    {4, "length", draw_length,
     .what = "one vector for the whole source fails with its length; attention does not"},
    {0},
};
