/* tokeniser_decode.c: from ids to text, and single tokens. */
#include "data/tokeniser.h"
#include "tensor/io/utf8.h"
#include "tensor/memory.h"

#include <string.h>

int data_tokeniser_count(const Tokeniser *t)
{
    return t ? t->table.ids : 0;
}

int data_token_find(const Tokeniser *t, const char *token)
{
    return t && token ? token_table_find(&t->table, token, strlen(token)) : -1;
}

const char *data_token(const Tokeniser *t, int id)
{
    return t && id >= 0 && id < t->table.ids && t->table.word[id] ? t->table.word[id] : "";
}

/* NULL: it is of the vocabulary. */
static const AddedToken *added_of(const Tokeniser *t, int id)
{
    for (int i = 0; i < t->added_count; i++)
        if (t->added[i].id == id)
            return &t->added[i];
    return NULL;
}

static bool is_special(const Tokeniser *t, int id)
{
    if (t->kind == TOKENISER_PIECES && id >= 0 && id < t->table.ids &&
        t->pieces.type[id] == PIECE_CONTROL)
        return true;
    const AddedToken *a = added_of(t, id);
    return a && a->special;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Text that grows into a buffer of a given size and goes on counting after its end. */
typedef struct {
    char *text;
    size_t size, used;
    int strip; /* blanks that are still to be left out in front of all */
} Out;

static void put(Out *o, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++, o->used++)
        if (o->used + 1 < o->size)
            o->text[o->used] = bytes[i];
}

int byte_of_piece(const char *piece)
{
    unsigned byte;
    char end, closed[8];
    if (strlen(piece) != 6 || sscanf(piece, "<0x%2X%c", &byte, &end) != 2)
        return -1;
    snprintf(closed, sizeof closed, "<0x%02X>", byte);
    return strcmp(piece, closed) == 0 ? (int)byte : -1;
}

/* The token's text; of an added one that is found normalised, as the tokenizers library gives it,
 * the normalised text. */
static const char *word_of(const Tokeniser *t, int32_t id)
{
    const AddedToken *a = added_of(t, id);
    return a && a->shown ? a->shown : data_token(t, id);
}

/* One token of byte-level BPE: each of its characters stands for a byte. A token with a character
 * that stands for none is its own text. */
static void put_bytes(const Tokeniser *t, int32_t id, Out *o)
{
    const char *word = word_of(t, id);
    const size_t n = strlen(word), before = o->used;
    for (size_t at = 0; at < n;) {
        int32_t c;
        at += utf8_read((const unsigned char *)word + at, n - at, &c);
        int byte = char_to_byte(c);
        if (byte < 0) {
            o->used = before;
            put(o, word, n);
            return;
        }
        put(o, &(char){(char)byte}, 1);
    }
}

/* A piece of SentencePiece: U+2581 is a blank, but where one was put in front of the text, or
 * blanks there are removed; a byte piece is its byte. */
static void put_piece(const Tokeniser *t, int32_t id, bool first, Out *o)
{
    static const char blank[] = "\xe2\x96\x81";
    const char *word = data_token(t, id);
    size_t n = strlen(word), i = 0;
    int byte = t->pieces.type[id] == PIECE_BYTE ? byte_of_piece(word) : -1;
    if (byte >= 0) {
        put(o, &(char){(char)byte}, 1);
        return;
    }
    if (id == t->unknown) {
        put(o, " \xe2\x81\x87 ", 5);
        return;
    }
    bool squeeze = t->pieces.squeeze && o->used == 0;
    while ((squeeze || (first && t->pieces.dummy_prefix && i == 0)) &&
           strncmp(word + i, blank, 3) == 0)
        i += 3;
    while (i < n) {
        bool is_blank = strncmp(word + i, blank, 3) == 0;
        put(o, is_blank ? " " : word + i, 1);
        i += is_blank ? 3 : 1;
    }
}

/* The same in the tokenizers library, by the steps that the file says. */
static void put_chars(const Tokeniser *t, int32_t id, bool first, Out *o)
{
    const Decoding *d = &t->decoding;
    const char *word = word_of(t, id);
    int byte = d->bytes ? byte_of_piece(word) : -1;
    if (byte >= 0) {
        o->strip = byte == ' ' ? o->strip : 0;
        put(o, &(char){(char)byte}, 1);
        return;
    }
    for (size_t n; *word; word += n) {
        bool blank = d->blanks && strncmp(word, "\xe2\x96\x81", 3) == 0;
        n = blank ? 3 : 1;
        bool space = blank || *word == ' ';
        if ((blank && first && d->first) || (space && o->strip-- > 0))
            continue;
        o->strip = 0;
        put(o, blank ? " " : word, 1);
    }
}

/* As the tokenizers library writes words together again: no blank before a mark that ends a
 * sentence, nor in front of what is left of a contraction. */
static size_t without_blank(const char *word, size_t n)
{
    static const char *const close[] = {".", "?", "!", ",", "n't", "'m", "'s", "'ve", "'re"};
    for (size_t i = 0; i < sizeof close / sizeof *close; i++)
        if (strlen(close[i]) == n && memcmp(word, close[i], n) == 0)
            return true;
    return false;
}

static void put_word(const Tokeniser *t, int32_t id, bool first, Out *o)
{
    const char *word = word_of(t, id);
    size_t n = strlen(word), prefix = strlen(t->prefix);
    if (!first && t->decoding.kind == DECODE_WORDS && prefix > 0 &&
        strncmp(word, t->prefix, prefix) == 0) {
        put(o, word + prefix, n - prefix);
        return;
    }
    if (!first && !(t->decoding.cleanup && without_blank(word, n)))
        put(o, " ", 1);
    put(o, word, n);
}

size_t data_tokens_text(const Tokeniser *t, const int32_t *ids, int64_t n, bool specials,
                        char *text, size_t size)
{
    Out o = {.text = text, .size = size, .strip = t ? t->decoding.strip : 0};
    bool first = true;
    if (!t || (!ids && n > 0) || (!text && size > 0)) {
        tensor_fail("data_tokens_text: %s is NULL; expected a tokeniser, ids and a text to fill",
                    !t              ? "the tokeniser"
                    : !ids && n > 0 ? "ids"
                                    : "text");
        if (text && size > 0)
            text[0] = 0;
        return 0;
    }
    for (int64_t i = 0; i < n; i++) {
        if (ids[i] < 0 || ids[i] >= t->table.ids || (!specials && is_special(t, ids[i])))
            continue;
        if (t->kind == TOKENISER_PIECES)
            put_piece(t, ids[i], first, &o);
        else if (t->decoding.kind == DECODE_BYTES)
            put_bytes(t, ids[i], &o);
        else if (t->decoding.kind == DECODE_PIECES)
            put_chars(t, ids[i], first, &o);
        else
            put_word(t, ids[i], first, &o);
        first = false;
    }
    if (size > 0)
        text[o.used < size ? o.used : size - 1] = 0;
    return o.used;
}

static bool is_utf8(const char *text)
{
    int32_t symbol = 0;
    while (*text && symbol < UTF8_BYTE)
        text += utf8_read((const unsigned char *)text, strnlen(text, UTF8_MAX_BYTES), &symbol);
    return symbol < UTF8_BYTE;
}

size_t data_token_label(const Tokeniser *t, int id, char *text, size_t size)
{
    char own[256];
    const int32_t one = id;
    const char *word = data_token(t, id), *label = own;
    size_t length = data_tokens_text(t, &one, 1, true, own, sizeof own);
    while (*label == ' ' && label[1])
        label++;
    if (length == 0 || length >= sizeof own || strncmp(word, "##", 2) == 0 || !is_utf8(label))
        label = word;
    length = strlen(label);
    if (text && size > 0) {
        const size_t fits = length < size ? length : size - 1;
        memcpy(text, label, fits);
        text[fits] = 0;
    }
    return length;
}

/* The text of all tokens but the last is a beginning of that of all. */
int data_tokens_stop(const Tokeniser *t, const int32_t *ids, int64_t n, const char *stop)
{
    if (!t || !ids || n < 1 || !stop || !*stop) {
        tensor_fail("data_tokens_stop: %s; expected a tokeniser, ids, and a text that ends them",
                    !t      ? "the tokeniser is NULL"
                    : !ids  ? "the ids are NULL"
                    : n < 1 ? "no ids"
                    : !stop ? "the text is NULL"
                            : "a text of no letter");
        return -1;
    }
    size_t before = data_tokens_text(t, ids, n - 1, true, NULL, 0);
    size_t bytes = data_tokens_text(t, ids, n, true, NULL, 0);
    char *text = mem_alloc(bytes + 1);
    if (!text)
        return -1;
    data_tokens_text(t, ids, n, true, text, bytes + 1);
    int found = 0;
    for (const char *at = text; !found && (at = strstr(at, stop)); at++)
        found = (size_t)(at - text) + strlen(stop) > before;
    mem_free(text);
    return found;
}
