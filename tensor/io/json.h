/* json.h: as much JSON as a safetensors header needs, and no more (internal).
 *
 * A cursor over text in memory, from which the reader takes what it expects next. There is no
 * recursion and no tree: text nested deeper than the reader expects is an error where the nesting
 * begins, and nothing is allocated. After the first failure every call fails; `wrong` and `at` say
 * what and where. */
#ifndef GRADUS_TENSOR_JSON_H
#define GRADUS_TENSOR_JSON_H

#include "../tensor.h"

typedef struct {
    const char *start, *at, *end;
    const char *wrong; /* NULL while all is well */
} Json;

/* Records what is wrong here. Always false. */
bool json_fail(Json *j, const char *wrong);

/* Skips white space, then takes this character: true; or stays: false, and no failure. */
bool json_accept(Json *j, char c);

/* The same, but anything else is a failure. */
bool json_expect(Json *j, char c);

/* In a list or an object whose `close` stands behind its last member: is there a member? Takes the
 * comma in front of any but the first, and the closing bracket after the last. Begin with *first
 * true. */
bool json_member(Json *j, char close, bool *first);

/* A string, decoded to UTF-8 with a closing 0, of at most size - 1 bytes. With out NULL only its
 * length is found. *length (which may be NULL) does not count the 0. */
bool json_string(Json *j, char *out, size_t size, size_t *length);

/* A whole number from 0 to 2^63 - 1. */
bool json_count(Json *j, int64_t *count);

/* Nothing but spaces is left. */
bool json_end(Json *j);

/* A key that occurs twice among these, or NULL. Sorts the list. */
const char *json_repeated(const char **keys, size_t count);

/* The length of the UTF-8 character at text, which has `left` bytes; 0 if it is not one. */
int json_utf8(const unsigned char *text, size_t left);

#endif
