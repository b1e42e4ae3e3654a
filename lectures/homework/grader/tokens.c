/* tokens.c: a C text as a row of tokens, each bracket with the one that closes it. */
#include "tokens.h"

#include <ctype.h>
#include <string.h>

enum { DEEP = 100 }; /* brackets inside of each other */

bool token_is(const Tokens *t, int k, const char *words)
{
    for (size_t n; k >= 0 && k < t->count && *++words; words += n) {
        n = strcspn(words, " ");
        if (n == (size_t)t->at[k].length && memcmp(words, t->at[k].at, n) == 0)
            return true;
    }
    return false;
}

bool tokens_same(const Tokens *t, int j, int k)
{
    return t->at[j].length == t->at[k].length &&
           memcmp(t->at[j].at, t->at[k].at, (size_t)t->at[j].length) == 0;
}

bool token_is_name(const Tokens *t, int k)
{
    return k >= 0 && k < t->count && (isalpha((unsigned char)*t->at[k].at) || *t->at[k].at == '_');
}

/* Past blanks, comments, and lines of the preprocessor. */
static const char *past_blanks(const char *p)
{
    for (;;) {
        p += strspn(p, " \t\n\r\f\v");
        if (strncmp(p, "/*", 2) == 0)
            p = strstr(p + 2, "*/") ? strstr(p + 2, "*/") + 2 : p + strlen(p);
        else if (strncmp(p, "//", 2) == 0 || *p == '#')
            p += strcspn(p, "\n");
        else
            return p;
    }
}

static int token_length(const char *p)
{
    char pair[] = {' ', p[0], p[1], ' ', 0};
    size_t n = 1;
    if (*p == '"' || *p == '\'')
        while (p[n] && p[n++] != *p)
            n += p[n - 1] == '\\' && p[n];
    else if (isdigit((unsigned char)*p))
        do /* 1e-5 is one */
            n += strspn(p + n, "0123456789.abcdefxABCDEFXlLuU");
        while (strchr("eE", p[n - 1]) && strchr("+-", p[n]) && p[n] && n++);
    else if (isalpha((unsigned char)*p) || *p == '_')
        n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    else if (p[1] && strstr(" -> ++ -- <= >= == != && || += -= *= /= %= ", pair))
        n = 2;
    return (int)n;
}

bool tokens_read(Tokens *t, const char *text)
{
    int line = 1, open[DEEP], depth = 0;
    const char *seen = text;
    t->at = memory(strlen(text) + 1, sizeof *t->at);
    for (const char *p = past_blanks(text); *p; p = past_blanks(p)) {
        Token *one = &t->at[t->count];
        for (; seen < p; seen++)
            line += *seen == '\n';
        *one = (Token){.at = p, .length = token_length(p), .line = line, .match = -1};
        if (strchr("([{", *p) && depth < DEEP)
            open[depth++] = t->count;
        if (strchr(")]}", *p) && depth > 0) {
            one->match = open[--depth];
            t->at[one->match].match = t->count;
        }
        p += one->length;
        t->count++;
    }
    return depth == 0;
}

int token_find(const Tokens *t, int k, const char *words)
{
    while (k < t->count && !token_is(t, k, words))
        k = t->at[k].match > k ? t->at[k].match + 1 : k + 1;
    return k;
}
