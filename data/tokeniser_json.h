/* tokeniser_json.h: what the readers of a tokenizer.json share. Private to data/. */
#ifndef GRADUS_DATA_TOKENISER_JSON_H
#define GRADUS_DATA_TOKENISER_JSON_H

#include "data/tokeniser.h"

#include <string.h>

typedef struct {
    Tokeniser *t;
    const char *path;
    const JsonValue *root;
} TokeniserFile;

static inline bool json_is_type(const JsonValue *v, const char *type)
{
    const char *text = json_get_text(v, "type");
    return text && strcmp(text, type) == 0;
}

static inline bool json_is_true(const JsonValue *v, const char *key, bool otherwise)
{
    const JsonValue *m = json_get(v, key);
    return m && m->kind != JSON_NULL ? m->kind == JSON_TRUE : otherwise;
}

static inline bool json_is_absent(const JsonValue *v)
{
    return !v || v->kind == JSON_NULL;
}

static inline bool json_is_id(const JsonValue *v)
{
    return v && v->kind == JSON_NUMBER && v->number >= 0 && v->number < TOKEN_IDS_MAX &&
           v->number == (int32_t)v->number;
}

/* Is there at least half a token to each id? Else an error: memory is taken for all ids. */
bool tokeniser_without_gaps(const char *path, int32_t ids, int64_t tokens);
/* tokeniser_unigram.c: model.type Unigram, and the steps before it. */
bool unigram_model(TokeniserFile *f, const JsonValue *model, const JsonValue *added);
bool unigram_normalizer(TokeniserFile *f, const JsonValue *n);
bool unigram_pre_tokenizer(TokeniserFile *f, const JsonValue *p);
/* tokeniser_around.c: a post_processor. */
bool tokeniser_around(TokeniserFile *f, const JsonValue *p);

#endif
