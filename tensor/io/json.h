/* json.h: the part of JSON that a safetensors header needs (internal).
 *
 * A cursor over text in memory, from which the reader takes what it expects next. There is no
 * recursion and no tree: text nested deeper than the reader expects is an error where the nesting
 * begins, and nothing is allocated. After the first failure every call fails; `wrong` says what is
 * wrong, and `at` where. */
#ifndef GRADUS_TENSOR_JSON_H
#define GRADUS_TENSOR_JSON_H

#include "tensor/tensor.h"

typedef struct {
    const char *start, *at, *end;
    const char *wrong; /* NULL until the first failure */
} Json;

/* Records what is wrong at the cursor. Always false.
 * The text is not copied; it is a literal. */
bool json_fail(Json *j, const char *wrong);

/* Skips white space and takes the character c. False, which is no failure, where another one
 * comes. */
bool json_accept(Json *j, char c);

/* The same, where any other character is a failure. */
bool json_expect(Json *j, char c);

/* In a list or an object that `close` ends: does another member come? Takes the comma before every
 * member but the first, and the closing bracket after the last. *first is true before the first
 * call. */
bool json_member(Json *j, char close, bool *first);

/* Takes a string of at most size - 1 bytes, decoded to UTF-8, and closes it with a 0. With out NULL
 * it only finds the length. *length does not count the 0; length may be NULL. */
bool json_string(Json *j, char *out, size_t size, size_t *length);

/* Takes a whole number from 0 to 2^63 - 1. */
bool json_count(Json *j, int64_t *count);

/* Takes this word (true, false, null), if it is the next; false, without a failure, if it is
 * not. */
bool json_word(Json *j, const char *word);

/* Is nothing but white space left? More text is a failure. */
bool json_end(Json *j);

/* A key that occurs twice in the list, or NULL. Sorts the list. */
const char *json_repeated(const char **keys, size_t count);

/* ---- writing ---- */

/* The first character of `left` > 0 bytes as it stands in a JSON string, without a closing 0;
 * *length: how many bytes of out it takes. Returns how many bytes of text it is. What is not
 * well-formed UTF-8 becomes U+FFFD, byte by byte. Control characters, '<' and the line ends of
 * JavaScript are escaped, so that the text may also stand in a script of a page. */
enum { JSON_CHARACTER = 8 };
size_t json_character(const char *text, size_t left, char out[JSON_CHARACTER], size_t *length);

#endif
