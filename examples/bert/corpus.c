/* corpus.c: see corpus.h. */
#include "examples/bert/corpus.h"

#include "examples/common/vocabulary.h"
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
    c->tokens = c->words.count;
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
    *c = (Corpus){.longest = DATA_WORDS_MAX + 1};
    bool ok = g[0] && g[1] && open_words(c, g) && draw_sentences(c, g, train, held_out);
    data_grammar_free(g[0]);
    data_grammar_free(g[1]);
    return ok;
}

/* ---- a file ---------------------------------------------------------------------------------- */

/* Cuts ids into sequences of <class> and up to longest - 1 others. */
static bool cut(Sequences *to, int32_t *ids, int64_t count, int longest)
{
    int32_t *piece = example_alloc((size_t)longest * sizeof *piece);
    bool ok = piece != NULL;
    for (int64_t at = 0; ok && at < count; at += longest - 1) {
        const int64_t n = count - at < longest - 1 ? count - at : longest - 1;
        piece[0] = CLASS_TOKEN;
        for (int64_t i = 0; i < n; i++)
            piece[i + 1] = FIRST_TOKEN + ids[at + i];
        ok = data_sequences_add(to, piece, (int)n + 1);
    }
    free(piece);
    return ok;
}

static bool cut_file(Corpus *c, const char *path, const char *text, size_t bytes)
{
    const int64_t count = data_bpe_encode(&c->bpe, text, bytes, NULL, 0);
    int32_t *ids = example_alloc((size_t)count * sizeof *ids);
    if (!ids)
        return false;
    data_bpe_encode(&c->bpe, text, bytes, ids, count);
    const int64_t train = count - count / 10;
    bool ok = (train >= 4 * c->longest ||
               example_fail("%s: found %lld tokens for training; expected at least %d, four "
                            "sequences",
                            path, (long long)train, 4 * c->longest)) &&
              cut(&c->train, ids, train, c->longest) &&
              cut(&c->held_out, ids + train, count - train, c->longest);
    free(ids);
    return ok;
}

bool corpus_of_file(Corpus *c, const char *path, int merges, int longest)
{
    size_t bytes;
    *c = (Corpus){.longest = longest, .bytes = true};
    char *text = data_file_text(path, &bytes);
    bool ok = text && data_bpe_train(&c->bpe, text, bytes, merges);
    c->tokens = FIRST_TOKEN + DATA_BPE_BYTES + c->bpe.merges;
    ok = ok && cut_file(c, path, text, bytes);
    data_file_free(text);
    return ok;
}

void corpus_free(Corpus *c)
{
    data_vocab_free(&c->words);
    data_bpe_free(&c->bpe);
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

static int encode_bytes(const Corpus *c, const char *text, int32_t *ids, int capacity)
{
    const int n = (int)data_bpe_encode(&c->bpe, text, strlen(text), ids, capacity);
    for (int i = 0; i < n && i < capacity; i++)
        ids[i] += FIRST_TOKEN;
    return n;
}

/* Appends a full stop, with which all sentences of the grammars end, if the text has no final
 * punctuation mark. */
static int close_sentence(const Corpus *c, int32_t *ids, int n, int capacity)
{
    const int stop = data_vocab_find(&c->words, ".");
    if (!c->bytes && n > 1 && n < capacity && ids[n - 1] != stop)
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
        const int more = c->bytes ? encode_bytes(c, part, ids + n, capacity - n)
                                  : encode_words(c, part, ids + n, capacity - n);
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

const char *corpus_label(const Corpus *c, int id, char label[TOKEN_LABEL])
{
    static const char *const specials[FIRST_TOKEN] = {"<pad>", "<mask>", "<unk>", "<class>"};
    if (id < FIRST_TOKEN)
        snprintf(label, TOKEN_LABEL, "%s", specials[id]);
    else if (!c->bytes)
        snprintf(label, TOKEN_LABEL, "%s", data_vocab_word(&c->words, id));
    else
        data_bpe_token(&c->bpe, id - FIRST_TOKEN, label);
    if (strcmp(label, "\n") == 0)
        strcpy(label, "\\n");
    return label;
}

char *corpus_line(const Corpus *c)
{
    if (!c->bytes)
        return vocabulary_line(&c->words);
    char *line = example_alloc((size_t)c->bpe.merges * 14 + 1);
    size_t used = 0;
    if (line)
        *line = 0;
    for (int i = 0; line && i < c->bpe.merges; i++)
        used += (size_t)sprintf(line + used, "%d %d ", (int)c->bpe.merge[i].left,
                                (int)c->bpe.merge[i].right);
    return line;
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
