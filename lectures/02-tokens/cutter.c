/* cutter.c: three ways to cut a text, and what unknown words cost. See cutter.h. */
#include "lectures/02-tokens/cutter.h"

#include "lectures/02-tokens/pickers.h"

#include <string.h>

enum { DICTIONARY_BYTES = 60000 };

/* ---- spelling -------------------------------------------------------------------------------- */

/* The place, the letter before and the letter that come next in a word of n letters, as indices. */
static void spelling_step(const char *word, int n, int i, int at[3])
{
    at[0] = i < PLACES ? i : PLACES - 1;
    at[1] = i == 0 ? LETTERS - 1 : word[i - 1] - 'a';
    at[2] = i == n ? LETTERS - 1 : word[i] - 'a';
}

/* Counts the letters of the words that the dictionary lacks, in the text that it was made of. */
static void count_letters(Cutter *c, const char *text)
{
    static int32_t ids[DICTIONARY_BYTES];
    int at[3], n = (int)data_words_encode(&c->words, text, ids, DICTIONARY_BYTES);
    for (int w = 0; w < n; w++) {
        text += *text == ' ';
        int letters = (int)strcspn(text, " .");
        for (int i = 0; i <= letters && ids[w] == DATA_UNK; i++) {
            spelling_step(text, letters, i, at);
            c->spelled[at[0]][at[1]][at[2]]++;
        }
        text += letters ? letters : 1;
    }
}

/* -log p of the n letters of a word and of its end; a letter never seen there counts as if it had
 * been seen 0.1 times. */
static double spelling_cost(const Cutter *c, const char *word, int n)
{
    double nats = 0;
    int at[3];
    for (int i = 0; i <= n; i++) {
        spelling_step(word, n, i, at);
        const double *seen = c->spelled[at[0]][at[1]];
        double all = 0.1 * LETTERS;
        for (int k = 0; k < LETTERS; k++)
            all += seen[k];
        nats -= log((seen[at[2]] + 0.1) / all);
    }
    return nats;
}

/* ---- cutting --------------------------------------------------------------------------------- */

static void cut_words(const Cutter *c, const char *text, Cut *cut)
{
    cut->n = (int)data_words_encode(&c->words, text, cut->id, TOKENS_MAX);
    for (int i = 0; i < cut->n; i++) {
        int blank = *text == ' ', letters = (int)strcspn(text + blank, " .");
        cut->bytes[i] = blank + (letters ? letters : 1); /* a full stop is a word */
        bool unknown = cut->id[i] == DATA_UNK;
        cut->uniform[i] = unknown ? (letters + 1) * log(LETTERS) : 0;
        cut->counted[i] = unknown ? spelling_cost(c, text + blank, letters) : 0;
        text += cut->bytes[i];
    }
}

void cutter_cut(const Cutter *c, const char *text, Cut *cut)
{
    char token[DATA_BPE_TOKEN_BYTES];
    if (c->kind == DICTIONARY) {
        cut_words(c, text, cut);
        return;
    }
    cut->n = (int)data_bpe_encode(&c->bpe, text, strlen(text), cut->id, TOKENS_MAX);
    for (int i = 0; i < cut->n; i++) {
        cut->bytes[i] = data_bpe_token(&c->bpe, cut->id[i], token);
        cut->id[i] = c->dense[cut->id[i]];
        cut->uniform[i] = cut->counted[i] = 0;
    }
}

void cutter_begin(Cutter *c, Kind kind, uint64_t seed)
{
    static char text[DICTIONARY_BYTES + PICKERS_SENTENCE];
    static int32_t ids[DICTIONARY_BYTES + PICKERS_SENTENCE];
    Rng rng = {.seed = seed, .stream = 830};
    *c = (Cutter){.kind = kind};
    pickers_text(&rng, DICTIONARY_BYTES, text, sizeof text);
    if (kind == DICTIONARY) {
        data_words_build(&c->words, text, 1 << 20, 2);
        c->V = c->words.count;
        count_letters(c, text);
        return;
    }
    data_bpe_train(&c->bpe, text, strlen(text), kind == PAIRS ? MERGES : 0);
    for (const char *p = text; *p;
         p++) /* all letters, also those that only parts of longer tokens have */
        c->dense[(unsigned char)*p] = 1;
    int64_t n = data_bpe_encode(&c->bpe, text, strlen(text), ids, (int64_t)sizeof ids / 4);
    for (int64_t i = 0; i < n; i++)
        c->dense[ids[i]] = 1;
    for (int k = 0; k < DATA_BPE_BYTES + c->bpe.merges; k++)
        c->dense[k] = c->dense[k] || k >= DATA_BPE_BYTES ? c->V++ : 0;
}

void cutter_end(Cutter *c)
{
    data_bpe_free(&c->bpe);
    data_vocab_free(&c->words);
}
