/* tokeniser_json.c: tokenizer.json, the tokenizers library's file: vocabulary, merges, and each step by its type and
 * settings. A step or a setting that is not understood is an error: ids that are nearly right are worse than none.
 * Its "truncation" and "padding" are not read: the caller says how long. */
#include "data/tokeniser.h"
#include "tensor/memory.h"

#include <string.h>

typedef struct {
    Tokeniser *t;
    const char *path;
    const JsonValue *root;
} File;

static bool is_type(const JsonValue *v, const char *type)
{
    const char *text = json_get_text(v, "type");
    return text && strcmp(text, type) == 0;
}

static bool is_true(const JsonValue *v, const char *key, bool otherwise)
{
    const JsonValue *m = json_get(v, key);
    return m && m->kind != JSON_NULL ? m->kind == JSON_TRUE : otherwise;
}

static bool is_absent(const JsonValue *v)
{
    return !v || v->kind == JSON_NULL;
}

/* The string's copy in the tokeniser's arena. */
static const char *keep(Tokeniser *t, const char *text)
{
    return arena_copy(&t->arena, text, strlen(text) + 1);
}

/* ---- vocabulary and merges ------------------------------------------------------------------------------------ */

static bool is_id(const JsonValue *v)
{
    return v && v->kind == JSON_NUMBER && v->number >= 0 && v->number < 1 << 22 &&
           v->number == (int32_t)v->number;
}

/* Memory is taken for all ids up to the largest. Vocabularies have few gaps; a file of some bytes must not take a hundred
 * megabytes. */
static bool without_gaps(const char *path, int32_t ids, int64_t tokens)
{
    enum { GAPS = 1 << 16 };
    return ids <= 2 * tokens + GAPS ||
           TOKENISER_FAIL(path,
                          "the largest id is %d, and there are %lld tokens; expected at most %d",
                          ids - 1, (long long)tokens, (int)(2 * tokens) + GAPS - 1);
}

bool tokeniser_vocab(Tokeniser *t, const char *path, const JsonValue *vocab, const JsonValue *added)
{
    int32_t ids = 0;
    if (!vocab || vocab->kind != JSON_OBJECT)
        return TOKENISER_FAIL(path, "found %s; expected an object of tokens and ids",
                              vocab ? "a vocabulary of another form" : "no vocabulary");
    for (const JsonValue *m = vocab->first; m; m = m->next) {
        if (!is_id(m))
            return TOKENISER_FAIL(path,
                                  "the token '%s' has no id; expected a whole number below 2^22",
                                  m->key);
        ids = (int32_t)m->number >= ids ? (int32_t)m->number + 1 : ids;
    }
    for (const JsonValue *m = added ? added->first : NULL; m; m = m->next)
        if (is_id(json_get(m, "id")) && (int32_t)json_get(m, "id")->number >= ids)
            ids = (int32_t)json_get(m, "id")->number + 1;
    int64_t tokens = vocab->count + (added ? (int64_t)added->count : 0);
    if (!without_gaps(path, ids, tokens) || !token_table_init(&t->table, &t->arena, ids))
        return false;
    for (const JsonValue *m = vocab->first; m; m = m->next) {
        const char *word = keep(t, m->key);
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
        return TOKENISER_FAIL(path, "merge %d joins '%.*s' and '%s'; the vocabulary has no '%.*s'",
                              rank + 1, (int)left_bytes, left, right,
                              m.left < 0    ? (int)left_bytes
                              : m.right < 0 ? (int)right_bytes
                                            : (int)(left_bytes + right_bytes),
                              m.left < 0    ? left
                              : m.right < 0 ? right
                                            : whole);
    token_merges_add(&t->merges, m); /* the first of two is the one that counts */
    return true;
}

static bool merges(File *f, const JsonValue *list)
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
            return TOKENISER_FAIL(f->path, "merge %d is not two tokens with a blank between them",
                                  rank + 1);
        if (!tokeniser_merge(f->t, f->path, left, bytes, right, rank))
            return false;
    }
    return true;
}

static bool model(File *f)
{
    const JsonValue *m = json_get(f->root, "model"), *added = json_get(f->root, "added_tokens");
    const char *type = json_get_text(m, "type"), *unknown = json_get_text(m, "unk_token");
    const char *prefix = json_get_text(m, "continuing_subword_prefix"),
               *suffix = json_get_text(m, "end_of_word_suffix");
    const JsonValue *most = json_get(m, "max_input_chars_per_word");
    Tokeniser *t = f->t;
    if (!type && json_get(m, "merges")) /* files of older versions do not say it */
        type = "BPE";
    if (!type || (strcmp(type, "WordPiece") != 0 && strcmp(type, "BPE") != 0))
        return TOKENISER_FAIL(f->path, "model.type is '%s'; expected WordPiece or BPE",
                              type ? type : "missing");
    if (!tokeniser_vocab(t, f->path, json_get(m, "vocab"), added))
        return false;
    if (strcmp(type, "BPE") == 0) {
        t->kind = TOKENISER_BYTES;
        t->whole_words = is_true(m, "ignore_merges", false);
        if (is_true(m, "byte_fallback", false) || (prefix && *prefix) || (suffix && *suffix) ||
            !is_absent(json_get(m, "dropout")))
            return TOKENISER_FAIL(f->path, "model has %s; expected byte-level BPE without it",
                                  is_true(m, "byte_fallback", false)
                                      ? "byte_fallback, as SentencePiece's"
                                  : prefix && *prefix ? "a continuing_subword_prefix"
                                  : suffix && *suffix ? "an end_of_word_suffix"
                                                      : "dropout");
        return merges(f, json_get(m, "merges"));
    }
    t->kind = TOKENISER_WORDPIECE;
    t->unknown = unknown ? token_table_find(&t->table, unknown, strlen(unknown)) : -1;
    t->longest_word = most && is_id(most) ? (int64_t)most->number : 100;
    if (!is_absent(most) && !is_id(most))
        return TOKENISER_FAIL(
            f->path,
            "model.max_input_chars_per_word is %g; expected a whole number from 0 to 4194303",
            most->number);
    if (t->unknown < 0)
        return TOKENISER_FAIL(f->path, "model.unk_token '%s' is not in the vocabulary",
                              unknown ? unknown : "null");
    if (prefix && strlen(prefix) >= sizeof t->prefix)
        return TOKENISER_FAIL(f->path,
                              "model.continuing_subword_prefix '%s' is longer than %zu bytes",
                              prefix, sizeof t->prefix - 1);
    snprintf(t->prefix, sizeof t->prefix, "%s", prefix ? prefix : "##");
    return true;
}

/* ---- the steps before the model ---------------------------------------------------------------------------------- */

static bool normalizer(File *f)
{
    const JsonValue *n = json_get(f->root, "normalizer");
    Tokeniser *t = f->t;
    if (is_absent(n))
        return true;
    if (!is_type(n, "BertNormalizer") || t->kind != TOKENISER_WORDPIECE)
        return TOKENISER_FAIL(
            f->path, "normalizer is %s; expected none for BPE, BertNormalizer for WordPiece",
            json_get_text(n, "type") ? json_get_text(n, "type") : "of no type");
    t->clean = is_true(n, "clean_text", true);
    t->chinese = is_true(n, "handle_chinese_chars", true);
    t->lower = is_true(n, "lowercase", true);
    t->strip = is_true(n, "strip_accents", t->lower);
    return true;
}

static bool split(File *f, const JsonValue *p)
{
    static const char llama[] =
        "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}%s| "
        "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
    static const char gpt2[] =
        "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
    char llama3[sizeof llama + 8], qwen2[sizeof llama];
    const char *regex = json_get_text(json_get(p, "pattern"), "Regex"),
               *behavior = json_get_text(p, "behavior");
    snprintf(llama3, sizeof llama3, llama, "{1,3}");
    snprintf(qwen2, sizeof qwen2, llama, "");
    bool isolated = behavior && strcmp(behavior, "Isolated") == 0 && !is_true(p, "invert", false);
    f->t->split = regex && strcmp(regex, gpt2) == 0     ? SPLIT_GPT2
                  : regex && strcmp(regex, llama3) == 0 ? SPLIT_LLAMA3
                  : regex && strcmp(regex, qwen2) == 0  ? SPLIT_QWEN2
                                                        : SPLIT_NONE;
    return (isolated && f->t->split != SPLIT_NONE) ||
           TOKENISER_FAIL(
               f->path, "pre_tokenizer.pattern is '%s'; expected that of GPT-2, Llama 3 or Qwen 2",
               regex ? regex : "no regular expression");
}

static bool byte_level(File *f, const JsonValue *p)
{
    f->t->prefix_space = is_true(p, "add_prefix_space", true);
    if (is_true(p, "use_regex", true))
        f->t->split = SPLIT_GPT2;
    return true;
}

static bool pre_tokenizer(File *f)
{
    const JsonValue *p = json_get(f->root, "pre_tokenizer"), *list = json_get(p, "pretokenizers");
    Tokeniser *t = f->t;
    t->split = SPLIT_NONE;
    if (t->kind == TOKENISER_WORDPIECE)
        return is_type(p, "BertPreTokenizer") ||
               TOKENISER_FAIL(f->path,
                              "pre_tokenizer is %s; expected BertPreTokenizer for WordPiece",
                              json_get_text(p, "type") ? json_get_text(p, "type") : "none");
    if (is_type(p, "ByteLevel"))
        return byte_level(f, p);
    if (is_type(p, "Sequence") && list && list->count == 2 && is_type(list->first, "Split") &&
        is_type(list->first->next, "ByteLevel") && !is_true(list->first->next, "use_regex", true))
        return byte_level(f, list->first->next) && split(f, list->first);
    return TOKENISER_FAIL(
        f->path, "pre_tokenizer is %s; expected ByteLevel, or a Split and ByteLevel, for BPE",
        json_get_text(p, "type") ? json_get_text(p, "type") : "none");
}

/* ---- added tokens, and what stands around ---------------------------------------------------------------------------- */

static bool added_tokens(File *f)
{
    const JsonValue *list = json_get(f->root, "added_tokens");
    Tokeniser *t = f->t;
    for (const JsonValue *m = list ? list->first : NULL; m; m = m->next) {
        const char *text = json_get_text(m, "content");
        const JsonValue *id = json_get(m, "id");
        if (!text || !*text || !is_id(id))
            return TOKENISER_FAIL(f->path, "added_tokens has one without %s",
                                  !text || !*text ? "content" : "id");
        if (is_true(m, "single_word", false) ||
            (is_true(m, "normalized", false) && t->kind == TOKENISER_WORDPIECE && t->lower))
            return TOKENISER_FAIL(
                f->path, "the added token '%s' is %s; expected one that is found as it stands",
                text, is_true(m, "single_word", false) ? "single_word" : "normalized");
        AddedToken a = {.text = keep(t, text), .bytes = strlen(text), .id = (int32_t)id->number};
        a.special = is_true(m, "special", false);
        a.takes_left = is_true(m, "lstrip", false);
        a.takes_right = is_true(m, "rstrip", false);
        int32_t known = token_table_find(&t->table, text, a.bytes);
        if (!a.text || (known < 0 && !token_table_add(&t->table, a.text, a.bytes, a.id)) ||
            (known >= 0 && known != a.id))
            return !a.text
                       ? false
                       : TOKENISER_FAIL(f->path,
                                        "the added token '%s' has the id %d, which is another's",
                                        text, a.id);
        if (!tokeniser_add(t, a))
            return false;
    }
    return true;
}

static bool template_add(File *f, TokenTemplate *template, int32_t part, int32_t type)
{
    if (template->count == TEMPLATE_MAX)
        return TOKENISER_FAIL(f->path, "post_processor has more than %d parts", TEMPLATE_MAX);
    template->part[template->count] = part;
    template->type[template->count++] = type;
    return true;
}

/* [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, ...] */
static bool template_of(File *f, const JsonValue *list, TokenTemplate *template)
{
    template->count = 0;
    for (const JsonValue *m = list ? list->first : NULL; m; m = m->next) {
        const JsonValue *token = json_get(m, "SpecialToken"), *text = json_get(m, "Sequence");
        const JsonValue *type = json_get(token ? token : text, "type_id");
        const char *name = json_get_text(token ? token : text, "id");
        int32_t id = token && name ? token_table_find(&f->t->table, name, strlen(name)) : -1;
        if (!name || !is_id(type) || (token && id < 0))
            return TOKENISER_FAIL(f->path, "post_processor has a part%s%s that is not understood",
                                  name ? " " : "", name ? name : "");
        if (!token)
            id = strcmp(name, "A") == 0 ? TEMPLATE_FIRST : TEMPLATE_SECOND;
        if (!template_add(f, template, id, (int32_t)type->number))
            return false;
    }
    return true;
}

/* "sep": ["[SEP]", 102] */
static bool named(File *f, const JsonValue *p, const char *key, int32_t *id)
{
    const JsonValue *v = json_get(p, key);
    if (!v || v->kind != JSON_LIST || v->count != 2 || !is_id(v->first->next))
        return TOKENISER_FAIL(f->path, "post_processor.%s is missing; expected a token and its id",
                              key);
    *id = (int32_t)v->first->next->number;
    return *id < f->t->table.ids ||
           TOKENISER_FAIL(f->path, "post_processor.%s has the id %d; expected one below %d", key,
                          *id, f->t->table.ids);
}

void tokeniser_bert_templates(Tokeniser *t, int32_t cls, int32_t sep, bool roberta)
{
    enum { A = TEMPLATE_FIRST, B = TEMPLATE_SECOND };
    t->single = (TokenTemplate){3, {cls, A, sep}, {0}};
    t->pair = roberta ? (TokenTemplate){6, {cls, A, sep, sep, B, sep}, {0}}
                      : (TokenTemplate){5, {cls, A, sep, B, sep}, {0, 0, 0, 1, 1}};
}

static bool processor(File *f, const JsonValue *p)
{
    Tokeniser *t = f->t;
    const JsonValue *list = json_get(p, "processors");
    int32_t cls, sep;
    if (is_absent(p))
        return true;
    if (is_type(p, "Sequence")) {
        for (const JsonValue *m = list ? list->first : NULL; m; m = m->next)
            if (!processor(f, m))
                return false;
        return true;
    }
    bool roberta = is_type(p, "RobertaProcessing");
    if (is_type(p, "ByteLevel") || roberta) {
        t->trim = is_true(p, "trim_offsets", true);
        t->trim_prefix_space = is_true(p, "add_prefix_space", true);
    }
    if (is_type(p, "ByteLevel"))
        return true;
    if (roberta || is_type(p, "BertProcessing")) {
        if (!named(f, p, "cls", &cls) || !named(f, p, "sep", &sep))
            return false;
        tokeniser_bert_templates(t, cls, sep, roberta);
        return true;
    }
    if (!is_type(p, "TemplateProcessing"))
        return TOKENISER_FAIL(f->path,
                              "post_processor is %s; expected BertProcessing, RobertaProcessing, "
                              "TemplateProcessing or ByteLevel",
                              json_get_text(p, "type") ? json_get_text(p, "type") : "of no type");
    return template_of(f, json_get(p, "single"), &t->single) &&
           template_of(f, json_get(p, "pair"), &t->pair);
}

bool tokeniser_json(Tokeniser *t, const char *path)
{
    JsonTree tree;
    File f = {.t = t, .path = path};
    bool ok = json_tree_read(&tree, TOKENISER_WHO, path);
    f.root = tree.root;
    ok = ok && model(&f) && normalizer(&f) && pre_tokenizer(&f) && added_tokens(&f) &&
         processor(&f, json_get(f.root, "post_processor")) &&
         (t->kind == TOKENISER_WORDPIECE || tokeniser_bytes_ready(t, path));
    json_tree_free(&tree);
    return ok;
}
