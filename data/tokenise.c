/* tokenise.c: a line of text is split into words.
 *
 * A word is a run of letters and digits, with apostrophes and hyphens between them: "didn't" is one
 * word. Any other visible character is a word of its own; blanks and control characters only
 * separate words. */
#include "data/null.h"
#include "data/word_vocab.h"

#include <string.h>

/* Unlike ctype.h, independent of the locale. */
static bool is_letter(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c >= 0x80;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The bytes of an apostrophe at p: 1 for the plain one, 3 for U+2019, 0 for none. */
static size_t apostrophe(const char *p)
{
    return *p == '\'' ? 1 : strncmp(p, "\xE2\x80\x99", 3) == 0 ? 3 : 0;
}

/* The bytes of a hyphen or apostrophe at p that joins two letters; 0 where there is none. */
static size_t joint(const char *p)
{
    const size_t bytes = *p == '-' ? 1 : apostrophe(p);
    return bytes && is_letter((unsigned char)p[bytes]) && !apostrophe(p + bytes) ? bytes : 0;
}

/* Appends a letter to the word of *length bytes. */
static bool word_append(char word[DATA_WORD_BYTES], int *length, char c, const char *who)
{
    if (*length + 1 >= DATA_WORD_BYTES)
        return tensor_fail("%s: found a word that begins \"%.*s\"; expected fewer than %d bytes",
                           who, DATA_WORD_BYTES - 1, word, DATA_WORD_BYTES);
    word[(*length)++] = lower(c);
    word[*length] = 0;
    return true;
}

const char *words_next(const char *p, char word[DATA_WORD_BYTES], const char *who)
{
    int length = 0;
    *word = 0;
    while (*p && ((unsigned char)*p <= ' ' || *p == 127))
        p++;
    const size_t quote = apostrophe(p); /* before a word it is a quotation mark */
    if (*p && (quote || !is_letter((unsigned char)*p)))
        return word_append(word, &length, quote ? '\'' : *p, who) ? p + (quote ? quote : 1) : NULL;
    for (size_t joined = 0;; p += joined) {
        while (is_letter((unsigned char)*p) && !apostrophe(p))
            if (!word_append(word, &length, *p++, who))
                return NULL;
        joined = joint(p);
        if (!joined)
            return p;
        if (!word_append(word, &length, *p == '-' ? '-' : '\'', who))
            return NULL;
    }
}

bool data_tokenise(const char *text, Words *words)
{
    char word[DATA_WORD_BYTES];
    if (!text || !words)
        return null_fail("data_tokenise", "a text and words");
    words->count = 0;
    for (const char *p = text; (p = words_next(p, word, "data_tokenise")) && *word;) {
        if (words->count == DATA_WORDS_MAX)
            return tensor_fail(
                "data_tokenise: found more than %d words in \"%.40s...\"; expected at "
                "most as many",
                DATA_WORDS_MAX, text);
        strcpy(words->word[words->count++], word);
    }
    return !*word;
}
