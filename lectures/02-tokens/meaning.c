/* meaning.c: what a token says about the meaning of its word (row 8).              Z "Tokenization"
 *
 * Words of row 7's grammar, spelled in small letters and cut into byte pairs: without merges into
 * letters, with many into whole words. A token's vector is its row of PMI with the context words,
 * which skip-gram learns (word2vec.c):
 *   p(x | t) = sum over words w of n_w(t) p(x | w) / sum over w of n_w(t)  n_w(t): how often t is in w
 *   v(w)     = the mean of the vectors of its tokens
 * Then words are classified with few labels, as in pretrained.c. This measures what look-up vectors
 * of parts of words are worth, as a bag. It says nothing of a model that reads letters in their
 * order; and no reader of letters could know that "zloty" is a currency before it has met the word:
 * these names have nothing in common but their contexts. */
#include "lectures/02-tokens/word2vec.h"

#include <ctype.h>
#include <string.h>

enum { DRAWS = 24, LABELS = 3, TEXT = 512, LONGEST = 16, REPEATS = 2 };

/* From letters to whole words. */
enum { MERGES = 5 };
static const int merge_counts[MERGES] = {0, 20, 40, 60, 80};

/* The words as tokens, after some merges of the text of all words. */
typedef struct {
    int n[WORDS];
    int32_t id[WORDS][LONGEST];
    double per_word; /* tokens of a word on average */
} Spelling;

static void spell(Spelling *s, int merges)
{
    char text[REPEATS * TEXT], word[WORDS][LONGEST];
    size_t used = 0;
    Bpe b;
    for (int i = 0; i < REPEATS * WORDS; i++) { /* twice: a pair of one word only is merged, too */
        int w = i % WORDS;
        snprintf(word[w], LONGEST, "%s", world_words[w]);
        for (char *p = word[w]; *p; p++)
            *p = (char)tolower((unsigned char)*p);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s ", word[w]);
    }
    data_bpe_train(&b, text, used, merges);
    s->per_word = 0;
    for (int w = 0; w < WORDS; w++) {
        s->n[w] = (int)data_bpe_encode(&b, word[w], strlen(word[w]), s->id[w], LONGEST);
        s->per_word += (double)s->n[w] / WORDS;
    }
    data_bpe_free(&b);
}

/* PMI of a token with each context word. */
static void token_vector(const Spelling *s, int32_t token, double pmi[CONTEXTS])
{
    double given[CONTEXTS] = {0}, times = 0;
    for (int w = 0; w < WORDS; w++)
        for (int i = 0; i < s->n[w]; i++)
            if (s->id[w][i] == token) {
                for (int x = 0; x < CONTEXTS; x++)
                    given[x] += world_given(WORLD, w, x);
                times++;
            }
    for (int x = 0; x < CONTEXTS; x++)
        pmi[x] = log(given[x] / times / world_context(WORLD, x));
}

/* v(w), the mean over its tokens. */
static void word_vectors(const Spelling *s, double v[WORDS][CONTEXTS])
{
    for (int w = 0; w < WORDS; w++) {
        memset(v[w], 0, sizeof v[w]);
        for (int i = 0; i < s->n[w]; i++) {
            double pmi[CONTEXTS];
            token_vector(s, s->id[w][i], pmi);
            for (int x = 0; x < CONTEXTS; x++)
                v[w][x] += pmi[x] / s->n[w];
        }
    }
}

static Mean classified(uint64_t seed, int merges, double *per_word)
{
    static Spelling s;
    static double v[WORDS][CONTEXTS];
    double share[DRAWS];
    spell(&s, merges);
    word_vectors(&s, v);
    *per_word = s.per_word;
    for (int d = 0; d < DRAWS; d++)
        share[d] = classify_words(seed * 1000 + (uint64_t)d, FROZEN, v[0], CONTEXTS, LABELS);
    return values_mean(share, DRAWS);
}

static double meaning_lost(Trial *t)
{
    Mean a[MERGES];
    for (int i = 0; i < MERGES; i++) {
        double per_word;
        a[i] = classified(t->seed, merge_counts[i], &per_word);
        explain(t,
                "%3d merges, %.2f tokens a word: %.3f +- %.3f of the words without a label right",
                merge_counts[i], per_word, a[i].mean, a[i].error);
    }
    Mean letters = a[broken(t, "words") ? MERGES - 1 : 0], words = a[MERGES - 1];
    return (words.mean - letters.mean) /
           sqrt(letters.error * letters.error + words.error * words.error);
}

const Claim meaning_claims[] = {
    {8, meaning_lost,
     "the mean of its letters' vectors does not tell the class of a word without a label, its own "
     "vector does",
     .slides = {"Z: Tokenization"},
     .quantity =
         "share right, vectors of words less the mean of letters' vectors, in standard errors",
     AT_LEAST(5, "24 draws: by chance once in 40,000 trials"),
     .faults = {{"words", "the vectors of whole words on both sides"}}},
    {0},
};

static bool draw_meaning(const Sketch *s)
{
    static double x[MERGES], y[MERGES], errors[MERGES], chance[MERGES];
    static char texts[MERGES][32];
    const double *bars[] = {errors, NULL};
    PlotLabel labels[MERGES];
    for (int i = 0; i < MERGES; i++) {
        double per_word;
        Mean a = classified(s->seed, merge_counts[i], &per_word);
        x[i] = merge_counts[i];
        y[i] = a.mean;
        errors[i] = a.error;
        chance[i] = 1.0 / RELATIONS;
        snprintf(texts[i], sizeof texts[i], "%.1f tokens a word", per_word);
        labels[i] = (PlotLabel){x[i],
                                y[i] + (i == MERGES - 1 ? 0.05
                                        : i             ? -0.05
                                                        : -0.08),
                                texts[i], i == MERGES - 1};
    }
    const PlotSeries series[] = {{"mean of the tokens' vectors", x, y, MERGES},
                                 {"chance: 1/4", x, chance, MERGES}};
    const PlotCurves curves = {.series = series,
                               .count = 2,
                               .errors = bars,
                               .labels = labels,
                               .label_count = MERGES,
                               .title =
                                   sketch_title(s, "From letters to words: what a token tells"),
                               .x_name = "merges",
                               .y_name = "words without a label, share right",
                               .y_low = 0,
                               .y_high = 1.1};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure meaning_figures[] = {
    {8, "meaning", draw_meaning,
     .what = "the mean of letters' vectors tells nothing of a word's class, its own vector all, "
             "byte pairs' a part"},
    {0},
};
