/* unicode.c: looking characters up in the tables of unicode_tables.c, which are sorted. */
#include "data/unicode.h"
#include "tensor/io/utf8.h"

/* The last of `count` items of `size` bytes, each beginning with a character, that does not begin
 * after c; -1: none. */
static int last_from(const void *items, int count, size_t size, int32_t c)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (*(const int32_t *)((const char *)items + (size_t)middle * size) <= c)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

static unsigned bits_of(const UnicodeRun *runs, int count, int32_t c)
{
    int i = last_from(runs, count, sizeof *runs, c);
    return i >= 0 && c <= runs[i].last ? runs[i].bits : 0;
}

unsigned unicode_class(int32_t c)
{
    return bits_of(unicode_runs, unicode_runs_count, c);
}

unsigned unicode_break(int32_t c)
{
    return bits_of(unicode_breaks, unicode_breaks_count, c);
}

int32_t unicode_lower(int32_t c)
{
    int i = last_from(unicode_lowers, unicode_lowers_count, sizeof *unicode_lowers, c);
    const UnicodeLower *l = &unicode_lowers[i < 0 ? 0 : i];
    return i >= 0 && c <= l->last && (c - l->first) % l->step == 0 ? c + l->distance : c;
}

/* Syllable s of Hangul is a leading consonant, a vowel and perhaps a trailing consonant (Unicode
 * 16.0, 3.12). */
static int decompose_hangul(int32_t s, int32_t parts[UNICODE_PARTS])
{
    parts[0] = 0x1100 + s / (21 * 28);
    parts[1] = 0x1161 + s % (21 * 28) / 28;
    parts[2] = 0x11A7 + s % 28;
    return s % 28 == 0 ? 2 : 3;
}

int unicode_decompose(int32_t c, int32_t parts[UNICODE_PARTS])
{
    int n = 0;
    if (c >= 0xAC00 && c < 0xD7A4)
        return decompose_hangul(c - 0xAC00, parts);
    int i = last_from(unicode_parts, unicode_parts_count, sizeof *unicode_parts, c);
    parts[0] = c;
    if (i < 0 || unicode_parts[i].whole != c)
        return 1;
    for (; n < UNICODE_PARTS && unicode_parts[i].part[n]; n++)
        parts[n] = unicode_parts[i].part[n];
    return n;
}

bool unicode_is_chinese(int32_t c)
{
    static const int32_t ranges[][2] = {{0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF},
                                        {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF},
                                        {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i][0] && c <= ranges[i][1])
            return true;
    return false;
}

/* How many of these bytes, the first of which is >= 0x80, are the longest beginning of any
 * character. */
static size_t ill_formed(const unsigned char *b, size_t count)
{
    unsigned char low = 0x80, high = 0xBF;
    size_t length = b[0] >= 0xC2 && b[0] < 0xE0   ? 2
                    : b[0] >= 0xE0 && b[0] < 0xF0 ? 3
                    : b[0] >= 0xF0 && b[0] < 0xF5 ? 4
                                                  : 1;
    size_t n = 1;
    if (b[0] == 0xE0)
        low = 0xA0;
    if (b[0] == 0xED)
        high = 0x9F;
    if (b[0] == 0xF0)
        low = 0x90;
    if (b[0] == 0xF4)
        high = 0x8F;
    for (; n < length && n < count && b[n] >= low && b[n] <= high; n++) {
        low = 0x80;
        high = 0xBF;
    }
    return n;
}

size_t unicode_read(const unsigned char *bytes, size_t count, int32_t *c)
{
    size_t n = utf8_read(bytes, count, c);
    if (*c < UTF8_BYTE)
        return n;
    *c = 0xFFFD;
    return ill_formed(bytes, count);
}
