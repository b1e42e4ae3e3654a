/* tokeniser_specials.c: the special tokens of a folder without a tokenizer.json: the class gives
 * their names; tokenizer_config.json, special_tokens_map.json and added_tokens.json change them and
 * add others; some stand around every text.
 *                   Hugging Face, "transformers" 5.24 */
#include "data/tokeniser_classes.h"

#include <stdlib.h>
#include <string.h>

static const char *const keys[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                   "pad_token", "cls_token", "mask_token"};

/* A setting of tokenizer_config.json: true, false, or as it is otherwise. */
bool class_setting(const ClassFolder *c, const char *key, bool otherwise)
{
    const JsonValue *v = json_get(c->settings, key);
    return v && (v->kind == JSON_TRUE || v->kind == JSON_FALSE) ? v->kind == JSON_TRUE : otherwise;
}

/* ---- special and added tokens ---------------------------------------------------------------- */

/* "</s>", or {"content": "</s>", ...}; NULL: none. */
static const char *text_of(const JsonValue *v)
{
    return !v ? NULL : v->kind == JSON_STRING ? v->text : json_get_text(v, "content");
}

/* The token of a key as the folder says, or as the class does; *settings: how it is found. */
static const char *special_text(const ClassFolder *c, int i, const JsonValue **settings)
{
    const JsonValue *of_map = json_get(c->map, keys[i]), *own = json_get(c->settings, keys[i]);
    *settings = of_map ? of_map : own;
    return *settings ? text_of(*settings) : c->defaults[i];
}

int32_t class_special(const Tokeniser *t, const ClassFolder *c, int i)
{
    const JsonValue *settings;
    const char *text = special_text(c, i, &settings);
    return text ? token_table_find(&t->table, text, strlen(text)) : -1;
}

/* A token of the vocabulary, or one that gets the next id; `id` below 0: any. */
bool class_token(Tokeniser *t, const ClassFolder *c, const char *text, const JsonValue *settings,
                 double id, bool special)
{
    size_t bytes = strlen(text);
    for (int i = 0; i < t->added_count; i++)
        if (strcmp(t->added[i].text, text) == 0)
            return true;
    int32_t known = token_table_find(&t->table, text, bytes), is = known < 0 ? t->table.ids : known;
    if (bytes == 0)
        return TOKENISER_FAIL(c->folder, "%s", "a special token of no text; expected some");
    if (id >= 0 && id != is)
        return TOKENISER_FAIL(c->folder,
                              "the added token '%s' has the id %g; expected %d, its id in the "
                              "vocabulary, or the next one",
                              text, id, is);
    t->table.ids += known < 0;
    if (!tokeniser_added(t, c->folder, settings, text, is, !special))
        return false;
    t->added[t->added_count - 1].special = special;
    return true;
}

/* The keys of an object that are ids, or the values: in the order of the ids. */
typedef struct {
    double id;
    const JsonValue *token;
} Numbered;

static int by_id(const void *a, const void *b)
{
    double x = ((const Numbered *)a)->id, y = ((const Numbered *)b)->id;
    return (x > y) - (x < y);
}

static bool is_special_text(const ClassFolder *c, const char *text)
{
    const JsonValue *settings;
    for (int i = 0; i < SPECIALS; i++) {
        const char *special = special_text(c, i, &settings);
        if (special && strcmp(special, text) == 0)
            return true;
    }
    return false;
}

/* added_tokens_decoder, {"3": {"content": "<x>"}}, or added_tokens.json, {"<x>": 3}. */
static bool add_numbered(Tokeniser *t, const ClassFolder *c, const JsonValue *list, bool decoder)
{
    Numbered *n = list ? arena_alloc(&t->arena, (list->count + 1) * sizeof *n) : NULL;
    int count = 0;
    bool ok = !list || n;
    if (list && list->kind != JSON_OBJECT)
        return TOKENISER_FAIL(c->folder, "%s", "the added tokens are no object; expected one");
    for (const JsonValue *m = ok && list ? list->first : NULL; m; m = m->next)
        n[count++] = (Numbered){decoder ? strtod(m->key, NULL) : m->number, m};
    if (count > 0)
        qsort(n, (size_t)count, sizeof *n, by_id);
    for (int i = 0; ok && i < count; i++) {
        const JsonValue *m = n[i].token;
        const char *text = decoder ? text_of(m) : m->key;
        if (!text || (!decoder && m->kind != JSON_NUMBER) || !(n[i].id >= 0))
            return TOKENISER_FAIL(c->folder, "an added token '%s' without %s; expected both",
                                  m->key ? m->key : "", decoder ? "content" : "an id");
        ok =
            class_token(t, c, text, decoder ? m : NULL, n[i].id,
                        is_special_text(c, text) || (decoder && json_is_true(m, "special", false)));
    }
    return ok;
}

static bool add_list(Tokeniser *t, const ClassFolder *c, const JsonValue *list)
{
    for (const JsonValue *m = list && list->kind == JSON_LIST ? list->first : NULL; m; m = m->next)
        if (text_of(m) && !class_token(t, c, text_of(m), m, -1, true))
            return false;
    return true;
}

bool class_tokens(Tokeniser *t, const ClassFolder *c)
{
    const JsonValue *decoder = json_get(c->settings, "added_tokens_decoder");
    if (!add_numbered(t, c, decoder ? decoder : c->added, decoder != NULL))
        return false;
    for (int i = 0; i < SPECIALS; i++) {
        const JsonValue *settings;
        const char *text = special_text(c, i, &settings);
        if (text && !class_token(t, c, text, settings, -1, true))
            return false;
    }
    const JsonValue *from[] = {c->settings, c->map};
    for (int i = 0; i < 2; i++)
        if (!add_list(t, c, json_get(from[i], "additional_special_tokens")) ||
            !add_list(t, c, json_get(from[i], "extra_special_tokens")))
            return false;
    return true;
}

/* How many ids all these may need after those of the vocabulary. */
int32_t class_room(const ClassFolder *c)
{
    const JsonValue *const lists[] = {json_get(c->settings, "added_tokens_decoder"),
                                      c->added,
                                      json_get(c->settings, "additional_special_tokens"),
                                      json_get(c->settings, "extra_special_tokens"),
                                      json_get(c->map, "additional_special_tokens"),
                                      json_get(c->map, "extra_special_tokens")};
    int64_t capacity = SPECIALS;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        capacity += lists[i] ? (int64_t)lists[i]->count : 0;
    return capacity < TOKEN_IDS_MAX ? (int32_t)capacity : TOKEN_IDS_MAX;
}

/* ---- around a text --------------------------------------------------------------------------- */

static void part(TokenTemplate *o, int32_t id, int32_t type)
{
    o->part[o->count] = id;
    o->type[o->count++] = type;
}

/* [bos] A [eos], and [bos] A [eos] [bos] B [eos], as add_bos_token and add_eos_token say. */
void class_bos_eos(Tokeniser *t, int32_t bos, int32_t eos, int32_t second_type)
{
    t->single.count = t->pair.count = 0;
    for (int text = 0; text < 2; text++) {
        int32_t type = text * second_type;
        TokenTemplate *const o[] = {&t->pair, &t->single};
        for (int i = 0; i < 2 - text; i++) {
            if (bos >= 0)
                part(o[i], bos, type);
            part(o[i], TEMPLATE_FIRST - text, type);
            if (eos >= 0)
                part(o[i], eos, type);
        }
    }
}

int32_t class_control(const Tokeniser *t, int32_t id)
{
    return id >= 0 && id < t->table.ids && t->pieces.type[id] == PIECE_CONTROL ? id : -1;
}

/* Are the class's own tokens there, which stand around every text? */
bool class_around(Tokeniser *t, const ClassFolder *c)
{
    int32_t bos = class_special(t, c, SPECIAL_BOS), eos = class_special(t, c, SPECIAL_EOS),
            cls = class_special(t, c, SPECIAL_CLS), sep = class_special(t, c, SPECIAL_SEP);
    bool bert = c->kind == CLASS_WORDPIECE || c->kind == CLASS_ROBERTA;
    if (c->kind == CLASS_OWN && !json_get(c->settings, keys[SPECIAL_BOS]))
        bos = class_control(t, t->pieces.begin);
    if (c->kind == CLASS_OWN && !json_get(c->settings, keys[SPECIAL_EOS]))
        eos = class_control(t, t->pieces.end);
    if ((bert && (cls < 0 || sep < 0)) || (c->kind == CLASS_T5 && eos < 0))
        return TOKENISER_FAIL(c->folder, "%s",
                              "a special token that stands around every text is "
                              "null; expected one");
    if (bert)
        tokeniser_bert_templates(t, cls, sep, c->kind == CLASS_ROBERTA);
    else if (c->kind == CLASS_T5)
        class_bos_eos(t, -1, eos, 0);
    else
        class_bos_eos(t, class_setting(c, "add_bos_token", false) ? bos : -1,
                      class_setting(c, "add_eos_token", false) ? eos : -1, 1);
    t->trim = c->kind == CLASS_ROBERTA && class_setting(c, "trim_offsets", true);
    t->trim_prefix_space = class_setting(c, "add_prefix_space", false);
    return true;
}
