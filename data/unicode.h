/* unicode.h: what a tokeniser needs to know of a character. Private to data/. */
#ifndef GRADUS_DATA_UNICODE_H
#define GRADUS_DATA_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The categories of Unicode, in the order of unicode_tables.c. */
typedef enum {
    CATEGORY_CN,
    CATEGORY_CC,
    CATEGORY_CF,
    CATEGORY_CO,
    CATEGORY_LL,
    CATEGORY_LM,
    CATEGORY_LO,
    CATEGORY_LT,
    CATEGORY_LU,
    CATEGORY_MC,
    CATEGORY_ME,
    CATEGORY_MN,
    CATEGORY_ND,
    CATEGORY_NL,
    CATEGORY_NO,
    CATEGORY_PC,
    CATEGORY_PD,
    CATEGORY_PE,
    CATEGORY_PF,
    CATEGORY_PI,
    CATEGORY_PO,
    CATEGORY_PS,
    CATEGORY_SC,
    CATEGORY_SK,
    CATEGORY_SM,
    CATEGORY_SO,
    CATEGORY_ZL,
    CATEGORY_ZP,
    CATEGORY_ZS,
    CATEGORIES
} Category;

/* The category, and bits; a character may have several. */
enum {
    UNICODE_CATEGORY = 31,
    UNICODE_SPACE = 32,       /* the property White_Space                                     */
    UNICODE_PUNCTUATION = 64, /* P*, and all of ASCII that is visible and no letter nor digit */
    UNICODE_MARK = 128,       /* Mn, nonspacing marks: accents                                */
    UNICODE_CONTROL = 256,    /* Cc, Cf, Co without tab, line feed, carriage return; U+FFFD   */
    UNICODE_ACCENT = 512      /* M*                                                           */
};
unsigned unicode_class(int32_t c);
/* Is it part of a word: Alphabetic, a mark, a digit or a connector? bits: its class. */
bool unicode_is_word(int32_t c, unsigned bits);

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
/* The character that these two are together (NFC); -1: none. */
int32_t unicode_compose(int32_t a, int32_t b);
/* The canonical combining class: marks of different classes may change places; 0 for letters. */
int unicode_order(int32_t c);

/* Is it in BERT's ranges of Chinese characters, each of which is a word? */
bool unicode_is_chinese(int32_t c);

/* The first character of count >= 1 bytes, and how many bytes it takes. Bytes that are no
 * well-formed UTF-8 are U+FFFD, one for each longest beginning of a character (Unicode 16.0, 3.9),
 * as Python's decode(errors="replace") does. */
size_t unicode_read(const unsigned char *bytes, size_t count, int32_t *c);

/* ---- unicode_tables.c ---- */

/* Rows in the order of their characters; each row has so many numbers. A number is written in
 * digits of 5 bits, the lowest first, as characters from '0' on; all but its last digit have a
 * sixth bit. A line begins with a character and the numbers of its row; each further row begins
 * with the distance from the character before. */
typedef struct {
    int lines, numbers;
    const char *const *line;
} UnicodeTable;
/* Where a run of characters begins, and its bits; categories 30 and 31: Lu and Ll in turn; breaks:
 * what differs from the category's usual bits. */
extern const UnicodeTable unicode_classes, unicode_breaks, unicode_orders;
/* Where a run begins; its last character less the first, the step between two of them, and twice
 * the distance of the lower case, plus 1 where that stands before. */
extern const UnicodeTable unicode_lowers;
/* Characters that are another one; those that are two: twice the first, plus 1 where the two never
 * become the character again, and the second. */
extern const UnicodeTable unicode_singles, unicode_pairs;

#endif
