/* safetensors_header.c: the JSON before the numbers.
 *
 *   {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...,
 *    "__metadata__": {"key": "value", ...}}
 *
 * Members may have any order; each tensor has exactly these three fields, each once. This file
 * checks each entry by itself; safetensors_read.c checks the entries against each other (names,
 * ranges, memory).
 *
 * The parser takes what the format requires at each point and fails at anything else. Both passes
 * make the same checks on the same bytes, so that the second, which fills arrays of the counted
 * sizes, finds exactly as many entries. r->json.at is where an error is reported. */
#include "tensor/memory.h"
#include "tensor/io/safetensors.h"

#include <string.h>

/* One entry of the header. */
typedef struct {
    char name[TENSOR_NAME_MAX];
    bool has_dtype, has_shape, has_range;
    NumberType type;
    Shape shape;
    int64_t begin, end;
} Entry;

/* Records what the JSON parser found, and at which byte. Always false. */
static bool bad_json(Reader *r)
{
    return READ_FAIL(r, "header, byte %lld: %s", (long long)(r->json.at - r->json.start),
                     r->json.wrong);
}

/* Takes the key of an entry; a name that is too long is an error.
 * The string is first measured, then copied: the cursor goes back to its beginning between the
 * two. */
static bool take_name(Reader *r, char *name)
{
    const char *begin = r->json.at;
    size_t length;
    if (!json_string(&r->json, NULL, 0, &length))
        return bad_json(r);
    if (length >= TENSOR_NAME_MAX)
        return READ_FAIL(r, "header, byte %lld: a name of %zu bytes; expected at most %d",
                         (long long)(begin - r->json.start), length, TENSOR_NAME_MAX - 1);
    r->json.at = begin;
    return json_string(&r->json, name, TENSOR_NAME_MAX, NULL);
}

/* The types that numbers.h converts, as errors list them. */
#define READ_TYPES "F64 to F16, BF16, I64 to I8, U64 to U8 or BOOL"

/* Takes the value of "dtype". Types that numbers.h does not know are an error. */
static bool take_dtype(Reader *r, Entry *e)
{
    static const char *const unread[] = {"F8_E4M3", "F8_E5M2"};
    char dtype[TENSOR_NAME_MAX];
    if (!take_name(r, dtype))
        return false;
    for (int type = 0; type < NUMBER_TYPES; type++)
        if (strcmp(dtype, number_name((NumberType)type)) == 0) {
            e->type = (NumberType)type;
            return true;
        }
    for (size_t i = 0; i < sizeof unread / sizeof unread[0]; i++)
        if (strcmp(dtype, unread[i]) == 0)
            return READ_FAIL(r, "tensor '%s' has dtype %s, which is not read; expected %s", e->name,
                             dtype, READ_TYPES);
    return READ_FAIL(r, "tensor '%s' has the unknown dtype '%s'; expected %s", e->name, dtype,
                     READ_TYPES);
}

/* Takes the value of "shape": at most TENSOR_MAX_RANK lengths.
 * Lengths may be 0; their product is checked by bytes_of. */
static bool take_shape(Reader *r, Entry *e)
{
    bool first = true;
    if (!json_expect(&r->json, '['))
        return bad_json(r);
    while (json_member(&r->json, ']', &first)) {
        int64_t length;
        if (!json_count(&r->json, &length))
            break;
        if (e->shape.rank == TENSOR_MAX_RANK)
            return READ_FAIL(r, "tensor '%s' has more than %d axes", e->name, TENSOR_MAX_RANK);
        e->shape.dim[e->shape.rank++] = length;
    }
    return !r->json.wrong || bad_json(r);
}

/* Takes the value of "data_offsets": two numbers, begin and end. */
static bool take_range(Reader *r, Entry *e)
{
    Json *j = &r->json;
    bool ok = json_expect(j, '[') && json_count(j, &e->begin) && json_expect(j, ',') &&
              json_count(j, &e->end) && json_expect(j, ']');
    return ok || bad_json(r);
}

/* Takes one field of an entry. Each of the three occurs once.
 * Which came already is in e->has_..., so that members may have any order. */
static bool take_field(Reader *r, Entry *e)
{
    char key[TENSOR_NAME_MAX];
    if (!take_name(r, key))
        return false;
    if (!json_expect(&r->json, ':'))
        return bad_json(r);
    bool dtype = strcmp(key, "dtype") == 0, shape = strcmp(key, "shape") == 0;
    if (!dtype && !shape && strcmp(key, "data_offsets") != 0)
        return READ_FAIL(r, "tensor '%s' has a field '%s'; expected dtype, shape and data_offsets",
                         e->name, key);
    bool *has = dtype ? &e->has_dtype : shape ? &e->has_shape : &e->has_range;
    if (*has)
        return READ_FAIL(r, "tensor '%s' has two fields '%s'; expected one", e->name, key);
    *has = true;
    return dtype ? take_dtype(r, e) : shape ? take_shape(r, e) : take_range(r, e);
}

/* The bytes of a tensor of that shape and type; false if the count does not fit.
 * A shape with an axis of 0 has none, but its other axes must still not overflow. */
static bool bytes_of(Shape shape, NumberType type, int64_t *bytes)
{
    bool empty = false;
    int64_t all = number_bytes(type);
    for (int i = 0; i < shape.rank; i++) {
        empty |= shape.dim[i] == 0;
        if (!tensor_checked_mul(all, shape.dim[i] ? shape.dim[i] : 1, &all))
            return false;
    }
    *bytes = empty ? 0 : all;
    return true;
}

/* The three fields agree: the range lies in the data and has the bytes of shape and dtype.
 * So neither a hole inside the range nor numbers beyond the file are possible. */
static bool check_entry(Reader *r, const Entry *e)
{
    int64_t bytes;
    if (!e->has_dtype || !e->has_shape || !e->has_range)
        return READ_FAIL(r, "tensor '%s' has no field '%s'", e->name,
                         !e->has_dtype   ? "dtype"
                         : !e->has_shape ? "shape"
                                         : "data_offsets");
    if (!bytes_of(e->shape, e->type, &bytes))
        return READ_FAIL(r, "tensor '%s' has shape %s; expected fewer than 2^63 bytes", e->name,
                         shape_str(e->shape));
    if (e->begin > e->end || e->end > r->data_bytes)
        return READ_FAIL(r,
                         "tensor '%s' is at bytes %lld to %lld; expected a range within 0 to %lld",
                         e->name, (long long)e->begin, (long long)e->end, (long long)r->data_bytes);
    if (e->end - e->begin != bytes)
        return READ_FAIL(r, "tensor '%s' has %lld bytes of data; expected %lld for shape %s in %s",
                         e->name, (long long)(e->end - e->begin), (long long)bytes,
                         shape_str(e->shape), number_name(e->type));
    return true;
}

/* Makes a tensor without numbers: these are allocated after all ranges have been checked. */
static bool keep_entry(Reader *r, const Entry *e)
{
    Tensor *t = mem_alloc(sizeof *t);
    if (!t)
        return false;
    *t = (Tensor){0};
    tensor_set_contiguous(t, e->shape);
    memcpy(t->name, e->name, sizeof t->name);
    r->ranges[r->count] = (Range){e->begin, e->end, e->type, t};
    r->s->tensors[r->count] = t;
    r->s->count = r->count + 1;
    return true;
}

/* Takes one tensor: checks and counts it, and in the second pass makes it.
 * The name was taken by the caller, which had to tell entries from metadata. */
static bool take_entry(Reader *r, const char *name)
{
    Entry e = {0};
    bool first = true;
    memcpy(e.name, name, sizeof e.name);
    if (!json_expect(&r->json, '{'))
        return bad_json(r);
    while (json_member(&r->json, '}', &first))
        if (!take_field(r, &e))
            return false;
    if (r->json.wrong)
        return bad_json(r);
    if (!check_entry(r, &e) || (r->filling && !keep_entry(r, &e)))
        return false;
    r->count++;
    return true;
}

/* A key or a value: the first pass counts its length, the second keeps it.
 * metadata_bytes limits what a file may make the reader allocate. */
static bool take_text(Reader *r, int slot)
{
    const char *begin = r->json.at;
    size_t length;
    if (!json_string(&r->json, NULL, 0, &length))
        return bad_json(r);
    r->metadata_bytes += (int64_t)length + 1;
    if (!r->filling)
        return true;
    char *text = mem_alloc(length + 1);
    if (!text)
        return false;
    r->s->metadata[slot] = text;
    r->json.at = begin;
    return json_string(&r->json, text, length + 1, NULL);
}

/* Takes the value of "__metadata__": pairs of strings, or null for none. */
static bool take_metadata(Reader *r)
{
    bool first = true;
    if (r->has_metadata)
        return READ_FAIL(r, "the header has two '%s'; expected one", "__metadata__");
    r->has_metadata = true;
    if (json_word(&r->json, "null"))
        return true;
    if (!json_expect(&r->json, '{'))
        return bad_json(r);
    while (json_member(&r->json, '}', &first)) {
        if (!take_text(r, 2 * r->pairs))
            return false;
        if (!json_expect(&r->json, ':'))
            return bad_json(r);
        if (!take_text(r, 2 * r->pairs + 1))
            return false;
        r->pairs++;
    }
    return !r->json.wrong || bad_json(r);
}

/* An object of entries: every key but "__metadata__" is a tensor's name. Spaces may follow the last
 * bracket. */
bool safetensors_header(Reader *r, bool filling)
{
    char name[TENSOR_NAME_MAX];
    bool first = true;
    r->json = (Json){.start = r->header, .at = r->header, .end = r->header + r->header_bytes};
    r->filling = filling;
    r->has_metadata = false;
    r->count = r->pairs = 0;
    r->metadata_bytes = 0;
    if (r->header_bytes == 0 || r->header[0] != '{')
        return READ_FAIL(r, "%s", "the header does not begin with '{'");
    json_expect(&r->json, '{');
    while (json_member(&r->json, '}', &first)) {
        memset(name, 0, sizeof name);
        if (!take_name(r, name))
            return false;
        if (!json_expect(&r->json, ':'))
            return bad_json(r);
        if (!(strcmp(name, "__metadata__") == 0 ? take_metadata(r) : take_entry(r, name)))
            return false;
    }
    return json_end(&r->json) || bad_json(r);
}
