/* tokens.h: a C text as a row of tokens (tokens.c). */
#ifndef GRADER_TOKENS_H
#define GRADER_TOKENS_H

#include "text.h"

typedef struct {
    const char *at;
    int length, line, match; /* match: the other bracket, or -1        */
    bool header;             /* between the brackets of for, while, if */
    Text before, after;      /* what is put around it                  */
} Token;

typedef struct {
    Token *at;
    int count;
} Tokens;

/* False where brackets do not match. `text` must outlive the tokens; at is freed by the caller. */
bool tokens_read(Tokens *t, const char *text);

/* Is token k one of these words, which stand between blanks? */
bool token_is(const Tokens *t, int k, const char *words);
bool token_is_name(const Tokens *t, int k);
bool tokens_same(const Tokens *t, int j, int k);
/* The first of these words at k or behind it, past what is in brackets. */
int token_find(const Tokens *t, int k, const char *words);

#endif
