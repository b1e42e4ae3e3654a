/* json_tree.c: JSON text into values.       RFC 8259
 *
 * Values come from an arena in blocks; the strings of a file are never longer than the file, so
 * that they share one buffer of its length. */
#include "tensor/io/json_tree.h"

#include "tensor/io/input.h"
#include "tensor/io/json.h"
#include "tensor/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values in a block of the arena; up to how many members the keys of an object are compared with
 * each other. */
enum { BLOCK = 256, KEYS_CHECKED = 1024 };

/* The state of one parse. Texts are decoded to p.text, which advances: they never become longer by
 * decoding, so that the file's length and one byte for the last 0 suffice. */
typedef struct {
    Json json;
    Arena *arena;
    JsonValue *block; /* the next free value ... */
    int left;         /* ... and how many        */
    char *text, *text_end;
    bool out_of_memory;
} Parser;

/* An empty value; NULL, with a failure of the cursor, when memory is out. */
static JsonValue *new_value(Parser *p)
{
    if (p->left == 0) {
        p->block = arena_alloc(p->arena, BLOCK * sizeof *p->block);
        p->left = p->block ? BLOCK : 0;
    }
    if (p->left == 0) {
        p->out_of_memory = true;
        json_fail(&p->json, "out of memory");
        return NULL;
    }
    p->left--;
    *p->block = (JsonValue){0};
    return p->block++;
}

/* The decoded text, which lives as long as the tree; NULL on a failure. */
static const char *take_string(Parser *p)
{
    char *text = p->text;
    size_t length;
    if (!json_string(&p->json, text, (size_t)(p->text_end - text), &length))
        return NULL;
    p->text += length + 1;
    return text;
}

static bool is_digit(const Json *j)
{
    return j->at < j->end && *j->at >= '0' && *j->at <= '9';
}

/* -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?
 * The value is rounded once where it has at most 15 digits and an
 * exponent of at most 22, as all numbers of such files do.
 * strtod would depend on the program's locale. */
static bool take_number(Parser *p, double *number)
{
    Json *j = &p->json;
    long double mantissa = 0; /* 19 digits are whole in it, where it has 64 bits */
    int exponent = 0, given = 0;
    bool negative = j->at < j->end && *j->at == '-', negative_exponent = false;
    j->at += negative;
    const char *digits = j->at;
    for (; is_digit(j); j->at++)
        mantissa = mantissa * 10 + (*j->at - '0');
    if (j->at == digits || (*digits == '0' && j->at > digits + 1))
        return json_fail(j, "expected a value");
    if (j->at < j->end && *j->at == '.') {
        const char *point = j->at++;
        for (; is_digit(j); j->at++, exponent--)
            mantissa = mantissa * 10 + (*j->at - '0');
        if (j->at == point + 1)
            return json_fail(j, "a number without digits after its point");
    }
    if (j->at < j->end && (*j->at == 'e' || *j->at == 'E')) {
        j->at++;
        if (j->at < j->end && (*j->at == '+' || *j->at == '-'))
            negative_exponent = *j->at++ == '-';
        if (!is_digit(j))
            return json_fail(j, "a number without digits in its exponent");
        for (; is_digit(j); j->at++)
            given = given < 10000 ? given * 10 + (*j->at - '0') : given;
    }
    exponent += negative_exponent ? -given : given;
    if (mantissa == 0) /* times an infinite power of ten it would be NaN */
        exponent = 0;
    *number = (double)((negative ? -1 : 1) * (exponent < 0 ? mantissa / powl(10, -exponent)
                                                           : mantissa * powl(10, exponent)));
    return isfinite(*number) || json_fail(j, "a number beyond a double");
}

static const JsonValue *take_value(Parser *p, int depth);

/* The members of a list or an object, whose bracket was taken.
 * depth counts the brackets around it. Keys are compared only up to KEYS_CHECKED members, so that
 * a table with a hundred thousand keys takes no quadratic time. */
static bool take_members(Parser *p, JsonValue *v, char close, int depth)
{
    const JsonValue **end = &v->first;
    bool first = true;
    if (depth == JSON_DEPTH)
        return json_fail(&p->json, "an object or a list, nested deeper than 32");
    while (json_member(&p->json, close, &first)) {
        const char *key = NULL;
        if (close == '}' && (!(key = take_string(p)) || !json_expect(&p->json, ':')))
            return false;
        JsonValue *member = (JsonValue *)take_value(p, depth + 1);
        if (!member)
            return false;
        for (const JsonValue *m = v->first; key && v->count < KEYS_CHECKED && m; m = m->next)
            if (strcmp(m->key, key) == 0)
                return json_fail(&p->json, "a key that the object has already");
        member->key = key;
        *end = member;
        end = &member->next;
        v->count++;
    }
    return !p->json.wrong;
}

/* Takes one value of any kind. The first character decides which. */
static const JsonValue *take_value(Parser *p, int depth)
{
    Json *j = &p->json;
    JsonValue *v = new_value(p);
    bool ok = false;
    if (!v)
        return NULL;
    if (json_accept(j, '{')) {
        v->kind = JSON_OBJECT;
        ok = take_members(p, v, '}', depth);
    } else if (json_accept(j, '[')) {
        v->kind = JSON_LIST;
        ok = take_members(p, v, ']', depth);
    } else if (j->at < j->end && *j->at == '"') {
        v->kind = JSON_STRING;
        ok = (v->text = take_string(p)) != NULL;
    } else if (j->at < j->end && (*j->at == 't' || *j->at == 'f' || *j->at == 'n')) {
        v->kind = *j->at == 't' ? JSON_TRUE : *j->at == 'f' ? JSON_FALSE : JSON_NULL;
        ok = json_word(j, v->kind == JSON_TRUE    ? "true"
                          : v->kind == JSON_FALSE ? "false"
                                                  : "null") ||
             json_fail(j, "expected a value");
    } else {
        v->kind = JSON_NUMBER;
        ok = take_number(p, &v->number);
    }
    return ok ? v : NULL;
}

/* Parses the whole file into t, whose arena owns all values and texts.
 * Errors name the byte at which the parser stopped. */
static bool parse(JsonTree *t, const Input *in, char *bytes)
{
    Parser p = {.json = {.start = bytes, .at = bytes, .end = bytes + in->bytes},
                .arena = &t->arena};
    p.text = arena_alloc(&t->arena, (size_t)in->bytes + 1);
    if (!p.text)
        return false;
    p.text_end = p.text + in->bytes + 1;
    t->root = take_value(&p, 0);
    if (json_accept(&p.json, '{')) /* takes the white space after the last bracket, too */
        json_fail(&p.json, "more text after the last bracket");
    if (t->root && json_end(&p.json))
        return true;
    t->root = NULL;
    return p.out_of_memory ||
           INPUT_FAIL(in, "byte %lld: %s", (long long)(p.json.at - p.json.start), p.json.wrong);
}

/* The text of the file is read into memory of its own, which is released when the values have been
 * made. */
bool json_tree_read(JsonTree *t, const char *who, const char *path)
{
    Input in;
    char *bytes = NULL;
    *t = (JsonTree){0};
    bool ok = input_open(&in, who, path);
    if (ok && in.bytes > JSON_FILE_MAX)
        ok = INPUT_FAIL(&in, "%lld bytes; expected at most %d", (long long)in.bytes, JSON_FILE_MAX);
    ok = ok && (bytes = mem_alloc((size_t)in.bytes)) &&
         input_read(&in, 0, bytes, (size_t)in.bytes) && parse(t, &in, bytes);
    mem_free(bytes);
    input_close(&in);
    return ok && t->root;
}

void json_tree_free(JsonTree *t)
{
    arena_free(&t->arena);
    *t = (JsonTree){0};
}

/* Members are searched in order: configurations have few, and the tables of a tokeniser are read
 * member by member. */
const JsonValue *json_get(const JsonValue *value, const char *key)
{
    if (!value || value->kind != JSON_OBJECT)
        return NULL;
    for (const JsonValue *m = value->first; m; m = m->next)
        if (strcmp(m->key, key) == 0)
            return m;
    return NULL;
}

const char *json_get_text(const JsonValue *value, const char *key)
{
    const JsonValue *v = json_get(value, key);
    return v && v->kind == JSON_STRING ? v->text : NULL;
}
