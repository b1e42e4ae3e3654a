/* json.c: strict JSON, value by value. Sources: RFC 8259; RFC 3629 for UTF-8.
 *
 * Strings must be valid UTF-8, and escapes must name a character: one half of a surrogate pair
 * alone is refused, and so is a zero, which would end a C string early. Numbers are counts: digits
 * without sign, leading zero, fraction or exponent. */
#include "tensor/io/json.h"

#include "tensor/io/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first failure is kept. Every function that takes something looks at `wrong` first and fails,
 * too. */
bool json_fail(Json *j, const char *wrong)
{
    if (!j->wrong)
        j->wrong = wrong;
    return false;
}

/* White space is what RFC 8259, section 2, says: space, tab, line feed, carriage return. */
static void skip_space(Json *j)
{
    while (j->at < j->end && (*j->at == ' ' || *j->at == '\t' || *j->at == '\n' || *j->at == '\r'))
        j->at++;
}

/* After a failure of the cursor nothing is accepted, so that every loop over members ends. */
bool json_accept(Json *j, char c)
{
    if (j->wrong)
        return false;
    skip_space(j);
    if (j->at == j->end || *j->at != c)
        return false;
    j->at++;
    return true;
}

/* What is wrong where a string or a number is expected: no format read here nests objects or lists
 * deeper. Without this test the message would be "expected a string", which does not help. */
static bool too_deep(Json *j)
{
    skip_space(j);
    return j->at < j->end && (*j->at == '{' || *j->at == '[') && !j->wrong &&
           !json_fail(j, "an object or a list, nested deeper than the format allows");
}

/* The message says what was expected, not what was found: the caller adds the byte's position. */
bool json_expect(Json *j, char c)
{
    static const struct {
        char c;
        const char *wrong;
    } expected[] = {{'{', "expected '{'"},     {'}', "expected '}' or ','"},
                    {'[', "expected '['"},     {']', "expected ']' or ','"},
                    {':', "expected ':'"},     {',', "expected ','"},
                    {'"', "expected a string"}};
    if (json_accept(j, c))
        return true;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        if (expected[i].c == c)
            return json_fail(j, expected[i].wrong);
    return json_fail(j, "unexpected character");
}

/* Three cases: the first member of a list that is not empty, a comma before a further member, the
 * closing bracket. Trailing commas are refused, because after a comma the caller takes a member,
 * which `close` is not. */
bool json_member(Json *j, char close, bool *first)
{
    bool was_first = *first;
    *first = false;
    if (was_first)
        return !json_accept(j, close) && !j->wrong;
    if (json_accept(j, ','))
        return true;
    json_expect(j, close);
    return false;
}

/* Takes the four hexadecimal digits of an escape.
 * Upper and lower case are allowed. */
static bool four_hex(Json *j, uint32_t *value)
{
    *value = 0;
    for (int i = 0; i < 4; i++, j->at++) {
        char c = j->at < j->end ? *j->at : 0;
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 16;
        if (digit == 16)
            return json_fail(j, "expected four hexadecimal digits");
        *value = *value * 16 + digit;
    }
    return true;
}

/* After "\u". Characters beyond U+FFFF are two escapes: a high and a low half of a surrogate
 * pair. */
static bool unicode_escape(Json *j, uint32_t *code)
{
    uint32_t low;
    if (!four_hex(j, code))
        return false;
    if (*code == 0)
        return json_fail(j, "the character \\u0000 is not allowed");
    if (*code < 0xD800 || *code > 0xDFFF)
        return true;
    if (*code > 0xDBFF || j->end - j->at < 2 || j->at[0] != '\\' || j->at[1] != 'u')
        return json_fail(j, "half a surrogate pair");
    j->at += 2;
    if (!four_hex(j, &low))
        return false;
    if (low < 0xDC00 || low > 0xDFFF)
        return json_fail(j, "half a surrogate pair");
    *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
    return true;
}

/* After the backslash.
 * Returns the length of the character in UTF-8; 0 is a failure. */
static int escape(Json *j, char *utf8)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    uint32_t code;
    char c = j->at < j->end ? *j->at++ : 0;
    const char *known = c ? strchr(names, c) : NULL;
    if (known) {
        utf8[0] = meant[known - names];
        return 1;
    }
    if (c != 'u') {
        json_fail(j, "unknown escape in a string");
        return 0;
    }
    return unicode_escape(j, &code) ? (int)utf8_write((int32_t)code, (unsigned char *)utf8) : 0;
}

/* Takes one character of a string and returns its length, 1 to 4 bytes; 0 is a failure. */
static int character(Json *j, char *utf8)
{
    unsigned char c = (unsigned char)*j->at;
    if (c == '\\') {
        j->at++;
        return escape(j, utf8);
    }
    if (c < ' ') {
        json_fail(j, "a control character in a string; expected an escape");
        return 0;
    }
    int length = (int)utf8_length(j->at, (size_t)(j->end - j->at));
    if (length == 0)
        json_fail(j, "a string is not valid UTF-8");
    memcpy(utf8, j->at, (size_t)length);
    j->at += length;
    return length;
}

/* The text is decoded into out while it is checked, or only checked where out is NULL. */
bool json_string(Json *j, char *out, size_t size, size_t *length)
{
    size_t used = 0;
    if (too_deep(j) || !json_expect(j, '"'))
        return false;
    while (j->at < j->end && *j->at != '"') {
        char utf8[4];
        size_t n = (size_t)character(j, utf8);
        if (n == 0)
            return false;
        if (out && used + n >= size)
            return json_fail(j, "a string is too long");
        if (out)
            memcpy(out + used, utf8, n);
        used += n;
    }
    if (j->at == j->end)
        return json_fail(j, "a string does not end");
    j->at++;
    if (out)
        out[used] = 0;
    if (length)
        *length = used;
    return true;
}

/* Digits alone, without a leading zero; the value must fit.
 * A fraction or an exponent after the digits is refused, since 1.5 would otherwise be read as 1. */
bool json_count(Json *j, int64_t *count)
{
    if (j->wrong || too_deep(j))
        return false;
    const char *begin = j->at;
    for (*count = 0; j->at < j->end && *j->at >= '0' && *j->at <= '9'; j->at++) {
        int digit = *j->at - '0';
        if (*count > (INT64_MAX - digit) / 10)
            return json_fail(j, "a number of 2^63 or more");
        *count = 10 * *count + digit;
    }
    bool more = j->at < j->end && strchr(".eE+-", *j->at);
    if (j->at == begin || more || (*begin == '0' && j->at > begin + 1))
        return json_fail(j, "expected a whole number, 0 or more, in plain digits");
    return true;
}

bool json_word(Json *j, const char *word)
{
    size_t n = strlen(word);
    skip_space(j);
    if (j->wrong || (size_t)(j->end - j->at) < n || memcmp(j->at, word, n) != 0)
        return false;
    j->at += n;
    return true;
}

/* White space alone may follow: safetensors pads its header with spaces, others end it with a
 * line's end. */
bool json_end(Json *j)
{
    if (!j->wrong)
        skip_space(j);
    return !j->wrong && (j->at == j->end || json_fail(j, "more text after the last '}'"));
}

/* For qsort: the order of the bytes. */
static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* After sorting, equal keys are neighbours. The search takes O(n log n), because a hostile header
 * may hold a million names. */
const char *json_repeated(const char **keys, size_t count)
{
    if (count > 1)
        qsort(keys, count, sizeof *keys, by_text);
    for (size_t i = 1; i < count; i++)
        if (strcmp(keys[i - 1], keys[i]) == 0)
            return keys[i];
    return NULL;
}

size_t json_character(const char *text, size_t left, char out[JSON_CHARACTER], size_t *length)
{
    static const char replacement[] = "\xef\xbf\xbd";
    unsigned char c = (unsigned char)*text;
    size_t taken = utf8_length(text, left);
    bool line_end = taken == 3 && memcmp(text, "\xe2\x80\xa8", 2) == 0 &&
                    ((unsigned char)text[2] == 0xA8 || (unsigned char)text[2] == 0xA9);
    if (c == '"' || c == '\\')
        *length = (size_t)snprintf(out, JSON_CHARACTER, "\\%c", c);
    else if (c < ' ' || c == '<' || c == 127)
        *length = (size_t)snprintf(out, JSON_CHARACTER, "\\u%04x", c);
    else if (line_end)
        *length = (size_t)snprintf(out, JSON_CHARACTER, "\\u20%02x", (unsigned char)text[2] - 0x80);
    else
        memcpy(out, taken ? text : replacement, *length = taken ? taken : 3);
    return taken ? taken : 1;
}
