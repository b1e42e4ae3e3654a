/* tokens.h: a text as tokens: its characters, or byte pairs. */
#ifndef GPT_TOKENS_H
#define GPT_TOKENS_H

#include "gradus.h"

typedef struct {
    Text
        text; /* the ids, and how many of them are for training; the characters, unless byte pairs */
    Bpe bpe;  /* of byte pairs; merges 0: the tokens are characters       */
    int words;        /* V                                                        */
    double per_token; /* characters (of byte pairs: bytes) a token, in validation */
    double entropy;   /* of the text, nats a character; NaN where nobody knows it */
    int32_t *own;     /* what a weight file said of the characters, or NULL       */
} Tokens;

/* The file at path, or, for NULL, fables. T: the model's context. merges 0: characters. */
bool tokens_from_text(Tokens *t, const char *path, int merges, int T);

/* Only the vocabulary, without a text: the characters as list_characters wrote them, or the merges of a file. */
bool tokens_from_list(Tokens *t, const char *list);
bool tokens_from_merges(Tokens *t, const char *path);
void tokens_free(Tokens *t);

/* The characters as numbers, "a 20 2c ", for a weight file; NULL for byte pairs. Free with free. */
char *tokens_list(const Tokens *t);

/* Text to ids: how many there are, of which the first `capacity` are written; -1, with an error. */
int64_t tokens_encode(const Tokens *t, const char *text, int32_t *ids, int64_t capacity);

/* Ids to text, closed by a 0, as snprintf counts. */
size_t tokens_decode(const Tokens *t, const int32_t *ids, int64_t count, char *text, size_t size);

/* One token as a picture shows it. */
enum { TOKEN_LABEL = 32 };
const char *tokens_label(const Tokens *t, int id, char label[TOKEN_LABEL]);

#endif
