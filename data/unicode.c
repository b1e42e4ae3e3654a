/* unicode.c: looking characters up in the tables of unicode_tables.c, which are sorted. */
#include "data/unicode.h"
#include "tensor/io/utf8.h"

/* The number at *at, which moves behind it. */
static int32_t number_at(const char **at)
{
    int32_t n = 0, digit = 32;
    for (int shift = 0; digit & 32; shift += 5) {
        digit = *(*at)++ - '0';
        n |= (digit & 31) << shift;
    }
    return n;
}

/* The numbers of the last row whose character, *first, is not after c; NULL: none. */
static const char *last_row(UnicodeTable t, int32_t c, int32_t *first)
{
    int low = 0, high = t.lines;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const char *line = t.line[middle];
        if (number_at(&line) <= c)
            low = middle + 1;
        else
            high = middle;
    }
    const char *row = NULL, *at = low > 0 ? t.line[low - 1] : "";
    for (int32_t code = 0; *at;) {
        code += number_at(&at);
        if (code > c)
            break;
        *first = code;
        row = at;
        for (int i = 0; i < t.numbers; i++)
            number_at(&at);
    }
    return row;
}

/* The bits of the run that c is in. */
static unsigned bits_of(UnicodeTable runs, int32_t c)
{
    int32_t first;
    const char *row = last_row(runs, c, &first);
    return row ? (unsigned)number_at(&row) : 0;
}

unsigned unicode_class(int32_t c)
{
    enum { IN_TURN = 30 };
    unsigned bits = bits_of(unicode_classes, c);
    if ((bits & UNICODE_CATEGORY) < IN_TURN)
        return bits;
    return (unsigned)c % 2 == (bits & UNICODE_CATEGORY) - IN_TURN ? CATEGORY_LU : CATEGORY_LL;
}

bool unicode_is_word(int32_t c, unsigned bits)
{
    enum {
        LETTERS = 1 << CATEGORY_LL | 1 << CATEGORY_LM | 1 << CATEGORY_LO | 1 << CATEGORY_LT |
                  1 << CATEGORY_LU,
        MARKS = 1 << CATEGORY_MC | 1 << CATEGORY_ME | 1 << CATEGORY_MN,
        OTHERS = 1 << CATEGORY_ND | 1 << CATEGORY_NL | 1 << CATEGORY_PC
    };
    return (LETTERS | MARKS | OTHERS) >> (bits & UNICODE_CATEGORY) & 1 ||
           (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) ||
           (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189);
}

/* The table has where a character differs from most of its category. */
unsigned unicode_break(int32_t c)
{
    static const unsigned char usual[CATEGORIES] = {
        [CATEGORY_MN] = BREAK_EXTEND,  [CATEGORY_ME] = BREAK_EXTEND,  [CATEGORY_MC] = BREAK_SPACING,
        [CATEGORY_CC] = BREAK_CONTROL, [CATEGORY_CF] = BREAK_CONTROL, [CATEGORY_ZL] = BREAK_CONTROL,
        [CATEGORY_ZP] = BREAK_CONTROL};
    return bits_of(unicode_breaks, c) ^ usual[unicode_class(c) & UNICODE_CATEGORY];
}

int unicode_order(int32_t c)
{
    return (int)bits_of(unicode_orders, c);
}

int32_t unicode_lower(int32_t c)
{
    int32_t first;
    const char *row = last_row(unicode_lowers, c, &first);
    if (!row || c > first + number_at(&row) || (c - first) % number_at(&row) != 0)
        return c;
    int32_t distance = number_at(&row);
    return distance & 1 ? c - distance / 2 : c + distance / 2;
}

/* A syllable of Hangul is a leading consonant, a vowel and perhaps a trailing consonant (Unicode
 * 16.0, 3.12). */
enum { SYLLABLE = 0xAC00, LEADING = 0x1100, VOWEL = 0x1161, TRAILING = 0x11A7 };

static int decompose_hangul(int32_t s, int32_t parts[UNICODE_PARTS])
{
    parts[0] = LEADING + s / (21 * 28);
    parts[1] = VOWEL + s % (21 * 28) / 28;
    parts[2] = TRAILING + s % 28;
    return s % 28 == 0 ? 2 : 3;
}

/* The first part may have parts in turn; the second never has. */
int unicode_decompose(int32_t c, int32_t parts[UNICODE_PARTS])
{
    int32_t second[UNICODE_PARTS], found;
    int n = 0;
    if (c >= SYLLABLE && c < SYLLABLE + 11172)
        return decompose_hangul(c - SYLLABLE, parts);
    while (n < UNICODE_PARTS - 1) {
        const char *pair = last_row(unicode_pairs, c, &found);
        if (pair && found == c) {
            c = number_at(&pair) / 2;
            second[n++] = number_at(&pair);
            continue;
        }
        const char *single = last_row(unicode_singles, c, &found);
        if (!single || found != c)
            break;
        c = number_at(&single);
    }
    parts[0] = c;
    for (int k = 0; k < n; k++)
        parts[k + 1] = second[n - 1 - k];
    return n + 1;
}

int32_t unicode_compose(int32_t a, int32_t b)
{
    int32_t whole = 0;
    if (a >= LEADING && a < LEADING + 19 && b >= VOWEL && b < VOWEL + 21)
        return SYLLABLE + ((a - LEADING) * 21 + b - VOWEL) * 28;
    if (a >= SYLLABLE && a < SYLLABLE + 11172 && (a - SYLLABLE) % 28 == 0 && b > TRAILING &&
        b < TRAILING + 28)
        return a + b - TRAILING;
    unsigned kind = unicode_class(b) & UNICODE_CATEGORY;
    if (kind != CATEGORY_MN && kind != CATEGORY_MC) /* the second of two is a mark */
        return -1;
    for (int i = 0; i < unicode_pairs.lines; i++)
        for (const char *at = unicode_pairs.line[i]; *at;) {
            whole = at == unicode_pairs.line[i] ? number_at(&at) : whole + number_at(&at);
            int32_t first = number_at(&at), second = number_at(&at);
            if (first == 2 * a && second == b)
                return whole;
        }
    return -1;
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
 * character. Its second byte has limits of its own after some first ones. */
static size_t ill_formed(const unsigned char *b, size_t count)
{
    size_t n = 1, length = b[0] < 0xC2 || b[0] > 0xF4 ? 1 : b[0] < 0xE0 ? 2 : b[0] < 0xF0 ? 3 : 4;
    int low = b[0] == 0xE0 ? 0xA0 : b[0] == 0xF0 ? 0x90 : 0x80;
    int high = b[0] == 0xED ? 0x9F : b[0] == 0xF4 ? 0x8F : 0xBF;
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
