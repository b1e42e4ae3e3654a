/* safetensors_header.c: the JSON before the numbers.
 *
 *   {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...,
 *    "__metadata__": {"key": "value", ...}}
 *
 * Members may have any order; each tensor has exactly these three fields. This file checks each
 * entry by itself; safetensors_read.c checks the entries against each other (names, ranges). */
#include "tensor/io/json.h"
#include "tensor/io/safetensors.h"
#include "tensor/memory.h"

#include <string.h>

/* The types that numbers.h converts, as errors list them. */
#define READ_TYPES "F64 to F16, BF16, I64 to I8, U64 to U8 or BOOL"

/* Has the entry the three fields, and no other? */
static bool check_fields(const SafetensorsSource *s, const JsonValue *e)
{
    static const char *const fields[] = {"dtype", "shape", "data_offsets"};
    if (strlen(e->key) >= TENSOR_NAME_MAX)
        return READ_FAIL(s, "a tensor's name has %zu bytes; expected at most %d", strlen(e->key),
                         TENSOR_NAME_MAX - 1);
    for (int i = 0; i < 3; i++)
        if (!json_get(e, fields[i]))
            return READ_FAIL(s, "tensor '%s' has no field '%s'", e->key, fields[i]);
    for (const JsonValue *m = e->first; m; m = m->next)
        if (strcmp(m->key, fields[0]) != 0 && strcmp(m->key, fields[1]) != 0 &&
            strcmp(m->key, fields[2]) != 0)
            return READ_FAIL(s,
                             "tensor '%s' has a field '%s'; expected dtype, shape and data_offsets",
                             e->key, m->key);
    return true;
}

static bool take_dtype(const SafetensorsSource *s, const JsonValue *e, NumberType *type)
{
    const char *dtype = json_get_text(e, "dtype");
    if (!dtype)
        return READ_FAIL(s, "tensor '%s' has a dtype that is no text; expected %s", e->key,
                         READ_TYPES);
    for (*type = 0; *type < NUMBER_TYPES; ++*type)
        if (strcmp(dtype, number_name(*type)) == 0)
            return true;
    return READ_FAIL(s, "tensor '%s' has dtype '%.100s', which is not read; expected %s", e->key,
                     dtype, READ_TYPES);
}

/* The range lies in the data and has the bytes of shape and dtype. So neither a hole inside the
 * range nor numbers beyond the file are possible. */
static bool check_range(const SafetensorsSource *s, const Range *range, Shape shape,
                        const char *name)
{
    int64_t bytes;
    if (!numbers_size(range->type, shape, &bytes))
        return READ_FAIL(s, "tensor '%s' has shape %s; expected fewer than 2^63 bytes", name,
                         shape_str(shape));
    if (range->begin > range->end || range->end > s->data_bytes)
        return READ_FAIL(s,
                         "tensor '%s' is at bytes %lld to %lld; expected a range within 0 to %lld",
                         name, (long long)range->begin, (long long)range->end,
                         (long long)s->data_bytes);
    if (range->end - range->begin != bytes)
        return READ_FAIL(s, "tensor '%s' has %lld bytes of data; expected %lld for shape %s in %s",
                         name, (long long)(range->end - range->begin), (long long)bytes,
                         shape_str(shape), number_name(range->type));
    return true;
}

/* Checks an entry, and makes its tensor, without numbers: these are allocated after all ranges have
 * been checked. */
static bool take_tensor(SafetensorsSource *s, const JsonValue *e)
{
    Range range;
    Shape shape, offsets;
    if (!check_fields(s, e) || !take_dtype(s, e, &range.type))
        return false;
    if (!json_shape(json_get(e, "shape"), &shape) ||
        !json_shape(json_get(e, "data_offsets"), &offsets) || offsets.rank != 2)
        return READ_FAIL(s,
                         "tensor '%s' has another shape or data_offsets than lists of whole "
                         "numbers; expected at most %d lengths, and a begin and an end",
                         e->key, TENSOR_MAX_RANK);
    range.begin = offsets.dim[0];
    range.end = offsets.dim[1];
    if (!check_range(s, &range, shape, e->key))
        return false;
    Tensor *t = range.tensor = mem_zeroed(sizeof *t);
    if (!t)
        return false;
    tensor_set_contiguous(t, shape);
    memcpy(t->name, e->key, strlen(e->key));
    s->ranges[s->header.count] = range;
    s->header.tensors[s->header.count++] = t;
    return true;
}

/* The value of "__metadata__": pairs of texts, or null for none. */
static bool take_metadata(SafetensorsSource *s, const JsonValue *v)
{
    Safetensors *h = &s->header;
    if (v->kind == JSON_NULL)
        return true;
    if (v->kind != JSON_OBJECT || h->metadata)
        return READ_FAIL(s, "%s is no object, or there are two; expected pairs of texts, or null",
                         v->key);
    h->metadata = mem_alloc(2 * (size_t)v->count * sizeof *h->metadata);
    for (const JsonValue *m = v->first; h->metadata && m; m = m->next) {
        char **pair = h->metadata + 2 * h->metadata_count;
        if (m->kind != JSON_STRING)
            return READ_FAIL(s, "%s has a '%.100s' that is no text; expected pairs of texts",
                             v->key, m->key);
        pair[0] = mem_strdup(m->key);
        pair[1] = mem_strdup(m->text);
        h->metadata_count++;
        if (!pair[0] || !pair[1])
            return false;
    }
    return h->metadata != NULL;
}

/* Every key but "__metadata__" is a tensor's name. */
static bool take_entries(SafetensorsSource *s, const JsonValue *root)
{
    s->header.tensors = mem_alloc((size_t)root->count * sizeof(Tensor *));
    s->ranges = mem_alloc((size_t)root->count * sizeof *s->ranges);
    if (!s->header.tensors || !s->ranges)
        return false;
    for (const JsonValue *e = root->first; e; e = e->next)
        if (!(strcmp(e->key, "__metadata__") == 0 ? take_metadata(s, e) : take_tensor(s, e)))
            return false;
    return true;
}

bool safetensors_header(SafetensorsSource *s, const char *text)
{
    JsonTree t = {0};
    if (s->header_bytes == 0 || text[0] != '{')
        return READ_FAIL(s, "%s", "the header does not begin with '{'");
    bool ok = json_tree_parse(&t, &s->in, "header, ", text, (size_t)s->header_bytes) &&
              take_entries(s, t.root);
    json_tree_free(&t);
    return ok;
}
