/* tokeniser_wordpiece.c: BERT's tokenisation: characters are normalised, the text is split into
 * words, and each word into the longest pieces that the vocabulary has.
 *    Devlin et al., "BERT" (2019); Wu et al., "Google's neural machine translation system" (2016), section 4.1
 *
 *   clean    control characters are removed, white space becomes a blank
 *   chinese  each Chinese character is a word
 *   strip    accents are removed: decomposition, without nonspacing marks
 *   lower    lower case, character by character
 *   words    at white space; each mark of punctuation is one
 *   pieces   from the left, each time the longest that the vocabulary has; "##" before all but the first. A word that
 *            has no such pieces, or is too long, is [UNK] as a whole */
#include "data/tokeniser.h"
#include "tensor/io/utf8.h"

#include <string.h>

/* Writes a character's normal form, of any number of characters, to `to`; returns the number. */
static int normalise(const Tokeniser *t, TextChar c, TextChar *to)
{
    int32_t parts[UNICODE_PARTS] = {c.code};
    int count = t->strip ? unicode_decompose(c.code, parts) : 1, n = 0;
    for (int i = 0; i < count; i++) {
        if (t->strip && unicode_class(parts[i]) & UNICODE_MARK)
            continue;
        c.code = t->lower ? unicode_lower(parts[i]) : parts[i];
        if (t->lower && c.code == 0x130) { /* the only character whose lower case has two */
            c.code = 'i';
            to[n++] = c;
            c.code = 0x307;
        }
        to[n++] = c;
    }
    return n;
}

static void normalise_all(Section *s, TextChar *to)
{
    const Tokeniser *t = s->t;
    int64_t n = 0;
    for (int64_t i = 0; i < s->count; i++) {
        TextChar c = s->chars[i], blank = c;
        unsigned bits = unicode_class(c.code);
        blank.code = ' ';
        if (t->clean && bits & UNICODE_CONTROL)
            continue;
        if (t->clean && bits & UNICODE_SPACE)
            c.code = ' ';
        bool apart = t->chinese && unicode_is_chinese(c.code);
        if (apart)
            to[n++] = blank;
        n += normalise(t, c, to + n);
        if (apart)
            to[n++] = blank;
    }
    s->chars = to;
    s->count = n;
}

/* The longest piece that begins at character i of the word; its end, or i where there is none. at:
 * where in the word's bytes each character begins, after as many bytes as the prefix may have. */
static int64_t longest_piece(const Section *s, const int32_t *at, int64_t i, int64_t count,
                             int32_t *id)
{
    size_t prefix = i > 0 ? strlen(s->t->prefix) : 0;
    char *begin = s->bytes + at[i] - prefix, kept[sizeof s->t->prefix];
    int64_t end = count;
    memcpy(kept, begin, prefix);
    memcpy(begin, s->t->prefix, prefix);
    for (*id = -1; end > i; end--) {
        *id = token_table_find(&s->t->table, begin, (size_t)(at[end] - at[i]) + prefix);
        if (*id >= 0)
            break;
    }
    memcpy(begin, kept, prefix);
    return end;
}

static bool word(Section *s, int64_t from, int64_t to)
{
    const TextChar *c = s->chars + from;
    int64_t count = to - from, begin = c[0].begin, end = c[count - 1].end;
    int32_t *at = s->work, id, before = s->out->count;
    if (count > s->t->longest_word)
        return tokens_push(s->out, s->t->unknown, s->type, begin, end);
    at[0] = (int32_t)sizeof s->t->prefix;
    for (int64_t i = 0; i < count; i++)
        at[i + 1] = at[i] + (int32_t)utf8_write(c[i].code, (unsigned char *)s->bytes + at[i]);
    for (int64_t i = 0, next; i < count; i = next) {
        next = longest_piece(s, at, i, count, &id);
        if (id < 0) {
            s->out->count = before;
            return tokens_push(s->out, s->t->unknown, s->type, begin, end);
        }
        if (!tokens_push(s->out, id, s->type, c[i].begin, c[next - 1].end))
            return false;
    }
    return true;
}

bool wordpiece_section(Section *s)
{
    normalise_all(s,
                  s->chars +
                      s->count); /* 4 for each byte suffice for all that a character can become */
    for (int64_t i = 0, from = 0; i <= s->count; i++) {
        unsigned bits = i < s->count ? unicode_class(s->chars[i].code) : UNICODE_SPACE;
        if (!(bits & (UNICODE_SPACE | UNICODE_PUNCTUATION)))
            continue;
        if ((i > from && !word(s, from, i)) || (bits & UNICODE_PUNCTUATION && !word(s, i, i + 1)))
            return false;
        from = i + 1;
    }
    return true;
}
