/* tokeniser_around.c: the post_processor of a tokenizer.json: which special tokens stand around a
 * text, and around two: [CLS] A [SEP] B [SEP]. */
#include "data/tokeniser_json.h"

#include <string.h>

static bool part_add(TokeniserFile *f, TokenTemplate *template, int32_t part, int32_t type)
{
    if (template->count == TEMPLATE_MAX)
        return TOKENISER_FAIL(f->path, "post_processor has more than %d parts; expected fewer",
                              TEMPLATE_MAX);
    template->part[template->count] = part;
    template->type[template->count++] = type;
    return true;
}

/* The ids of a special token, which need not be those of its name. */
static bool special_add(TokeniserFile *f, const JsonValue *p, const char *name, int32_t type,
                        TokenTemplate *template)
{
    const JsonValue *ids = json_get(json_get(json_get(p, "special_tokens"), name), "ids");
    if (!ids || ids->kind != JSON_LIST || ids->count == 0)
        return TOKENISER_FAIL(f->path,
                              "post_processor.special_tokens has no ids of '%s'; expected "
                              "some of each token of a template",
                              name);
    for (const JsonValue *m = ids->first; m; m = m->next) {
        if (!json_is_id(m) || m->number >= f->t->table.ids)
            return TOKENISER_FAIL(f->path,
                                  "post_processor: an id of '%s' is too large; expected at most %d",
                                  name, f->t->table.ids - 1);
        if (!part_add(f, template, (int32_t)m->number, type))
            return false;
    }
    return true;
}

/* {"SpecialToken": {"id": "[CLS]", "type_id": 0}}, or {"Sequence": {"id": "A", "type_id": 0}}: the
 * first text. */
static bool template_add(TokeniserFile *f, const JsonValue *p, const JsonValue *m,
                         TokenTemplate *template)
{
    const JsonValue *token = json_get(m, "SpecialToken"),
                    *value = token ? token : json_get(m, "Sequence");
    const JsonValue *type = json_get(value, "type_id");
    const char *name = json_get_text(value, "id");
    bool first = !token && name && strcmp(name, "A") == 0,
         second = !token && name && strcmp(name, "B") == 0;
    if (!json_is_id(type) || !name || (!token && !first && !second))
        return TOKENISER_FAIL(f->path,
                              "post_processor has a part '%s' without meaning; expected a "
                              "SpecialToken, or the Sequence A or B, with a type_id",
                              name ? name : "");
    return token ? special_add(f, p, name, (int32_t)type->number, template)
                 : part_add(f, template, first ? TEMPLATE_FIRST : TEMPLATE_SECOND,
                            (int32_t)type->number);
}

/* A list of parts under this key, with the first text once, and of a pair the second once. */
static bool template_read(TokeniserFile *f, const JsonValue *p, const char *key, bool is_pair,
                          TokenTemplate *template)
{
    const JsonValue *list = json_get(p, key);
    int first = 0, second = 0;
    template->count = 0;
    for (const JsonValue *m = list ? list->first : NULL; m; m = m->next) {
        if (!template_add(f, p, m, template))
            return false;
        first += template->part[template->count - 1] == TEMPLATE_FIRST;
        second += template->part[template->count - 1] == TEMPLATE_SECOND;
    }
    return (first == 1 && second == is_pair) ||
           TOKENISER_FAIL(
               f->path,
               "post_processor.%s has the first text %d times and the second %d times; expected %s",
               key, first, second, is_pair ? "each once" : "the first once and no second");
}

/* "sep": ["[SEP]", 102] */
static bool named(TokeniserFile *f, const JsonValue *p, const char *key, int32_t *id)
{
    const JsonValue *v = json_get(p, key);
    if (!v || v->kind != JSON_LIST || v->count != 2 || !json_is_id(v->first->next))
        return TOKENISER_FAIL(f->path, "post_processor.%s is none; expected a token and its id",
                              key);
    *id = (int32_t)v->first->next->number;
    return *id < f->t->table.ids ||
           TOKENISER_FAIL(f->path, "post_processor.%s has the id %d; expected at most %d", key, *id,
                          f->t->table.ids - 1);
}

void tokeniser_bert_templates(Tokeniser *t, int32_t cls, int32_t sep, bool roberta)
{
    enum { A = TEMPLATE_FIRST, B = TEMPLATE_SECOND };
    t->single = (TokenTemplate){3, {cls, A, sep}, {0}};
    t->pair = roberta ? (TokenTemplate){6, {cls, A, sep, sep, B, sep}, {0}}
                      : (TokenTemplate){5, {cls, A, sep, B, sep}, {0, 0, 0, 1, 1}};
}

bool tokeniser_around(TokeniserFile *f, const JsonValue *p)
{
    Tokeniser *t = f->t;
    int32_t cls, sep;
    if (json_is_absent(p))
        return true;
    if (json_is_type(p, "Sequence"))
        return tokeniser_each(f, json_get(p, "processors"), tokeniser_around);
    bool roberta = json_is_type(p, "RobertaProcessing");
    if (!json_is_type(p, "ByteLevel") && t->single.count > 1)
        return TOKENISER_FAIL(f->path, "%s",
                              "post_processor has two steps that put tokens around "
                              "a text; expected one");
    if (json_is_type(p, "ByteLevel") || roberta) {
        t->trim = json_is_true(p, "trim_offsets", true);
        t->trim_prefix_space = json_is_true(p, "add_prefix_space", true);
    }
    if (json_is_type(p, "ByteLevel"))
        return true;
    if (roberta || json_is_type(p, "BertProcessing")) {
        if (!named(f, p, "cls", &cls) || !named(f, p, "sep", &sep))
            return false;
        tokeniser_bert_templates(t, cls, sep, roberta);
        return true;
    }
    if (!json_is_type(p, "TemplateProcessing"))
        return TOKENISER_FAIL(f->path,
                              "post_processor is %s; expected BertProcessing, RobertaProcessing, "
                              "TemplateProcessing or ByteLevel",
                              json_get_text(p, "type") ? json_get_text(p, "type") : "of no type");
    return template_read(f, p, "single", false, &t->single) &&
           template_read(f, p, "pair", true, &t->pair);
}
