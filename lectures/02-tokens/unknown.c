/* unknown.c: misspelled words, which a fixed dictionary does not have (row 8).  Z "Tokenization" */
#include "lectures/02-tokens/pickers.h"

#include <string.h>

enum { TEXT_MAX = 1 << 17 };

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
    {8, misspelled, "of misspelled words a dictionary keeps nothing, byte pairs keep every letter",
     .slides = {"Z: Tokenization"}, .quantity = "misspelled words that decoding does not give back",
     EXACTLY(0, "all bytes are tokens; no number if the dictionary knows more than a tenth of the "
                "words"),
     .faults = {{"dictionary", "words that a dictionary does not have are counted"}},
     HOLDS_POISONED("compares letters; no kernel is run")},
    {0},
};
