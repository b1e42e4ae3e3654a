/* unicode.h: what a tokeniser needs to know of a character. Private to data/. */
#ifndef GRADUS_DATA_UNICODE_H
#define GRADUS_DATA_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits; a character may have several. */
enum {
    UNICODE_SPACE = 1,       /* the property White_Space                                          */
    UNICODE_LETTER = 2,      /* categories L*                                                     */
    UNICODE_NUMBER = 4,      /* N*                                                                */
    UNICODE_PUNCTUATION = 8, /* P*, and all of ASCII that is visible and neither letter nor digit */
    UNICODE_MARK = 16,       /* Mn, nonspacing marks: accents                                     */
    UNICODE_CONTROL = 32     /* Cc, Cf, Co without tab, line feed, carriage return; U+FFFD        */
};
unsigned unicode_class(int32_t c);

/* Bits; what decides where a grapheme cluster ends (Unicode 16.0, annex 29). Hangul and regional
 * indicators are not among them. */
enum {
    BREAK_EXTEND = 1,
    BREAK_SPACING = 2,
    BREAK_PREPEND = 4,
    BREAK_CONTROL = 8,
    BREAK_PICTURE = 16,   /* Extended_Pictographic           */
    BREAK_CONSONANT = 32, /* Indic_Conjunct_Break            */
    BREAK_LINKER = 64
};
unsigned unicode_break(int32_t c);

/* The lower case of a character, without regard to its neighbours in a word. U+0130 is returned as
 * it is, because its lower case consists of two characters. */
int32_t unicode_lower(int32_t c);

enum { UNICODE_PARTS = 4 };
/* Writes the canonical decomposition (NFD) of a character and returns its number of characters, 1
 * for the character itself. */
int unicode_decompose(int32_t c, int32_t parts[UNICODE_PARTS]);

/* Is it in BERT's ranges of Chinese characters, each of which is a word? */
bool unicode_is_chinese(int32_t c);

/* The first character of count >= 1 bytes, and how many bytes it takes. Bytes that are no
 * well-formed UTF-8 are U+FFFD, one for each longest beginning of a character (Unicode 16.0, 3.9),
 * as Python's decode(errors="replace") does. */
size_t unicode_read(const unsigned char *bytes, size_t count, int32_t *c);

/* ---- unicode_tables.c ---- */

typedef struct {
    int32_t first, last;
    unsigned char bits;
} UnicodeRun;
typedef struct {
    int32_t first, last, step, distance;
} UnicodeLower;
typedef struct {
    int32_t whole, part[UNICODE_PARTS];
} UnicodeParts;
extern const UnicodeRun unicode_runs[], unicode_breaks[];
extern const UnicodeLower unicode_lowers[];
extern const UnicodeParts unicode_parts[];
extern const int unicode_runs_count, unicode_breaks_count, unicode_lowers_count,
    unicode_parts_count;

#endif
