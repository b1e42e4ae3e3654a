/* text.c: a text as a sequence of character ids.
 *
 * The vocabulary is the set of symbols in the file, in ascending order; an id is the index of a
 * symbol in it. utf8.c says what a symbol is. */
#include "data/data.h"
#include "data/null.h"
#include "tensor/io/utf8.h"
#include "tensor/memory.h"

#include <string.h>

/* ---- from bytes to ids ----------------------------------------------------------------------- */

/* Marks each symbol that occurs in a bit set; returns the number of characters. */
static int64_t mark_symbols(const unsigned char *bytes, size_t count, uint32_t *set)
{
    int64_t characters = 0;
    int32_t symbol;
    for (size_t i = 0; i < count; i += utf8_read(bytes + i, count - i, &symbol), characters++) {
        utf8_read(bytes + i, count - i, &symbol);
        set[symbol / 32] |= 1u << symbol % 32;
    }
    return characters;
}

/* Lists the marked symbols in ascending order, or only counts them where list is NULL. */
static int list_symbols(const uint32_t *set, int32_t *list)
{
    int count = 0;
    for (int32_t symbol = 0; symbol < UTF8_SYMBOLS; symbol++)
        if (set[symbol / 32] >> symbol % 32 & 1) {
            if (list)
                list[count] = symbol;
            count++;
        }
    return count;
}

/* The symbol's id, or -1: a binary search. */
static int32_t symbol_id(const Text *t, int32_t symbol)
{
    int low = 0, high = t->symbols;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (t->symbol[middle] < symbol)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->symbols && t->symbol[low] == symbol ? low : -1;
}

/* Collects the symbols of the text and allocates memory for the ids. */
static bool text_collect(Text *t, const unsigned char *bytes, size_t count)
{
    const size_t set_bytes = (UTF8_SYMBOLS + 31) / 32 * sizeof(uint32_t);
    uint32_t *set = mem_alloc(set_bytes);
    if (!set)
        return false;
    memset(set, 0, set_bytes);
    t->count = mark_symbols(bytes, count, set);
    t->symbols = list_symbols(set, NULL);
    t->symbol = mem_alloc((size_t)t->symbols * sizeof *t->symbol);
    if (t->symbol)
        list_symbols(set, t->symbol);
    mem_free(set);
    t->ids = t->symbol ? mem_alloc((size_t)t->count * sizeof *t->ids) : NULL;
    return t->ids != NULL;
}

bool data_text_from(const char *name, Text *t, const void *bytes, size_t count, int64_t T)
{
    if (!t || !name || (!bytes && count))
        return null_fail("data_text_from", "a text, a name and bytes");
    *t = (Text){0};
    if (T < 1)
        return tensor_fail(
            "data_text_from: %s: found windows of %lld characters; expected at least 1", name,
            (long long)T);
    if (count == 0)
        return tensor_fail("data_text_from: %s: found an empty text; expected characters", name);
    if (count > DATA_TEXT_MAX_BYTES)
        return tensor_fail("data_text_from: %s: found more than %d bytes; expected at most as many",
                           name, DATA_TEXT_MAX_BYTES);
    if (!text_collect(t, bytes, count)) {
        data_text_free(t);
        return false;
    }
    const int64_t window = T + 1, found = t->count;
    if (found < 2 * window) {
        data_text_free(t);
        return tensor_fail(
            "data_text_from: %s: found %lld characters; expected at least %lld, for one window of "
            "%lld to train on and one to validate",
            name, (long long)found, (long long)(2 * window), (long long)window);
    }
    data_text_encode(t, bytes, count, t->ids, t->count);
    t->train = found - (found / 10 > window ? found / 10 : window);
    return true;
}

void data_text_free(Text *t)
{
    if (!t)
        return;
    mem_free(t->ids);
    mem_free(t->symbol);
    *t = (Text){0};
}

/* ---- encode, decode, show -------------------------------------------------------------------- */

/* A visible form of a symbol. */
static char *symbol_label(int32_t symbol, char label[DATA_LABEL_BYTES])
{
    if (symbol == ' ')
        strcpy(label, "\xE2\x90\xA3"); /* U+2423, the open box */
    else if (symbol == '\n' || symbol == '\t' || symbol == '\r')
        strcpy(label, symbol == '\n' ? "\\n" : symbol == '\t' ? "\\t" : "\\r");
    else if (symbol >= UTF8_BYTE)
        snprintf(label, DATA_LABEL_BYTES, "x%02X", (unsigned)(symbol - UTF8_BYTE) & 0xFF);
    else if (symbol < ' ' || (symbol >= 0x7F && symbol < 0xA0))
        snprintf(label, DATA_LABEL_BYTES, "U+%02X", (unsigned)symbol & 0xFF);
    else
        label[utf8_write(symbol, (unsigned char *)label)] = 0;
    return label;
}

const char *data_text_label(const Text *t, int id, char label[DATA_LABEL_BYTES])
{
    if (!t || !label)
        return null_fail("data_text_label", "a text and a label"), NULL;
    return symbol_label(id >= 0 && id < t->symbols ? t->symbol[id] : '?', label);
}

int64_t data_text_encode(const Text *t, const char *bytes, size_t count, int32_t *ids,
                         int64_t capacity)
{
    const unsigned char *p = (const unsigned char *)bytes;
    int64_t characters = 0;
    if (!t || (!bytes && count) || (!ids && capacity > 0))
        return null_fail("data_text_encode", "a text, bytes and ids"), -1;
    for (size_t i = 0; i < count; characters++) {
        int32_t symbol;
        char label[DATA_LABEL_BYTES];
        const size_t length = utf8_read(p + i, count - i, &symbol);
        const int32_t id = symbol_id(t, symbol);
        if (id < 0) {
            tensor_fail(
                "data_text_encode: found \"%s\" at byte %zu; expected one of the %d characters "
                "of the text",
                symbol_label(symbol, label), i, t->symbols);
            return -1;
        }
        if (characters < capacity)
            ids[characters] = id;
        i += length;
    }
    return characters;
}

size_t data_text_decode(const Text *t, const int32_t *ids, int64_t count, char *bytes, size_t size)
{
    size_t used = 0;
    if (!t || (!ids && count > 0) || (!bytes && size))
        return null_fail("data_text_decode", "a text, ids and bytes");
    for (int64_t i = 0; i < count; i++) {
        if (ids[i] < 0 || ids[i] >= t->symbols)
            continue;
        unsigned char character[UTF8_MAX_BYTES];
        const size_t length = utf8_write(t->symbol[ids[i]], character);
        for (size_t k = 0; k < length; k++, used++)
            if (used < size)
                bytes[used] = (char)character[k];
    }
    if (size)
        bytes[used < size ? used : size - 1] = 0;
    return used;
}

/* ---- windows --------------------------------------------------------------------------------- */

bool data_text_windows(const Text *t, TextPart part, Rng *rng, int64_t B, int64_t T, int32_t *x,
                       int32_t *y)
{
    if (!t || !rng || !x || !y)
        return null_fail("data_text_windows", "a text, a generator, x and y");
    if (part != DATA_TEXT_TRAIN && part != DATA_TEXT_VALIDATION)
        return tensor_fail("data_text_windows: found part %d; expected DATA_TEXT_TRAIN or "
                           "DATA_TEXT_VALIDATION",
                           (int)part);
    const bool train = part == DATA_TEXT_TRAIN;
    const int64_t begin = train ? 0 : t->train;
    const int64_t length = train ? t->train : t->count - t->train;
    if (B < 1 || T < 1 || T >= length)
        return tensor_fail(
            "data_text_windows: found B = %lld, T = %lld; expected B >= 1 and T = 1 .. %lld, "
            "one less than the %s characters",
            (long long)B, (long long)T, (long long)length - 1, train ? "training" : "validation");
    for (int64_t b = 0; b < B; b++) {
        const int32_t *from = t->ids + begin + rng_below(rng, length - T);
        memcpy(x + b * T, from, (size_t)T * sizeof *x);
        memcpy(y + b * T, from + 1, (size_t)T * sizeof *y);
    }
    return true;
}
