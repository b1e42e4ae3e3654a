/* tokeniser_bytes.c: byte-level byte-pair encoding.
 * Radford et al., "Language models are unsupervised multitask
 *                                                    learners" (2019), section 2.2
 * The text is split into pieces, as a regular expression says; the bytes of each are merged. So
 * nothing is unknown, and the ids give the text back byte by byte. The expressions are spelt out
 * here, from the first alternative that matches:
 *
 *   GPT-2    's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 *   Llama 3  (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+
 *            |\s+(?!\S)|\s+
 *   Qwen 2   the same, with \p{N} in place of \p{N}{1,3} */
#include "data/tokeniser.h"
#include "tensor/io/utf8.h"

#include <string.h>

/* The 68 bytes that are not themselves, in this order: 0 to 32, 127 to 160, 173. */
int32_t byte_to_char(int byte)
{
    if ((byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173))
        return byte;
    return 256 + (byte <= 32 ? byte : byte <= 160 ? byte - 127 + 33 : 67);
}

int char_to_byte(int32_t c)
{
    if (c < 256)
        return c >= 0 && byte_to_char(c) == c ? c : -1;
    if (c > 256 + 67)
        return -1;
    return c <= 256 + 32 ? c - 256 : c <= 256 + 66 ? 127 + c - (256 + 33) : 173;
}

bool tokeniser_bytes_ready(Tokeniser *t, const char *path)
{
    for (int b = 0; b < 256; b++) {
        unsigned char text[UTF8_MAX_BYTES];
        size_t n = utf8_write(byte_to_char(b), text);
        t->byte_id[b] = token_table_find(&t->table, (char *)text, n);
        if (t->byte_id[b] < 0)
            return TOKENISER_FAIL(path,
                                  "no token '%.*s' for the byte %d; expected one for each byte",
                                  (int)n, (char *)text, b);
    }
    return true;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static unsigned kind_of(const Section *s, int64_t i)
{
    return i < s->count
               ? unicode_class(s->chars[i].code) & (UNICODE_SPACE | UNICODE_LETTER | UNICODE_NUMBER)
               : 0;
}

static int32_t code_of(const Section *s, int64_t i)
{
    return i < s->count ? s->chars[i].code : -1;
}

static bool is_break(int32_t c)
{
    return c == '\r' || c == '\n';
}

/* Neither white space, letter nor number. */
static bool is_other(const Section *s, int64_t i)
{
    return i < s->count && kind_of(s, i) == 0;
}

static int32_t folded(int32_t c, bool fold)
{
    return !fold ? c : c >= 'A' && c <= 'Z' ? c + 32 : c == 0x17F ? 's' : c;
}

/* The length of 's, 't, 're, 've, 'm, 'll or 'd at i; 0: none. */
static int64_t contraction(const Section *s, int64_t i, bool fold)
{
    static const char *const ends[] = {"s", "t", "re", "ve", "m", "ll", "d"};
    for (int k = 0; code_of(s, i) == '\'' && k < 7; k++) {
        int64_t n = 0;
        while (ends[k][n] && folded(code_of(s, i + 1 + n), fold) == ends[k][n])
            n++;
        if (!ends[k][n])
            return n + 1;
    }
    return 0;
}

/* The end of the run of this kind from i on, of at most `most`. */
static int64_t run(const Section *s, int64_t i, unsigned kind, int64_t most)
{
    int64_t from = i;
    while (i < s->count && i - from < most && (kind ? kind_of(s, i) == kind : is_other(s, i)))
        i++;
    return i;
}

/* The end of what \s+(?!\S)|\s+ matches at i: a run of white space without its last character where
 * another character follows the run, because that blank belongs to the next word. A run of one
 * character is matched whole. */
static int64_t spaces(const Section *s, int64_t i)
{
    int64_t end = run(s, i, UNICODE_SPACE, INT64_MAX);
    return end < s->count && end - i > 1 ? end - 1 : end;
}

static int64_t gpt2_piece(const Section *s, int64_t i)
{
    static const unsigned kinds[] = {UNICODE_LETTER, UNICODE_NUMBER, 0};
    int64_t n = contraction(s, i, false), from = i + (code_of(s, i) == ' ');
    if (n > 0)
        return i + n;
    for (int k = 0; k < 3; k++) {
        int64_t end = run(s, from, kinds[k], INT64_MAX);
        if (end > from)
            return end;
    }
    return spaces(s, i);
}

static int64_t llama_piece(const Section *s, int64_t i, int64_t digits)
{
    int64_t n = contraction(s, i, true), from = i, end;
    if (n > 0)
        return i + n;
    if (!(kind_of(s, i) & (UNICODE_LETTER | UNICODE_NUMBER)) && !is_break(code_of(s, i)))
        from = i + 1;
    if ((end = run(s, from, UNICODE_LETTER, INT64_MAX)) > from)
        return end;
    if ((end = run(s, i, UNICODE_NUMBER, digits)) > i)
        return end;
    from = i + (code_of(s, i) == ' ');
    if ((end = run(s, from, 0, INT64_MAX)) > from) {
        while (is_break(code_of(s, end)))
            end++;
        return end;
    }
    end =
        run(s, i, UNICODE_SPACE, INT64_MAX); /* \s*[\r\n]+: to the last break of the white space */
    while (end > i && !is_break(code_of(s, end - 1)))
        end--;
    return end > i ? end : spaces(s, i);
}

static int64_t piece_end(const Section *s, int64_t i)
{
    switch (s->t->split) {
    case SPLIT_GPT2:
        return gpt2_piece(s, i);
    case SPLIT_LLAMA3:
        return llama_piece(s, i, 3);
    case SPLIT_QWEN2:
        return llama_piece(s, i, 1);
    case SPLIT_NONE:
        break;
    }
    return s->count;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

/* The number of blanks at the beginning and at the end of a token. */
static int64_t blanks(const Tokeniser *t, int32_t id, bool at_end)
{
    static const char blank[] = "\xc4\xa0"; /* how byte 32 is written: U+0120 */
    const char *word = t->table.word[id];
    int64_t bytes = t->table.bytes[id], n = 0;
    while (2 * n + 2 <= bytes && memcmp(word + (at_end ? bytes - 2 * n - 2 : 2 * n), blank, 2) == 0)
        n++;
    return n;
}

/* Where character i of the section begins; for the character after the last, where the last
 * ends. */
static int64_t start_of(const Section *s, int64_t i)
{
    return i < s->count ? s->chars[i].begin : s->chars[s->count - 1].end;
}

/* Moves begin and end, a token's position in the text, past the blanks at its ends; the token has
 * the characters first..last. Where the tokeniser puts a blank before the text (trim_prefix_space),
 * a single leading blank of the first token stays inside, as in the tokenizers library. */
static void trim(const Section *s, int32_t id, int64_t first, int64_t last, int64_t *begin,
                 int64_t *end)
{
    int64_t leading = blanks(s->t, id, false), trailing = blanks(s->t, id, true);
    first += s->in_front && first == 0;
    last += s->in_front && last == 0;
    if (leading == 1 && s->t->trim_prefix_space && (s->out->count == 0 || *begin == 0))
        leading = 0;
    if (leading > 0)
        *begin = start_of(s, first + leading) < *end ? start_of(s, first + leading) : *end;
    if (trailing > 0)
        *end =
            start_of(s, last + 1 - trailing) > *begin ? start_of(s, last + 1 - trailing) : *begin;
}

/* The characters from..to-1: ids of their bytes, merged. work: ids, ends, and the character of each
 * byte. */
static bool piece(Section *s, int64_t from, int64_t to)
{
    const Tokeniser *t = s->t;
    int64_t capacity = 4 * (to - from), n = 0, at = 0, left;
    int32_t *ids = s->work, *end = ids + capacity, *owner = end + capacity;
    for (int64_t i = from; i < to; i++) {
        unsigned char utf8[UTF8_MAX_BYTES];
        size_t bytes = utf8_write(s->chars[i].code, utf8);
        for (size_t k = 0; k < bytes; k++, n++) {
            ids[n] = t->byte_id[utf8[k]];
            owner[n] = (int32_t)(i - from);
        }
    }
    if (t->whole_words) {
        size_t used = 0;
        for (int64_t k = 0; k < n; k++) {
            const char *word = t->table.word[ids[k]];
            for (int32_t b = 0; b < t->table.bytes[ids[k]]; b++)
                s->bytes[used++] = word[b];
        }
        int32_t whole = token_table_find(&t->table, s->bytes, used);
        if (whole >= 0) {
            ids[0] = whole;
            end[0] = (int32_t)n;
            n = 1;
        }
    }
    bool found = t->whole_words && n == 1;
    left = found ? 1 : token_merge_all(&t->merges, ids, end, n);
    for (int64_t k = 0; k < left; at = end[k++]) {
        int64_t first = from + owner[at], last = from + owner[end[k] - 1];
        int64_t begin = s->chars[first].begin, stop = s->chars[last].end;
        if (t->trim)
            trim(s, ids[k], first, last, &begin, &stop);
        if (!tokens_push(s->out, ids[k], s->type, begin, stop))
            return false;
    }
    return left > 0;
}

bool bytes_section(Section *s)
{
    if (s->t->prefix_space && s->count > 0 && s->chars[0].code != ' ') {
        s->chars--; /* the section's memory begins one character earlier */
        s->chars[0] = s->chars[1];
        s->chars[0].code = ' ';
        s->count++;
        s->in_front = true;
    }
    for (int64_t i = 0, end; i < s->count; i = end) {
        end = piece_end(s, i);
        if (!piece(s, i, end))
            return false;
    }
    return true;
}
