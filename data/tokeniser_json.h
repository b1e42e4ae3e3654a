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

/* The members of a list (NULL: none), one after another, until one is wrong. */
static inline bool tokeniser_each(TokeniserFile *f, const JsonValue *list,
                                  bool (*read)(TokeniserFile *, const JsonValue *))
{
    for (const JsonValue *m = list ? list->first : NULL; m; m = m->next)
        if (!read(f, m))
            return false;
    return true;
}

/* *ids becomes larger than the ids of the added tokens (NULL: none). Is there at least half a token
 * to each? Else an error: memory is taken for all ids. */
bool tokeniser_ids(const char *path, const JsonValue *vocab, const JsonValue *added, int32_t *ids);
static inline const char *tokeniser_keep(Tokeniser *t, const char *text)
{
    return arena_copy(&t->arena, text, strlen(text) + 1);
}
/* tokeniser_json.c: an added token with the settings of m, which may be NULL. */
bool tokeniser_added(Tokeniser *t, const char *path, const JsonValue *m, const char *text,
                     int32_t id, bool normalized);
/* tokeniser_unigram.c: model.type Unigram; the Precompiled step of a normalizer. */
bool unigram_model(TokeniserFile *f, const JsonValue *model, const JsonValue *added);
bool unigram_map(TokeniserFile *f, const JsonValue *step);
/* tokeniser_steps.c: one more step; NULL, with an error, where there are too many. */
Step *tokeniser_step(Tokeniser *t, const char *path, StepKind kind);
bool tokeniser_split(Tokeniser *t, const char *path, const char *expression, PatternKind kind,
                     int behavior);
bool tokeniser_metaspace(Tokeniser *t, const char *path, int front, bool cut);
bool tokeniser_byte_level(Tokeniser *t, const char *path, bool front, bool cut);
bool tokeniser_bert_split(Tokeniser *t, const char *path);
/* normalizer, pre_tokenizer and decoder. */
bool tokeniser_normalizer(TokeniserFile *f, const JsonValue *n);
bool tokeniser_pre_tokenizer(TokeniserFile *f, const JsonValue *p);
bool tokeniser_decoder(TokeniserFile *f, const JsonValue *d);
/* tokeniser_around.c: a post_processor. */
bool tokeniser_around(TokeniserFile *f, const JsonValue *p);

#endif
