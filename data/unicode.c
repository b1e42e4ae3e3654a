/* unicode.c: looking characters up in the tables of unicode_tables.c, which are sorted. */
#include "data/unicode.h"
#include "tensor/io/utf8.h"

/* The number of so many digits. */
static int32_t number_of(const char *digits, int count)
{
    int32_t n = 0;
    while (count-- > 0)
        n = n << 6 | (digits[count] - '0');
    return n;
}

/* Row i, of so many digits. */
static const char *row_at(UnicodeTable t, int digits, int i)
{
    enum { LINE = 120 };
    return t.line[i * digits / LINE] + i * digits % LINE;
}

/* The last row, of so many digits, the first `key` of which are a character that is not after c;
 * NULL: none. */
static const char *last_row(UnicodeTable t, int digits, int key, int32_t c)
{
    int low = 0, high = t.rows;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (number_of(row_at(t, digits, middle), key) <= c)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? row_at(t, digits, low - 1) : NULL;
}

/* The bits of the run that c is in. */
static unsigned bits_of(UnicodeTable runs, const unsigned short *bits, int32_t c)
{
    const char *row = last_row(runs, 5, 4, c);
    return row ? bits[row[4] - '0'] : 0;
}

unsigned unicode_class(int32_t c)
{
    enum { IN_TURN = 30 };
    unsigned bits = bits_of(unicode_classes, unicode_classes_bits, c);
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
    return bits_of(unicode_breaks, unicode_breaks_bits, c) ^
           usual[unicode_class(c) & UNICODE_CATEGORY];
}

int unicode_order(int32_t c)
{
    return (int)bits_of(unicode_orders, unicode_orders_bits, c);
}

int32_t unicode_lower(int32_t c)
{
    const char *row = last_row(unicode_lowers, 12, 4, c);
    bool in =
        row && c <= number_of(row + 4, 4) && (c - number_of(row, 4)) % number_of(row + 8, 1) == 0;
    return in ? c + number_of(row + 9, 3) - (1 << 17) : c;
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

/* What one of the compatibility ideographs is; 0: another character. */
static int32_t han_of(int32_t c)
{
    enum { FIRST = 0xF900, FIRST_END = 0xFADA, SECOND = 0x2F800, SECOND_END = 0x2FA1E };
    int at = c >= FIRST && c < FIRST_END     ? c - FIRST
             : c >= SECOND && c < SECOND_END ? c - SECOND + FIRST_END - FIRST
                                             : -1;
    return at < 0 ? 0 : number_of(row_at(unicode_han, 3, at), 3);
}

/* The first part may have parts in turn; the second never has. */
int unicode_decompose(int32_t c, int32_t parts[UNICODE_PARTS])
{
    int32_t second[UNICODE_PARTS];
    int n = 0;
    if (c >= SYLLABLE && c < SYLLABLE + 11172)
        return decompose_hangul(c - SYLLABLE, parts);
    while (n < UNICODE_PARTS - 1) {
        const char *row = last_row(unicode_parts, 10, 3, c);
        bool has = row && number_of(row, 3) == c;
        if (!has && !han_of(c))
            break;
        if (has && number_of(row + 6, 3))
            second[n++] = number_of(row + 6, 3);
        c = has ? number_of(row + 3, 3) : han_of(c);
    }
    parts[0] = c;
    for (int k = 0; k < n; k++)
        parts[k + 1] = second[n - 1 - k];
    return n + 1;
}

int32_t unicode_compose(int32_t a, int32_t b)
{
    if (a >= LEADING && a < LEADING + 19 && b >= VOWEL && b < VOWEL + 21)
        return SYLLABLE + ((a - LEADING) * 21 + b - VOWEL) * 28;
    if (a >= SYLLABLE && a < SYLLABLE + 11172 && (a - SYLLABLE) % 28 == 0 && b > TRAILING &&
        b < TRAILING + 28)
        return a + b - TRAILING;
    unsigned kind = unicode_class(b) & UNICODE_CATEGORY;
    if (kind != CATEGORY_MN && kind != CATEGORY_MC) /* the second of two is a mark */
        return -1;
    for (int i = 0; i < unicode_parts.rows; i++) {
        const char *row = row_at(unicode_parts, 10, i);
        if (number_of(row + 6, 3) == b && number_of(row + 3, 3) == a && row[9] == '0')
            return number_of(row, 3);
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
