/* unknown.c: words that a fixed dictionary does not have (row 8).                  Z "Tokenization"
 *
 * A dictionary of the words of n sentences lacks a word of the next sentence with probability (1 -
 * p)^n, where p is the probability that a sentence has it. Names, of which there are many, are
 * always lacking. */
#include "lectures/02-tokens/pickers.h"

#include <string.h>

enum { TEXT_MAX = 1 << 17, TESTS = 50 };

/* The words of TESTS new sentences that a dictionary of n sentences lacks, for each sentence. */
static double unknown_words(uint64_t seed, uint64_t draw, int n, bool on_training)
{
    static char text[TEXT_MAX];
    static int32_t ids[TESTS * 16];
    Rng rng = {.seed = seed, .stream = 820 + draw};
    Vocab v = {0};
    double nats = 0;
    int used = 0, unknown = 0;
    for (int i = 0; i < n; i++)
        used += pickers_sentence(&rng, text + used, &nats);
    bool ok = data_words_build(&v, text, 1 << 20, 1);
    if (on_training)
        rng = (Rng){.seed = seed, .stream = 820 + draw};
    used = 0;
    for (int i = 0; i < TESTS; i++)
        used += pickers_sentence(&rng, text + used, &nats);
    int64_t words = data_words_encode(&v, text, ids, TESTS * 16);
    for (int64_t i = 0; i < words; i++)
        unknown += ids[i] == DATA_UNK;
    data_vocab_free(&v);
    return ok && words > 0 ? (double)unknown / TESTS : (double)NAN;
}

/* Over draws of the dictionary. */
static Mean mean_unknown(uint64_t seed, int n, bool on_training)
{
    enum { DRAWS = 60 };
    double u[DRAWS];
    for (uint64_t d = 0; d < DRAWS; d++)
        u[d] = unknown_words(seed, d, n, on_training);
    return values_mean(u, DRAWS);
}

static double unknown_share(Trial *t)
{
    static const int sizes[] = {50, 200, 800};
    double worst = 0, words = pickers_words();
    for (int i = 0; i < 3; i++) {
        double theory = pickers_unseen(sizes[i]);
        Mean m = mean_unknown(t->seed, sizes[i], broken(t, "on-training"));
        explain(t, "dictionary of %3d sentences: %.4f +- %.4f of the words unknown; theory %.4f",
                sizes[i], m.mean / words, m.error / words, theory / words);
        worst = values_worst(worst, values_deviation(m, theory));
    }
    explain(t, "with dictionaries of any size at least the names, %.4f", 0.5 / words);
    return worst;
}

/* ---- misspelled words ------------------------------------------------------------------------ */

/* Two neighbouring letters that differ change places: "pikcer". False where there are none. */
static bool misspell(Rng *rng, char *word, int n)
{
    for (int trial = 0; trial < 20; trial++) {
        int i = (int)rng_below(rng, (uint64_t)(n - 1));
        char c = word[i];
        if (c != word[i + 1]) {
            word[i] = word[i + 1];
            word[i + 1] = c;
            return true;
        }
    }
    return false;
}

/* Words of a text, each misspelled; what a dictionary and byte pairs of that text make of them. */
static double misspelled(Trial *t)
{
    static char text[TEXT_MAX];
    Rng *rng = trial_rng(t, 821);
    Vocab v = {0};
    Bpe b;
    int words = 0, lost = 0, unknown = 0, tokens = 0, before = 0;
    pickers_text(rng, 16000, text, sizeof text);
    data_words_build(&v, text, 1 << 20, 1);
    data_bpe_train(&b, text, strlen(text), 200);
    for (int id = DATA_SPECIALS; id < v.count; id++) {
        char word[64], back[64];
        int32_t ids[64];
        int n = snprintf(word, sizeof word, "%s", data_vocab_word(&v, id));
        before += (int)data_bpe_encode(&b, word, (size_t)n, ids, 64);
        if (n < 4 || !misspell(rng, word, n))
            continue;
        int64_t count = data_bpe_encode(&b, word, (size_t)n, ids, 64);
        data_bpe_decode(&b, ids, count, back, sizeof back);
        lost += strcmp(back, word) != 0;
        unknown += data_vocab_find(&v, word) < 0;
        tokens += (int)count;
        words++;
        if (words % 60 == 1)
            explain(t, "%-10s misspelled %-10s the dictionary: %-6s byte pairs: %d tokens",
                    data_vocab_word(&v, id), word,
                    data_vocab_find(&v, word) < 0 ? "<unk>," : "known,", (int)count);
    }
    explain(t, "%d misspelled words: %d unknown to the dictionary, %d lost by byte pairs", words,
            unknown, lost);
    explain(t, "%.2f tokens a word, misspelled %.2f", (double)before / (v.count - DATA_SPECIALS),
            (double)tokens / words);
    data_bpe_free(&b);
    data_vocab_free(&v);
    if (broken(t, "dictionary"))
        return unknown;
    return unknown > 0.9 * words && tokens > words ? lost : (double)NAN;
}

const Claim unknown_claims[] = {
    {8, unknown_share, "a dictionary of n sentences lacks each word with probability (1 - p)^n",
     .slides = {"Z: Tokenization"},
     .quantity = "max |unknown words - sum p (1 - p)^n| in standard errors, n = 50, 200, 800",
     AT_MOST(4.8, "the largest of three, of 60 draws each: beyond 4.8 errors once in 30,000 "
                  "trials"),
     .faults = {{"on-training", "the words are those of the dictionary's own sentences"}},
     HOLDS_POISONED("counts words; no kernel is run")},
    {8, misspelled, "of misspelled words a dictionary keeps nothing, byte pairs keep every letter",
     .slides = {"Z: Tokenization"}, .quantity = "misspelled words that decoding does not give back",
     EXACTLY(0, "all bytes are tokens; no number if the dictionary knows more than a tenth of the "
                "words"),
     .faults = {{"dictionary", "words that a dictionary does not have are counted"}},
     HOLDS_POISONED("compares letters; no kernel is run")},
    {0},
};
