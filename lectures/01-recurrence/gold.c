/* gold.c: the learned alignments against the grammar's (row 4).
 * V "Recall the Translate and Align Model in RNNs"
 *
 * The grammar that writes both sentences knows which Spanish words an English word translates
 * (SentenceAlignment in data/corpora/corpora.h). The model was told the sentences only. */
#include "lectures/01-recurrence/translating.h"

enum { SCORED = 300, BINS = 5, SURE = 2 };
static const double bin_from[BINS + 1] = {0, 0.6, 0.8, 0.9, 0.97, 2};

/* Counts over the English words of many held-out sentences. */
typedef struct {
    double words, right,
        monotone; /* the largest weight, or the word at the same share of the way */
    struct {
        double words, right, gamma; /* the sums of 1, of right and of the largest gamma */
    } bin[BINS];                    /* words that translate one word, by the largest gamma */
} Alignments;

/* The word with the largest weight. */
static int most_weighted(const double *gamma, int S)
{
    int best = 0;
    for (int i = 0; i < S; i++)
        best = gamma[i] > gamma[best] ? i : best;
    return best;
}

static void add_word(Alignments *a, const double *gamma, int S, uint32_t gold, double way)
{
    int best = most_weighted(gamma, S);
    bool right = gold >> best & 1;
    a->words += gamma[best] > 0 ? 1 : (double)NAN;
    a->right += right;
    a->monotone += gold >> (int)(way * S) & 1;
    if (gold & (gold - 1))
        return; /* it translates several words */
    int bin = 0;
    while (gamma[best] >= bin_from[bin + 1])
        bin++;
    a->bin[bin].words++;
    a->bin[bin].right += right;
    a->bin[bin].gamma += gamma[best];
}

/* next_word: each English word is compared with the alignment of the word after it. */
static Alignments align_sentences(uint64_t seed, Which which, bool next_word)
{
    static Translating m;
    static Gamma gamma;
    SentencePair pair;
    SentenceAlignment gold;
    Alignments a = {0};
    Rng rng = {.seed = seed, .stream = 143};
    Tape *tape = tape_new(seed);
    tape->no_grad = true;
    translating_begin(&m, which, seed);
    for (int k = 0; k < SCORED; k++) {
        translating_draw(&m, &rng, &pair, &gold);
        bool ok = translating_weights(&m, tape, &pair, gamma);
        for (int t = 0; ok && t + next_word < pair.english_length; t++)
            add_word(&a, gamma[t], pair.spanish_length, gold.spanish[t + next_word],
                     (t + 0.5) / pair.english_length);
    }
    tape_free(tape);
    translating_end(&m);
    return a;
}

static double alignment_errors(Trial *t)
{
    Alignments a =
        align_sentences(t->seed, broken(t, "untrained") ? UNTRAINED : WITH_ATTENTION, false);
    double wrong = 1 - a.right / a.words, monotone = 1 - a.monotone / a.words;
    explain(t, "%.0f words: %.4f with the largest weight on a word that they do not translate",
            a.words, wrong);
    explain(t, "the word at the same share of the way: %.4f are wrong", monotone);
    return broken(t, "monotone") ? monotone : wrong;
}

/* Of the words whose largest gamma is 0.8 or more. */
static double gamma_as_probability(Trial *t)
{
    Alignments a = align_sentences(t->seed, WITH_ATTENTION, broken(t, "next-word"));
    double words = 0, gap = 0;
    for (int i = 0; i < BINS; i++) {
        explain(t,
                "largest gamma from %.2f: %4.0f words, mean %.3f, on the word translated in %.3f",
                bin_from[i], a.bin[i].words, a.bin[i].gamma / a.bin[i].words,
                a.bin[i].right / a.bin[i].words);
        words += i >= SURE ? a.bin[i].words : 0;
        gap += i >= SURE ? a.bin[i].right - a.bin[i].gamma : 0;
    }
    explain(t, "from 0.80: %.0f words, %.4f apart", words, gap / words);
    return fabs(gap / words);
}

const Claim gold_claims[] = {
    {4, alignment_errors,
     "without alignments in the data, the largest gamma_ti is on the word that word t translates "
     "(one training)",
     .slides = {"V: Recall the Translate and Align Model in RNNs", "V: From RNNs to Transformers"},
     .quantity = "share of words whose largest weight is on a word that they do not translate",
     AT_MOST(0.1, "9 of 10 are asked for; a share of 0.1 over 2,000 words has a standard error of "
                  "0.007"),
     .faults = {{"untrained", "the weights it began with"},
                {"monotone", "the word at the same share of the way, not the largest weight"}}},
    {4, gamma_as_probability,
     "where the largest gamma is above 0.8 it is nearly the probability of alignment, though "
     "training never asks for it (one training)",
     .slides = {"V: Recall the Translate and Align Model in RNNs"},
     .quantity =
         "|mean largest gamma - share of words where it is on the word translated|, gamma > 0.8",
     AT_MOST(0.034, "nearly: within 0.02, and 4 standard errors of 0.0035 over 1,800 words"),
     .faults = {{"next-word", "gamma_t is held against the alignment of word t + 1"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

/* Is there a word that is aligned before the one that precedes it, and is the sentence of a length
 * that can be read? */
static bool is_telling(const SentencePair *pair, const SentenceAlignment *gold)
{
    int turns = 0;
    for (int t = 1; t < pair->english_length; t++)
        turns += gold->spanish[t] < (gold->spanish[t - 1] & -gold->spanish[t - 1]);
    return pair->spanish_length >= 7 && pair->english_length <= 10 && turns >= 2;
}

/* Words and alignments of one pair, as maps: rows are English, columns Spanish words. */
static bool draw_maps(const Sketch *s, const Translating *m, Tape *tape, const SentencePair *pair,
                      const SentenceAlignment *gold)
{
    static Gamma gamma;
    const char *rows[DATA_WORDS_MAX], *columns[DATA_WORDS_MAX];
    int T = pair->english_length, S = pair->spanish_length;
    if (!translating_weights(m, tape, pair, gamma))
        return false;
    Tensor *learned = tape_full(tape, 0, shape2(T, S)), *given = tape_full(tape, 0, shape2(T, S));
    for (int t = 0; t < T; t++)
        for (int i = 0; i < S; i++) {
            learned->data[t * S + i] = (real)gamma[t][i];
            given->data[t * S + i] = gold->spanish[t] >> i & 1;
        }
    for (int t = 0; t < T; t++)
        rows[t] = data_vocab_word(data_translations_english(m->corpus.all), pair->english[t]);
    for (int i = 0; i < S; i++)
        columns[i] = data_vocab_word(data_translations_spanish(m->corpus.all), pair->spanish[i]);
    PlotHeatmap maps[] = {{.map = learned, .title = "learned: \xce\xb3"},
                          {.map = given, .title = "the grammar's"}};
    for (int k = 0; k < 2; k++) {
        maps[k].rows = rows;
        maps[k].columns = columns;
        maps[k].row_name = maps[k].column_name = "";
        maps[k].values = true;
    }
    maps[0].scale.name = "weight";
    maps[0].scale.high = 1;
    return plot_heatmaps(s->stem, maps, 2, sketch_title(s, "Which word translates which?"),
                         s->formats);
}

static bool draw_gold(const Sketch *s)
{
    static Translating m;
    SentencePair pair;
    SentenceAlignment gold;
    Rng rng = {.seed = s->seed, .stream = 146};
    Tape *tape = tape_new(s->seed);
    translating_begin(&m, WITH_ATTENTION, s->seed);
    do
        translating_draw(&m, &rng, &pair, &gold);
    while (!is_telling(&pair, &gold));
    bool ok = draw_maps(s, &m, tape, &pair, &gold);
    tape_free(tape);
    translating_end(&m);
    return ok;
}

const Figure gold_figures[] = {
    {4, "gold", draw_gold,
     .what =
         "the weights gamma of a held-out sentence beside the alignment that the grammar knows"},
    {0},
};
