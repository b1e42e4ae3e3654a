/* json.c: whole JSON files as values: config.json, tokenizer.json. Every value of an accepted
 * file is of its kind, its texts are no longer than the file, and each key is found again. */
#include "tests/fuzz/fuzz.h"

#include "tensor/io/json.h"

#include <math.h>
#include <string.h>

static size_t file_size;

static void check_members(const JsonValue *v, int depth);

static void check_value(const JsonValue *v, int depth)
{
    FUZZ_REQUIRE(depth <= JSON_DEPTH, "a value at depth %d", depth);
    FUZZ_REQUIRE(v->kind >= JSON_NULL && v->kind <= JSON_OBJECT, "kind %d", v->kind);
    FUZZ_REQUIRE((v->kind == JSON_STRING) == (v->text != NULL), "kind %d", v->kind);
    FUZZ_REQUIRE(!v->text || strlen(v->text) <= file_size, "a text of %zu bytes", strlen(v->text));
    FUZZ_REQUIRE(isfinite(v->number), "%g", v->number);
    check_members(v, depth);
}

static void check_members(const JsonValue *v, int depth)
{
    bool object = v->kind == JSON_OBJECT;
    int count = 0;
    FUZZ_REQUIRE(!v->first || object || v->kind == JSON_LIST, "members of kind %d", v->kind);
    for (const JsonValue *m = v->first; m; m = m->next, count++) {
        FUZZ_REQUIRE((m->key != NULL) == object, "member %d", count);
        FUZZ_REQUIRE(!object || json_get(v, m->key) == m, "the key '%s'", m->key);
        check_value(m, depth + 1);
    }
    FUZZ_REQUIRE(count == v->count, "%d members, not %d", count, v->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    JsonTree t;
    bool ok = json_tree_read(&t, "json_tree_read", fuzz_file(bytes, size));
    file_size = size;
    FUZZ_REQUIRE(ok == (t.root != NULL), "a root");
    if (ok)
        check_value(t.root, 0);
    fuzz_outcome(ok, "json_tree_read");
    json_tree_free(&t);
    return 0;
}
