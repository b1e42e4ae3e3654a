/* tokenise.c: a line of text cut into words.
 *
 * A word is a run of letters and digits, with apostrophes and hyphens between them: "didn't" stays whole,
 * as the lecture's sentence is drawn. Any other visible character is a word of its own; blanks and control
 * characters only separate. */
#include "data/word_vocab.h"

#include <string.h>

/* ctype.h depends on the locale; this does not. */
static bool is_letter(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c >= 0x80;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Bytes of the apostrophe at p: 1 for the plain one, 3 for U+2019, 0 for none. */
static size_t apostrophe(const char *p)
{
    return *p == '\'' ? 1 : strncmp(p, "\xE2\x80\x99", 3) == 0 ? 3 : 0;
}

/* Bytes of what joins two letters at p, 0 where the word ends. */
static size_t joint(const char *p)
{
    const size_t bytes = *p == '-' ? 1 : apostrophe(p);
    return bytes && is_letter((unsigned char)p[bytes]) && !apostrophe(p + bytes) ? bytes : 0;
}

/* One more letter for the word that is being made. */
static bool word_append(Words *words, int *length, char c)
{
    char *word = words->word[words->count];
    if (*length + 1 >= DATA_WORD_BYTES)
        return tensor_fail(
            "data_tokenise: found a word that begins \"%.*s\"; expected less than %d bytes",
            DATA_WORD_BYTES - 1, word, DATA_WORD_BYTES);
    word[(*length)++] = lower(c);
    word[*length] = 0;
    return true;
}

/* The word at p, which is visible; its end, or NULL on an error. */
static const char *word_read(const char *p, Words *words)
{
    int length = 0;
    const size_t quote = apostrophe(p); /* here it joins nothing: a quotation mark */
    if (quote || !is_letter((unsigned char)*p))
        return word_append(words, &length, quote ? '\'' : *p) ? p + (quote ? quote : 1) : NULL;
    for (size_t joined = 0;; p += joined) {
        while (is_letter((unsigned char)*p) && !apostrophe(p))
            if (!word_append(words, &length, *p++))
                return NULL;
        joined = joint(p);
        if (!joined)
            return p;
        if (!word_append(words, &length, *p == '-' ? '-' : '\''))
            return NULL;
    }
}

static const char *skip_blanks(const char *p)
{
    while (*p && ((unsigned char)*p <= ' ' || *p == 127))
        p++;
    return p;
}

const char *words_next(const char *p, char word[DATA_WORD_BYTES])
{
    Words one;
    one.count = 0;
    one.word[0][0] = 0;
    p = skip_blanks(p);
    if (*p)
        p = word_read(p, &one);
    strcpy(word, one.word[0]);
    return p;
}

bool data_tokenise(const char *text, Words *words)
{
    words->count = 0;
    for (const char *p = skip_blanks(text); *p; p = skip_blanks(p)) {
        if (words->count == DATA_WORDS_MAX)
            return tensor_fail("data_tokenise: found more than %d words in \"%.40s...\"",
                               DATA_WORDS_MAX, text);
        p = word_read(p, words);
        if (!p)
            return false;
        words->count++;
    }
    return true;
}
