/* tokeniser_clusters.c: where a grapheme cluster, what a reader takes for one character, ends.
 *                   Unicode 16.0, annex 29, rules GB3 to GB11
 * A pair of regional indicators (GB12) counts as two clusters: the tokenizers library, for which
 * this is, asks only for clusters of fewer than 6 bytes, and an indicator alone has 4. */
#include "data/tokeniser.h"

enum { JOINER = 0x200D, NON_JOINER = 0x200C };
typedef enum { NO_HANGUL, LEADING, VOWEL, TRAILING, OPEN, CLOSED } Hangul;

/* OPEN is a syllable without a trailing consonant. */
static Hangul hangul(int32_t c)
{
    if (c >= 0xAC00 && c < 0xD7A4)
        return (c - 0xAC00) % 28 ? CLOSED : OPEN;
    return (c >= 0x1100 && c < 0x1160) || (c >= 0xA960 && c < 0xA97D)   ? LEADING
           : (c >= 0x1160 && c < 0x11A8) || (c >= 0xD7B0 && c < 0xD7C7) ? VOWEL
           : (c >= 0x11A8 && c < 0x1200) || (c >= 0xD7CB && c < 0xD7FC) ? TRAILING
                                                                        : NO_HANGUL;
}

static bool one_syllable(Hangul a, Hangul b)
{
    return (a == LEADING && b != NO_HANGUL && b != TRAILING) ||
           ((a == VOWEL || a == OPEN) && (b == VOWEL || b == TRAILING)) ||
           ((a == TRAILING || a == CLOSED) && b == TRAILING);
}

/* Of what has been read: the last character, and what a later one may continue. */
typedef struct {
    int32_t code;
    unsigned bits;
    enum { NONE, BEGUN, LINKED } picture, consonant; /* LINKED: with its joiner, its linker */
} Cluster;

static void read_char(Cluster *k, int32_t code, unsigned bits)
{
    bool extend = bits & BREAK_EXTEND;
    k->picture = bits & BREAK_PICTURE             ? BEGUN
                 : !extend || k->picture != BEGUN ? NONE
                 : code == JOINER                 ? LINKED
                                                  : BEGUN;
    k->consonant = bits & BREAK_CONSONANT                ? BEGUN
                   : !k->consonant || code == NON_JOINER ? NONE
                   : bits & BREAK_LINKER                 ? LINKED
                   : extend                              ? k->consonant
                                                         : NONE;
    k->code = code;
    k->bits = bits;
}

static bool continues(const Cluster *k, int32_t code, unsigned bits)
{
    if ((k->bits | bits) & BREAK_CONTROL)
        return k->code == '\r' && code == '\n';
    return bits & (BREAK_EXTEND | BREAK_SPACING) || k->bits & BREAK_PREPEND ||
           (k->picture == LINKED && bits & BREAK_PICTURE) ||
           (k->consonant == LINKED && bits & BREAK_CONSONANT) ||
           one_syllable(hangul(k->code), hangul(code));
}

int64_t cluster_chars(const TextChar *chars, int64_t n)
{
    Cluster k = {0};
    for (int64_t i = 0; i < n; i++) {
        unsigned bits = unicode_break(chars[i].code);
        if (i > 0 && !continues(&k, chars[i].code, bits))
            return i;
        read_char(&k, chars[i].code, bits);
    }
    return n;
}
