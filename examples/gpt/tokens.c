/* tokens.c: see tokens.h. */
#include "examples/gpt/tokens.h"

#include "examples/common/example.h"
#include "data/corpora/corpora.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FABLES_BYTES = 600000 };

/* ---- bytes ----------------------------------------------------------------------------------- */

/* A text in memory, and its entropy if that is known. */
typedef struct {
    char *bytes; /* to be freed */
    size_t count;
    double entropy; /* nats a byte */
} Bytes;

static bool fables(Bytes *b)
{
    Rng rng = {.seed = 1}; /* the same text for every seed of the model */
    double sum = 0;
    b->bytes = example_alloc(FABLES_BYTES);
    while (b->bytes) {
        double nats;
        size_t n = data_story(&rng, b->bytes + b->count, FABLES_BYTES - b->count, &nats);
        if (n >= FABLES_BYTES - b->count)
            break;
        b->count += n;
        sum += nats;
    }
    b->entropy = sum / (double)b->count;
    return b->bytes != NULL;
}

static bool read_file(Bytes *b, const char *path)
{
    char *text = data_file_text(path, &b->count);
    b->bytes = text ? example_alloc(b->count + 1) : NULL;
    if (b->bytes)
        memcpy(b->bytes, text, b->count);
    b->entropy = (double)NAN;
    data_file_free(text);
    return b->bytes != NULL;
}

/* ---- byte pairs ------------------------------------------------------------------------------ */

/* The merges are learned from the training part alone. The parts are encoded separately, so that no
 * token contains text of both. */
static bool pair_bytes(TokenisedText *t, const Bytes *b, const char *name, int merges, int T)
{
    size_t train = b->count - b->count / 10, held_out = b->count - train;
    if (!data_bpe_train(&t->bpe, b->bytes, train, merges))
        return false;
    int64_t n = data_bpe_encode(&t->bpe, b->bytes, train, NULL, 0),
            m = data_bpe_encode(&t->bpe, b->bytes + train, held_out, NULL, 0);
    if (n < T + 1 || m < T + 1)
        return example_fail("%s: found %lld training and %lld validation tokens; expected at "
                            "least %d of each, for one window",
                            name, (long long)n, (long long)m, T + 1);
    t->own = example_alloc((size_t)(n + m) * sizeof *t->own);
    if (!t->own)
        return false;
    data_bpe_encode(&t->bpe, b->bytes, train, t->own, n);
    data_bpe_encode(&t->bpe, b->bytes + train, held_out, t->own + n, m);
    t->text = (Text){.count = n + m, .train = n, .ids = t->own};
    t->words = DATA_BPE_BYTES + t->bpe.merges;
    t->per_token = (double)held_out / (double)m;
    return true;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

bool tokens_from_text(TokenisedText *t, const char *path, int merges, int T)
{
    const char *name = path ? path : "fables";
    Bytes b = {0};
    *t = (TokenisedText){.per_token = 1};
    bool ok = path ? read_file(&b, path) : fables(&b);
    if (ok && merges > 0)
        ok = pair_bytes(t, &b, name, merges, T);
    else
        ok = ok && data_text_from(name, &t->text, b.bytes, b.count, T);
    if (merges == 0)
        t->words = t->text.symbols;
    t->entropy = b.entropy;
    free(b.bytes);
    return ok;
}

bool tokens_from_list(TokenisedText *t, const char *list)
{
    *t = (TokenisedText){.per_token = 1, .entropy = (double)NAN};
    t->own = example_alloc((strlen(list) + 1) * sizeof *t->own);
    while (t->own && *list) {
        char *end;
        long symbol = strtol(list, &end, 16);
        if (end == list || symbol < 0 || symbol > 0x110100)
            return example_fail("tokens_from_list: found '%.8s' among the model's characters; "
                                "expected hexadecimal numbers up to 110100",
                                list);
        t->own[t->words++] = (int32_t)symbol;
        list = end + strspn(end, " ");
    }
    t->text = (Text){.symbols = t->words, .symbol = t->own};
    return t->own != NULL;
}

bool tokens_from_merges(TokenisedText *t, const char *path)
{
    *t = (TokenisedText){.per_token = 1, .entropy = (double)NAN};
    bool ok = data_bpe_load(path, &t->bpe);
    t->words = DATA_BPE_BYTES + t->bpe.merges;
    return ok;
}

void tokens_free(TokenisedText *t)
{
    if (!t->own)
        data_text_free(&t->text);
    free(t->own);
    data_bpe_free(&t->bpe);
    *t = (TokenisedText){0};
}

static bool are_pairs(const TokenisedText *t)
{
    return !t->text.symbol;
}

char *tokens_list(const TokenisedText *t)
{
    char *list = are_pairs(t) ? NULL : example_alloc((size_t)t->words * 9 + 1);
    size_t at = 0;
    for (int i = 0; list && i < t->words; i++)
        at += (size_t)sprintf(list + at, "%x ", (unsigned)t->text.symbol[i]);
    return list;
}

int64_t tokens_encode(const TokenisedText *t, const char *text, int32_t *ids, int64_t capacity)
{
    return are_pairs(t) ? data_bpe_encode(&t->bpe, text, strlen(text), ids, capacity)
                        : data_text_encode(&t->text, text, strlen(text), ids, capacity);
}

size_t tokens_decode(const TokenisedText *t, const int32_t *ids, int64_t count, char *text,
                     size_t size)
{
    return are_pairs(t) ? data_bpe_decode(&t->bpe, ids, count, text, size)
                        : data_text_decode(&t->text, ids, count, text, size);
}

/* In byte pairs, a blank is shown as an open box, and a newline as "\n". */
const char *tokens_label(const TokenisedText *t, int id, char label[TOKEN_LABEL])
{
    char token[DATA_BPE_TOKEN_BYTES], *to = label;
    if (!are_pairs(t))
        return data_text_label(&t->text, id, label);
    int n = data_bpe_token(&t->bpe, id, token);
    for (int i = 0; i < n && to - label < TOKEN_LABEL - 4; i++) {
        const char *shown = token[i] == ' ' ? "\xE2\x90\xA3" : token[i] == '\n' ? "\\n" : NULL;
        if (shown)
            to += sprintf(to, "%s", shown);
        else
            *to++ = token[i];
    }
    *to = 0;
    return label;
}
