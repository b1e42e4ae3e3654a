/* tokeniser_json.c: tokenizer.json, the tokenizers library's file: vocabulary, merges, and each
 * step by its type and settings (the post_processor: tokeniser_around.c). A step or a setting that
 * is not understood is an error: ids that are nearly right are worse than none. Its "truncation"
 * and "padding" are not read: the caller says how long. */
#include "data/tokeniser_json.h"
#include "tensor/memory.h"

#include <string.h>

/* ---- vocabulary and merges ------------------------------------------------------------------- */

/* Memory is taken for all ids up to the largest. Vocabularies have few gaps; a file of some bytes
 * must not take a hundred megabytes. */
bool tokeniser_ids(const char *path, const JsonValue *vocab, const JsonValue *added, int32_t *ids)
{
    enum { GAPS = 1 << 16 };
    int64_t tokens = vocab->count + (added ? (int64_t)added->count : 0);
    for (const JsonValue *m = added ? added->first : NULL; m; m = m->next) {
        const JsonValue *id = json_get(m, "id");
        if (json_is_id(id) && (int32_t)id->number >= *ids)
            *ids = (int32_t)id->number + 1;
    }
    return *ids <= 2 * tokens + GAPS ||
           TOKENISER_FAIL(path,
                          "the largest id is %d, and there are %lld tokens; expected at most %d",
                          *ids - 1, (long long)tokens, (int)(2 * tokens) + GAPS - 1);
}

bool tokeniser_vocab(Tokeniser *t, const char *path, const JsonValue *vocab, const JsonValue *added,
                     int32_t more)
{
    int32_t ids = 0;
    if (!vocab || vocab->kind != JSON_OBJECT)
        return TOKENISER_FAIL(path, "found %s; expected an object of tokens and ids",
                              vocab ? "a vocabulary of another form" : "no vocabulary");
    for (const JsonValue *m = vocab->first; m; m = m->next) {
        if (!json_is_id(m))
            return TOKENISER_FAIL(path,
                                  "the token '%s' has no id; expected a whole number below 2^22",
                                  m->key);
        ids = (int32_t)m->number >= ids ? (int32_t)m->number + 1 : ids;
    }
    if (!tokeniser_ids(path, vocab, added, &ids) ||
        !token_table_init(&t->table, &t->arena, ids + more))
        return false;
    t->table.ids = ids;
    for (const JsonValue *m = vocab->first; m; m = m->next) {
        const char *word = tokeniser_keep(t, m->key);
        if (!word)
            return false;
        if (!token_table_add(&t->table, word, strlen(word), (int32_t)m->number))
            return TOKENISER_FAIL(path,
                                  "the token '%s' or its id %d is there twice; expected each once",
                                  word, (int32_t)m->number);
    }
    return true;
}

/* One merge, "a b" or ["a", "b"]. */
bool tokeniser_merge(Tokeniser *t, const char *path, const char *left, size_t left_bytes,
                     const char *right, int32_t rank)
{
    char whole[1024];
    size_t right_bytes = strlen(right);
    if (left_bytes + right_bytes >= sizeof whole)
        return TOKENISER_FAIL(path, "merge %d has %zu bytes; expected at most %zu", rank + 1,
                              left_bytes + right_bytes, sizeof whole - 1);
    memcpy(whole, left, left_bytes);
    memcpy(whole + left_bytes, right, right_bytes);
    TokenMerge m = {.left = token_table_find(&t->table, left, left_bytes),
                    .right = token_table_find(&t->table, right, right_bytes),
                    .whole = token_table_find(&t->table, whole, left_bytes + right_bytes),
                    .rank = rank};
    if (m.left < 0 || m.right < 0 || m.whole < 0)
        return TOKENISER_FAIL(path,
                              "merge %d joins '%.*s' and '%s'; expected '%.*s' in the vocabulary",
                              rank + 1, (int)left_bytes, left, right,
                              m.left < 0    ? (int)left_bytes
                              : m.right < 0 ? (int)right_bytes
                                            : (int)(left_bytes + right_bytes),
                              m.left < 0    ? left
                              : m.right < 0 ? right
                                            : whole);
    token_merges_add(&t->merges, m);
    return true;
}

static bool merges(TokeniserFile *f, const JsonValue *list)
{
    int32_t rank = 0;
    if (!list || list->kind != JSON_LIST)
        return TOKENISER_FAIL(f->path, "model.merges is %s; expected a list",
                              list ? "of another form" : "missing");
    if (!token_merges_init(&f->t->merges, &f->t->arena, list->count))
        return false;
    for (const JsonValue *m = list->first; m; m = m->next, rank++) {
        const char *left = m->kind == JSON_STRING ? m->text : NULL,
                   *right = left ? strchr(left, ' ') : NULL;
        size_t bytes = right ? (size_t)(right - left) : 0;
        if (right)
            right++;
        if (m->kind == JSON_LIST && m->count == 2 && m->first->text && m->first->next->text) {
            left = m->first->text;
            bytes = strlen(left);
            right = m->first->next->text;
        }
        if (!right)
            return TOKENISER_FAIL(f->path,
                                  "merge %d is not two tokens; expected two with a blank between "
                                  "them, or a list of two",
                                  rank + 1);
        if (!tokeniser_merge(f->t, f->path, left, bytes, right, rank))
            return false;
    }
    return true;
}

static bool bpe_model(TokeniserFile *f, const JsonValue *m)
{
    Tokeniser *t = f->t;
    const char *prefix = json_get_text(m, "continuing_subword_prefix"),
               *suffix = json_get_text(m, "end_of_word_suffix"),
               *unknown = json_get_text(m, "unk_token");
    const JsonValue *dropout = json_get(m, "dropout");
    bool drops =
        !json_is_absent(dropout) && !(dropout->kind == JSON_NUMBER && dropout->number == 0);
    if ((prefix && *prefix) || (suffix && *suffix) || drops)
        return TOKENISER_FAIL(f->path, "model has %s; expected BPE without it",
                              prefix && *prefix   ? "a continuing_subword_prefix"
                              : suffix && *suffix ? "an end_of_word_suffix"
                                                  : "dropout");
    t->kind = TOKENISER_BPE;
    t->whole_words = json_is_true(m, "ignore_merges", false);
    t->byte_fallback = json_is_true(m, "byte_fallback", false);
    t->fuse_unknown = json_is_true(m, "fuse_unk", false);
    t->unknown = unknown ? token_table_find(&t->table, unknown, strlen(unknown)) : -1;
    if (unknown && t->unknown < 0)
        t->unknown = UNKNOWN_ABSENT;
    return merges(f, json_get(m, "merges"));
}

static bool wordpiece_model(TokeniserFile *f, const JsonValue *m)
{
    Tokeniser *t = f->t;
    const char *unknown = json_get_text(m, "unk_token"),
               *prefix = json_get_text(m, "continuing_subword_prefix");
    const JsonValue *most = json_get(m, "max_input_chars_per_word");
    t->kind = TOKENISER_WORDPIECE;
    t->unknown = unknown ? token_table_find(&t->table, unknown, strlen(unknown)) : -1;
    t->longest_word = most && json_is_id(most) ? (int64_t)most->number : 100;
    if (!json_is_absent(most) && !json_is_id(most))
        return TOKENISER_FAIL(
            f->path,
            "model.max_input_chars_per_word is %g; expected a whole number from 0 to 4194303",
            most->number);
    if (t->unknown < 0)
        return TOKENISER_FAIL(
            f->path, "model.unk_token '%s' is not in the vocabulary; expected one of its tokens",
            unknown ? unknown : "null");
    if (prefix && strlen(prefix) >= sizeof t->prefix)
        return TOKENISER_FAIL(f->path,
                              "model.continuing_subword_prefix is '%s'; expected at most %zu bytes",
                              prefix, sizeof t->prefix - 1);
    snprintf(t->prefix, sizeof t->prefix, "%s", prefix ? prefix : "##");
    return true;
}

static bool model(TokeniserFile *f)
{
    const JsonValue *m = json_get(f->root, "model"), *added = json_get(f->root, "added_tokens");
    const char *type = json_get_text(m, "type");
    if (!type && json_get(m, "merges")) /* files of older versions do not say it */
        type = "BPE";
    if (type && strcmp(type, "Unigram") == 0)
        return unigram_model(f, m, added);
    if (!type || (strcmp(type, "WordPiece") != 0 && strcmp(type, "BPE") != 0))
        return TOKENISER_FAIL(f->path, "model.type is '%s'; expected WordPiece, BPE or Unigram",
                              type ? type : "missing");
    return tokeniser_vocab(f->t, f->path, json_get(m, "vocab"), added, 0) &&
           (strcmp(type, "BPE") == 0 ? bpe_model(f, m) : wordpiece_model(f, m));
}

/* ---- added tokens and the whole file --------------------------------------------------------- */

/* The token gets its id, unless the vocabulary gives it that id already. */
static bool added_token_id(Tokeniser *t, const char *path, const char *text, int32_t id)
{
    TokenTable *table = &t->table;
    int32_t known = token_table_find(table, text, strlen(text));
    size_t ids = (size_t)table->slots;
    if (known == id)
        return true;
    if (known >= 0)
        return TOKENISER_FAIL(
            path, "the added token '%s' has the id %d, and %d in the vocabulary; expected one id",
            text, id, known);
    if (!t->only_added) {
        t->only_added = arena_alloc(&t->arena, ids * sizeof *t->only_added);
        if (!t->only_added)
            return false;
        memset(t->only_added, 0, ids * sizeof *t->only_added);
    }
    if (!token_table_add(table, text, strlen(text), id))
        return TOKENISER_FAIL(
            path, "the added token '%s' has the id %d of '%s'; expected an id of its own", text, id,
            id < table->ids ? table->word[id] : "");
    return t->only_added[id] = true;
}

bool tokeniser_added(Tokeniser *t, const char *path, const JsonValue *m, const char *text,
                     int32_t id, bool normalized)
{
    AddedToken a = {.text = tokeniser_keep(t, text),
                    .id = id,
                    .special = json_is_true(m, "special", false),
                    .takes_left = json_is_true(m, "lstrip", false),
                    .takes_right = json_is_true(m, "rstrip", false),
                    .single = json_is_true(m, "single_word", false),
                    .normalized = json_is_true(m, "normalized", normalized)};
    return a.text && added_token_id(t, path, a.text, id) && tokeniser_add(t, a);
}

static bool added_tokens(TokeniserFile *f)
{
    const JsonValue *list = json_get(f->root, "added_tokens");
    for (const JsonValue *m = list ? list->first : NULL; m; m = m->next) {
        const char *text = json_get_text(m, "content");
        if (!text || !*text)
            return TOKENISER_FAIL(f->path, "%s",
                                  "an added token has no content; expected content and id of each");
        if (!json_is_id(json_get(m, "id")))
            return TOKENISER_FAIL(f->path,
                                  "the added token '%s' has no id; expected content and id of each",
                                  text);
        if (!tokeniser_added(f->t, f->path, m, text, (int32_t)json_get(m, "id")->number, false))
            return false;
    }
    return true;
}

bool tokeniser_json(Tokeniser *t, const char *path)
{
    JsonTree tree;
    TokeniserFile f = {.t = t, .path = path};
    bool ok = json_tree_read(&tree, TOKENISER_WHO, path);
    f.root = tree.root;
    ok = ok && model(&f) && tokeniser_normalizer(&f, json_get(f.root, "normalizer")) &&
         tokeniser_pre_tokenizer(&f, json_get(f.root, "pre_tokenizer")) && added_tokens(&f) &&
         tokeniser_around(&f, json_get(f.root, "post_processor")) &&
         tokeniser_decoder(&f, json_get(f.root, "decoder"));
    json_tree_free(&tree);
    return ok && tokeniser_ready(t, path);
}
