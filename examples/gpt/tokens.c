/* tokens.c: see tokens.h. */
#include "examples/gpt/tokens.h"

#include "examples/common/example.h"
#include "data/corpora/corpora.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FABLES_BYTES = 600000 };

static const char pairs[] = "pairs "; /* with which a list of merges begins */

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

/* Takes the next number from the list. */
static bool take_number(const char **list, int64_t most, int64_t *number)
{
    char *end;
    *number = strtoll(*list, &end, 16);
    if (end == *list || *number < 0 || *number > most)
        return example_fail("tokens_from_list: found '%.8s' in the model's vocabulary; expected "
                            "hexadecimal numbers up to %llx",
                            *list, (long long)most);
    *list = end + strspn(end, " ");
    return true;
}

static bool merges_from_list(TokenisedText *t, const char *list)
{
    enum { LEAST = 6, IDS = DATA_BPE_BYTES + DATA_BPE_MERGES_MAX }; /* "0 0 1 " */
    Merge *merge = example_alloc((strlen(list) / LEAST + 1) * sizeof *merge);
    int n = 0;
    bool ok = merge != NULL;
    while (ok && *list) {
        int64_t left, right, count;
        ok = take_number(&list, IDS, &left) && take_number(&list, IDS, &right) &&
             take_number(&list, INT64_MAX, &count);
        if (ok)
            merge[n++] = (Merge){(int32_t)left, (int32_t)right, count};
    }
    ok = ok && data_bpe_from(&t->bpe, merge, n);
    t->words = DATA_BPE_BYTES + n;
    free(merge);
    return ok;
}

bool tokens_from_list(TokenisedText *t, const char *list)
{
    enum { LAST = 0x110100 };
    *t = (TokenisedText){.per_token = 1, .entropy = (double)NAN};
    if (!list)
        return example_fail("tokens_from_list: the file has no vocabulary; expected one of --save");
    if (strncmp(list, pairs, sizeof pairs - 1) == 0)
        return merges_from_list(t, list + sizeof pairs - 1);
    t->own = example_alloc((strlen(list) + 1) * sizeof *t->own);
    while (t->own && *list) {
        int64_t symbol;
        if (!take_number(&list, LAST, &symbol))
            return false;
        t->own[t->words++] = (int32_t)symbol;
    }
    t->text = (Text){.symbols = t->words, .symbol = t->own};
    return t->own != NULL;
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
    enum { LONGEST = 32 }; /* of a merge */
    const int count = are_pairs(t) ? t->bpe.merges : t->words;
    char *list = example_alloc(sizeof pairs + (size_t)count * LONGEST);
    size_t at = 0;
    if (list && are_pairs(t))
        at = (size_t)sprintf(list, "%s", pairs);
    for (int i = 0; list && i < count; i++) {
        const Merge *m = are_pairs(t) ? &t->bpe.merge[i] : NULL;
        at += (size_t)(m ? sprintf(list + at, "%x %x %llx ", (unsigned)m->left, (unsigned)m->right,
                                   (unsigned long long)m->count)
                         : sprintf(list + at, "%x ", (unsigned)t->text.symbol[i]));
    }
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
