/* tokens.h: a text as tokens, which are characters or byte pairs. */
#ifndef GPT_TOKENS_H
#define GPT_TOKENS_H

#include "gradus.h"

typedef struct {
    /* the ids, and how many of them are for training; the characters, unless byte pairs */
    Text text;
    Bpe bpe;          /* of byte pairs; merges 0: the tokens are characters       */
    int words;        /* V                                                        */
    double per_token; /* characters (of byte pairs: bytes) a token, in validation */
    double entropy;   /* of the text, in nats a character; NaN if unknown         */
    int32_t *own;     /* the characters of a file of weights, or NULL             */
} TokenisedText;

/* Reads the file at path or, if it is NULL, generates fables. T: the context length. merges 0:
 * characters. */
bool tokens_from_text(TokenisedText *t, const char *path, int merges, int T);

/* Reads only a vocabulary, as tokens_list wrote it; NULL is an error. */
bool tokens_from_list(TokenisedText *t, const char *list);
void tokens_free(TokenisedText *t);

/* The characters as hexadecimal numbers, such as "a 20 2c ", or "pairs " and left, right and count
 * of each merge, for a file of weights. The caller frees it. NULL is an error. */
char *tokens_list(const TokenisedText *t);

/* Encodes a text: writes the first `capacity` ids and returns their number, or -1 with an error. */
int64_t tokens_encode(const TokenisedText *t, const char *text, int32_t *ids, int64_t capacity);

/* Decodes ids to text with a terminating 0; returns the length as snprintf does. */
size_t tokens_decode(const TokenisedText *t, const int32_t *ids, int64_t count, char *text,
                     size_t size);

/* The label of a token in a picture. */
enum { TOKEN_LABEL = 32 };
const char *tokens_label(const TokenisedText *t, int id, char label[TOKEN_LABEL]);

#endif
