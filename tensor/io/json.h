/* json.h: JSON text as values in memory, to look them up (internal).
 *
 * For files whose members come in any order and of which only some matter: a model's config.json, a
 * tokeniser's tokenizer.json, the header of a safetensors file. Strict: text that is no JSON,
 * nesting deeper than JSON_DEPTH, a key twice in one object and a number that is no double are
 * errors. */
#ifndef GRADUS_TENSOR_JSON_H
#define GRADUS_TENSOR_JSON_H

#include "tensor/io/input.h"
#include "tensor/memory.h"

enum { JSON_DEPTH = 32, JSON_FILE_MAX = 128 << 20 };

typedef enum {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_LIST,
    JSON_OBJECT
} JsonKind;

typedef struct JsonValue {
    JsonKind kind;
    int count;                     /* members of a list or an object     */
    const char *key;               /* of a member of an object, or NULL  */
    const char *text;              /* a string, decoded                  */
    double number;                 /* a number                           */
    const struct JsonValue *first; /* member of a list or an object      */
    const struct JsonValue *next;  /* member of the same list or object  */
} JsonValue;

typedef struct {
    const JsonValue *root;
    Arena arena;
} JsonTree;

/* The values of a file. Errors begin with `who: path:` and name the byte. Free the tree, also after
 * an error. */
bool json_tree_read(JsonTree *t, const char *who, const char *path);
/* The same of a text in memory, behind whose bytes a 0 follows, and which stands in the file `in`:
 * "header, " in front of the byte. */
bool json_tree_parse(JsonTree *t, const Input *in, const char *where, const char *text,
                     size_t bytes);
void json_tree_free(JsonTree *t);

/* The member of this key; NULL where value is no object or has none. */
const JsonValue *json_get(const JsonValue *value, const char *key);
/* The text of a string member; NULL where it is none. */
const char *json_get_text(const JsonValue *value, const char *key);

/* A whole number from 0 to JSON_COUNT_MAX, up to which a double has each. False, without an error,
 * where the value is none, or is NULL. */
#define JSON_COUNT_MAX 0x1p53
bool json_count(const JsonValue *value, int64_t *count);
/* A list of such numbers as a shape, in the same way; of more than TENSOR_MAX_RANK it is none. */
bool json_shape(const JsonValue *list, Shape *shape);

/* The first character of `left` > 0 bytes as it stands in a JSON string, without a closing 0;
 * *length: how many bytes of out it takes. Returns how many bytes of text it is. What is not
 * well-formed UTF-8 becomes U+FFFD, byte by byte. Control characters and '<' are escaped, so that
 * the text may also stand in a page. */
enum { JSON_CHARACTER = 8 };
size_t json_character(const char *text, size_t left, char out[JSON_CHARACTER], size_t *length);
/* A whole text so, in quotes. */
void json_put_text(FILE *out, const char *text);

#endif
