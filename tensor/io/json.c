/* json.c: JSON text into values. Sources: RFC 8259; RFC 3629 for UTF-8.
 *
 * Strings must be valid UTF-8, and escapes must name a character: one half of a surrogate pair
 * alone is refused, and so is a zero, which would end a C string early. Values come from an arena
 * in blocks; the strings of a text are never longer than the text, so that they share one buffer
 * of its length. */
#include "tensor/io/json.h"

#include "tensor/io/utf8.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values in a block of the arena; up to how many members the keys of an object are compared with
 * each other. */
enum { BLOCK = 256, KEYS_CHECKED = 1024 };

/* The state of one parse. After the first failure, `wrong`, the caller of each function returns.
 * The text ends in a 0, which stands nowhere in JSON: no function reads beyond it. */
typedef struct {
    const char *at;
    const char *wrong; /* NULL until the first failure, which is where `at` is */
    Arena *arena;
    JsonValue *block; /* the next free value ... */
    int left;         /* ... and how many        */
    char *text;       /* where the next string is decoded to */
} Parser;

/* The text is not copied; it is a literal. Always false. */
static bool fail(Parser *p, const char *wrong)
{
    p->wrong = wrong;
    return false;
}

/* White space is what RFC 8259, section 2, says: space, tab, line feed, carriage return. */
static void skip_space(Parser *p)
{
    p->at += strspn(p->at, " \t\n\r");
}

/* Skips white space and takes the character c. False, which is no failure, where another one
 * comes. */
static bool accept(Parser *p, char c)
{
    skip_space(p);
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

/* ---- strings --------------------------------------------------------------------------------- */

/* Takes the four hexadecimal digits of an escape. */
static bool four_hex(Parser *p, uint32_t *value)
{
    char digits[5] = "";
    for (int i = 0; i < 4; i++, p->at++) {
        if (!isxdigit((unsigned char)*p->at))
            return fail(p, "expected four hexadecimal digits");
        digits[i] = *p->at;
    }
    *value = (uint32_t)strtoul(digits, NULL, 16);
    return true;
}

/* After "\u". Characters beyond U+FFFF are two escapes: a high and a low half of a surrogate
 * pair. */
static bool unicode_escape(Parser *p, uint32_t *code)
{
    uint32_t low;
    if (!four_hex(p, code))
        return false;
    if (*code == 0)
        return fail(p, "the character \\u0000 is not allowed");
    if (*code < 0xD800 || *code > 0xDFFF)
        return true;
    if (*code > 0xDBFF || p->at[0] != '\\' || p->at[1] != 'u')
        return fail(p, "half a surrogate pair");
    p->at += 2;
    if (!four_hex(p, &low))
        return false;
    *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
    return (low >= 0xDC00 && low <= 0xDFFF) || fail(p, "half a surrogate pair");
}

/* After the backslash. Writes the character in UTF-8; returns its length, or 0, a failure. */
static size_t escape(Parser *p, char *utf8)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    uint32_t code;
    const char c = *p->at, *known = c ? strchr(names, c) : NULL;
    if (!known && c != 'u') {
        fail(p, "unknown escape in a string");
        return 0;
    }
    p->at++;
    if (!known)
        return unicode_escape(p, &code) ? utf8_write((int32_t)code, (unsigned char *)utf8) : 0;
    *utf8 = meant[known - names];
    return 1;
}

/* Takes one character of a string. Writes it in UTF-8; returns its length, or 0, a failure. */
static size_t character(Parser *p, char *utf8)
{
    const unsigned char c = (unsigned char)*p->at;
    const size_t length = utf8_length(p->at, UTF8_MAX_BYTES);
    if (c == '\\') {
        p->at++;
        return escape(p, utf8);
    }
    if (c < ' ' || length == 0) {
        fail(p, c == 0    ? "a string does not end, or has a zero in it"
                : c < ' ' ? "a control character in a string; expected an escape"
                          : "a string is not valid UTF-8");
        return 0;
    }
    memcpy(utf8, p->at, length);
    p->at += length;
    return length;
}

/* The decoded text, which lives as long as the tree; NULL on a failure. */
static const char *take_string(Parser *p)
{
    char *text = p->text;
    if (!accept(p, '"')) {
        fail(p, "expected a string");
        return NULL;
    }
    while (*p->at != '"') {
        size_t length = character(p, p->text);
        if (length == 0)
            return NULL;
        p->text += length;
    }
    p->at++;
    *p->text++ = 0;
    return text;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* An empty value; NULL, with a failure, when memory is out. */
static JsonValue *new_value(Parser *p)
{
    if (p->left == 0) {
        p->block = arena_alloc(p->arena, BLOCK * sizeof *p->block);
        p->left = p->block ? BLOCK : 0;
    }
    if (p->left == 0) {
        fail(p, "out of memory");
        return NULL;
    }
    p->left--;
    *p->block = (JsonValue){0};
    return p->block++;
}

/* The number that take_number has found. It is rounded once where it has at most 15 digits and an
 * exponent of at most 22, as all numbers of such files do. strtod would depend on the program's
 * locale. */
static double number_at(const char *at)
{
    const bool negative = *at == '-';
    bool fraction = false;
    long double mantissa = 0; /* 19 digits are whole in it, where it has 64 bits */
    long exponent = 0;
    for (at += negative; *at == '.' || (*at >= '0' && *at <= '9'); at++) {
        fraction |= *at == '.';
        if (*at != '.') {
            mantissa = mantissa * 10 + (*at - '0');
            exponent -= fraction;
        }
    }
    if (*at == 'e' || *at == 'E') {
        const long given = strtol(at + 1, NULL, 10);
        exponent += given > 10000 ? 10000 : given < -10000 ? -10000 : given;
    }
    if (mantissa == 0) /* times an infinite power of ten it would be NaN */
        exponent = 0;
    const long double power = powl(10, (long double)labs(exponent));
    return (double)((negative ? -1 : 1) * (exponent < 0 ? mantissa / power : mantissa * power));
}

/* Takes -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? */
static bool take_number(Parser *p, double *number)
{
    static const char digits[] = "0123456789";
    const char *begin = p->at, *whole = begin + (*begin == '-'), *part;
    const size_t length = strspn(whole, digits);
    p->at = whole + length;
    if (length == 0 || (*whole == '0' && length > 1))
        return fail(p, "expected a value");
    for (int exponent = 0; exponent < 2; exponent++) {
        if (exponent ? *p->at != 'e' && *p->at != 'E' : *p->at != '.')
            continue;
        part = p->at + 1;
        part += exponent && (*part == '+' || *part == '-');
        p->at = part + strspn(part, digits);
        if (p->at == part)
            return fail(p, "a number without digits after its point or in its exponent");
    }
    *number = number_at(begin);
    return isfinite(*number) || fail(p, "a number beyond a double");
}

/* true, false or null. */
static bool take_word(Parser *p, JsonKind *kind)
{
    static const char *const words[] = {
        [JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true"};
    for (*kind = JSON_NULL; *kind <= JSON_TRUE; ++*kind)
        if (strncmp(p->at, words[*kind], strlen(words[*kind])) == 0) {
            p->at += strlen(words[*kind]);
            return true;
        }
    return fail(p, "expected a value");
}

static JsonValue *take_value(Parser *p, int depth);

/* The members of a list or an object, whose bracket was taken.
 * depth counts the brackets around it. Keys are compared only up to KEYS_CHECKED members, so that
 * a table with a hundred thousand keys takes no quadratic time. */
static bool take_members(Parser *p, JsonValue *v, char close, int depth)
{
    const JsonValue **end = &v->first;
    if (depth == JSON_DEPTH)
        return fail(p, "an object or a list, nested deeper than 32");
    if (accept(p, close))
        return true;
    do {
        const char *key = NULL;
        if (close == '}' && !(key = take_string(p)))
            return false;
        if (key && !accept(p, ':'))
            return fail(p, "expected ':'");
        JsonValue *member = take_value(p, depth + 1);
        if (!member)
            return false;
        for (const JsonValue *m = v->first; key && v->count < KEYS_CHECKED && m; m = m->next)
            if (strcmp(m->key, key) == 0)
                return fail(p, "a key that the object has already");
        member->key = key;
        *end = member;
        end = &member->next;
        v->count++;
    } while (accept(p, ','));
    return accept(p, close) ||
           fail(p, close == '}' ? "expected '}' or ','" : "expected ']' or ','");
}

/* Takes one value of any kind. The first character decides which. */
static JsonValue *take_value(Parser *p, int depth)
{
    JsonValue *v = new_value(p);
    bool ok = false;
    if (!v)
        return NULL;
    if (accept(p, '{')) {
        v->kind = JSON_OBJECT;
        ok = take_members(p, v, '}', depth);
    } else if (accept(p, '[')) {
        v->kind = JSON_LIST;
        ok = take_members(p, v, ']', depth);
    } else if (*p->at == '"') {
        v->kind = JSON_STRING;
        ok = (v->text = take_string(p)) != NULL;
    } else if (*p->at >= 'a' && *p->at <= 'z') {
        ok = take_word(p, &v->kind);
    } else {
        v->kind = JSON_NUMBER;
        ok = take_number(p, &v->number);
    }
    return ok ? v : NULL;
}

/* ---- a whole text ---------------------------------------------------------------------------- */

bool json_tree_parse(JsonTree *t, const Input *in, const char *where, const char *text,
                     size_t bytes)
{
    *t = (JsonTree){0};
    Parser p = {.at = text, .arena = &t->arena};
    p.text = arena_alloc(&t->arena, bytes + 1);
    if (!p.text)
        return false;
    const JsonValue *root = take_value(&p, 0);
    if (root)
        skip_space(&p);
    if (root && p.at < text + bytes)
        fail(&p, "more text after the last bracket");
    if (p.wrong) /* dropped where memory is out, which is recorded already */
        return INPUT_FAIL(in, "%sbyte %lld: %s", where, (long long)(p.at - text), p.wrong);
    t->root = root;
    return true;
}

/* The text of the file is read into memory of its own, which is released when the values have been
 * made. */
bool json_tree_read(JsonTree *t, const char *who, const char *path)
{
    const Input in = {.who = who, .path = path};
    size_t bytes;
    *t = (JsonTree){0};
    char *text = input_whole(who, path, JSON_FILE_MAX, &bytes);
    bool ok = text && json_tree_parse(t, &in, "", text, bytes);
    mem_free(text);
    return ok;
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

bool json_count(const JsonValue *v, int64_t *count)
{
    if (!v || v->kind != JSON_NUMBER || v->number < 0 || v->number > JSON_COUNT_MAX ||
        v->number != floor(v->number))
        return false;
    *count = (int64_t)v->number;
    return true;
}

bool json_shape(const JsonValue *list, Shape *shape)
{
    *shape = shape0();
    if (!list || list->kind != JSON_LIST || list->count > TENSOR_MAX_RANK)
        return false;
    for (const JsonValue *m = list->first; m; m = m->next)
        if (!json_count(m, &shape->dim[shape->rank++]))
            return false;
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

size_t json_character(const char *text, size_t left, char out[JSON_CHARACTER], size_t *length)
{
    static const char replacement[] = "\xef\xbf\xbd";
    unsigned char c = (unsigned char)*text;
    size_t taken = utf8_length(text, left);
    if (c == '"' || c == '\\')
        *length = (size_t)snprintf(out, JSON_CHARACTER, "\\%c", c);
    else if (c < ' ' || c == '<' || c == 127)
        *length = (size_t)snprintf(out, JSON_CHARACTER, "\\u%04x", c);
    else
        memcpy(out, taken ? text : replacement, *length = taken ? taken : 3);
    return taken ? taken : 1;
}

void json_put_text(FILE *out, const char *text)
{
    putc('"', out);
    for (size_t left = strlen(text), taken; left > 0; text += taken, left -= taken) {
        char escaped[JSON_CHARACTER];
        size_t length;
        taken = json_character(text, left, escaped, &length);
        fwrite(escaped, 1, length, out);
    }
    putc('"', out);
}
