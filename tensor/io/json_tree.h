/* json_tree.h: a whole JSON file in memory, to look values up in (internal).
 *
 * For files whose members come in any order and of which only some matter: a model's config.json, a
 * tokeniser's tokenizer.json. Strict as json.h is; nesting deeper than JSON_DEPTH, a key twice in
 * one object and a number that is no double are errors. */
#ifndef GRADUS_TENSOR_JSON_TREE_H
#define GRADUS_TENSOR_JSON_TREE_H

#include "../tensor.h"
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

/* Errors begin with `who: path:` and name the byte. Free it, also after an error. */
bool json_tree_read(JsonTree *t, const char *who, const char *path);
void json_tree_free(JsonTree *t);

/* The member of this key; NULL where value is no object or has none. */
const JsonValue *json_get(const JsonValue *value, const char *key);
/* The text of a string member; NULL where it is none. */
const char *json_get_text(const JsonValue *value, const char *key);

#endif
