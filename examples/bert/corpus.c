/* corpus.c: see corpus.h. */
#include "examples/bert/corpus.h"

#include "data/corpora/corpora.h"

#include <stdlib.h>
#include <string.h>

enum { GRAMMARS = 2, SENTENCE_BYTES = DATA_WORDS_MAX * DATA_WORD_BYTES, SEED = 1810 };

/* Seven of ten sentences are reviews. */
static const double review_share = 0.7;
static const char lecture[] = "i swam across the river to get to the other bank .";

/* ---- sentences of the grammars --------------------------------------------------------------- */

/* Appends a sentence's words as ids of the corpus. */
static bool add_sentence(const Corpus *c, Sequences *to, const char *text)
{
    int32_t ids[DATA_WORDS_MAX + 1] = {CLASS_TOKEN};
    int64_t n = data_words_encode(&c->words, text, ids + 1, DATA_WORDS_MAX);
    return n > 0 && data_sequences_add(to, ids, (int)n + 1);
}

static bool open_words(Corpus *c, Grammar *const g[GRAMMARS])
{
    bool ok = data_vocab_specials(&c->words) && data_vocab_add(&c->words, "<class>") == CLASS_TOKEN;
    for (int k = 0; ok && k < GRAMMARS; k++) {
        const Vocab *words = data_grammar_words(g[k]);
        for (int i = DATA_SPECIALS; ok && i < words->count; i++)
            ok = data_vocab_add(&c->words, words->words[i]) >= 0;
    }
    return ok;
}

/* Draws sentences until both splits are full; a sentence's split depends on its text. */
static bool draw_sentences(Corpus *c, Grammar *const g[GRAMMARS], int train, int held_out)
{
    Rng rng = {.seed = SEED};
    while (c->train.count < train || c->held_out.count < held_out) {
        Sentence s;
        char text[SENTENCE_BYTES];
        const int k = rng_uniform(&rng) < review_share;
        if (!data_grammar_draw(g[k], &rng, DATA_TRAIN, &s))
            return false;
        data_sentence_text(g[k], &s, text, sizeof text);
        const bool held = rng_hash(SEED, text) % 10 == 0 || strcmp(text, lecture) == 0;
        Sequences *part = held ? &c->held_out : &c->train;
        if (part->count < (held ? held_out : train) && !add_sentence(c, part, text))
            return false;
    }
    return true;
}

bool corpus_of_grammars(Corpus *c, int train, int held_out)
{
    Grammar *g[GRAMMARS] = {data_phrases_new(), data_reviews_new()};
    *c = (Corpus){0};
    bool ok = g[0] && g[1] && open_words(c, g) && draw_sentences(c, g, train, held_out);
    data_grammar_free(g[0]);
    data_grammar_free(g[1]);
    return ok;
}

void corpus_free(Corpus *c)
{
    data_vocab_free(&c->words);
    data_sequences_free(&c->train);
    data_sequences_free(&c->held_out);
    *c = (Corpus){0};
}

/* ---- a user's own text ----------------------------------------------------------------------- */

static int encode_words(const Corpus *c, const char *text, int32_t *ids, int capacity)
{
    Words words;
    if (!data_tokenise(text, &words))
        return -1;
    for (int i = 0; i < words.count && i < capacity; i++)
        if ((ids[i] = data_vocab_need(&c->words, words.word[i])) < 0)
            return -1;
    return words.count;
}

/* Appends a full stop, with which all sentences of the grammars end, if the text has no final
 * punctuation mark. */
static int close_sentence(const Corpus *c, int32_t *ids, int n, int capacity)
{
    const int stop = data_vocab_find(&c->words, ".");
    if (n > 1 && n < capacity && ids[n - 1] != stop)
        ids[n++] = stop;
    return n;
}

int corpus_encode(const Corpus *c, const char *text, int32_t *ids, int capacity)
{
    static const char mask[] = "<mask>";
    char part[SENTENCE_BYTES];
    int n = 1;
    ids[0] = CLASS_TOKEN;
    for (const char *p = text; *p && n < capacity;) {
        const char *end = strstr(p, mask);
        const size_t length = end ? (size_t)(end - p) : strlen(p);
        snprintf(part, sizeof part, "%.*s", (int)length, p);
        const int more = encode_words(c, part, ids + n, capacity - n);
        if (more < 0)
            return -1;
        n += more;
        if (end && n < capacity)
            ids[n++] = DATA_MASK;
        p = end ? end + strlen(mask) : p + length;
    }
    n = close_sentence(c, ids, n, capacity);
    if (n > 1 && n < capacity)
        return n;
    example_fail("--text \"%.60s\": found %s; expected 1 to %d tokens", text,
                 n == 1 ? "no token" : "a longer text", capacity - 2);
    return -1;
}

/* ---- reviews with labels --------------------------------------------------------------------- */

static bool add_review(Reviews *r, const Corpus *c, const Grammar *g, SentenceSplit split, Rng *rng)
{
    Sentence s;
    char text[SENTENCE_BYTES];
    if (!data_grammar_draw(g, rng, split, &s))
        return false;
    data_sentence_text(g, &s, text, sizeof text);
    r->labels[r->ids.count] = s.label;
    return add_sentence(c, &r->ids, text);
}

bool reviews_open(Reviews *r, const Corpus *c, int train, int test, uint64_t seed)
{
    Grammar *g = data_reviews_new();
    Rng learn = {.seed = rng_hash(seed, "reviews")}, ask = {.seed = SEED, .stream = 1};
    *r = (Reviews){.train = train,
                   .labels = example_alloc((size_t)(train + test) * sizeof *r->labels)};
    bool ok = g && r->labels;
    for (int i = 0; ok && i < train; i++)
        ok = add_review(r, c, g, DATA_TRAIN, &learn);
    for (int i = 0; ok && i < test; i++)
        ok = add_review(r, c, g, DATA_HELD_OUT, &ask);
    data_grammar_free(g);
    return ok;
}

void reviews_free(Reviews *r)
{
    data_sequences_free(&r->ids);
    free(r->labels);
    *r = (Reviews){0};
}
