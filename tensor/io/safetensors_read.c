/* safetensors_read.c: reads named tensors from a safetensors file, all at once or on request.
 *
 *   8 bytes        N, the header's length, little-endian, at most 100,000,000
 *   N bytes        the header, in JSON, whose members may have any order:
 *                  {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...,
 *                   "__metadata__": {"key": "value", ...}}
 *   all the rest   the numbers, little-endian; data_offsets count from here
 *
 * Format: github.com/huggingface/safetensors. A file is not trusted: the ranges must cover the data
 * exactly, without hole or overlap, and no size in the header is used before it is checked. Memory
 * for numbers is taken after the checks of the header.
 *
 * safetensors_rows reads the file and does not map it: a file that is cut short while it is in use
 * is an error then, where a mapping would end the process (SIGBUS). safetensors_mapped maps it, for
 * callers who ask for that: nothing is read until it is used, and processes share the pages. */
#include "tensor/memory.h"
#include "tensor/io/disk.h"
#include "tensor/io/json.h"
#include "tensor/io/safetensors.h"

#include <stdlib.h>
#include <string.h>

/* INPUT_FAIL for the file of a source. */
#define READ_FAIL(s, format, ...) INPUT_FAIL(&(s)->in, format, __VA_ARGS__)

static int64_t data_bytes(const SafetensorsSource *s)
{
    return s->in.bytes - s->data;
}

/* ---- the header, entry by entry -------------------------------------------------------------- */

/* The range lies in the data and has the bytes of shape and dtype. So neither a hole inside the
 * range nor numbers beyond the file are possible. */
static bool check_range(const SafetensorsSource *s, const Range *range, Shape shape,
                        const char *name)
{
    int64_t bytes;
    if (!numbers_size(range->type, shape, &bytes))
        return READ_FAIL(s, "tensor '%s' has shape %s; expected fewer than 2^63 bytes", name,
                         shape_str(shape));
    if (range->begin > range->end || range->end > data_bytes(s))
        return READ_FAIL(s,
                         "tensor '%s' is at bytes %lld to %lld; expected a range within 0 to %lld",
                         name, (long long)range->begin, (long long)range->end,
                         (long long)data_bytes(s));
    return range->end - range->begin == bytes ||
           READ_FAIL(s, "tensor '%s' has %lld bytes of data; expected %lld for shape %s in %s",
                     name, (long long)(range->end - range->begin), (long long)bytes,
                     shape_str(shape), number_name(range->type));
}

/* Checks an entry, and makes its tensor, without numbers: these are allocated after all ranges have
 * been checked. */
static bool take_tensor(SafetensorsSource *s, const JsonValue *e)
{
    const char *dtype = json_get_text(e, "dtype");
    Shape shape, offsets;
    if (strlen(e->key) >= TENSOR_NAME_MAX)
        return READ_FAIL(s, "a tensor's name has %zu bytes; expected at most %d", strlen(e->key),
                         TENSOR_NAME_MAX - 1);
    if (!dtype || !json_shape(json_get(e, "shape"), &shape) ||
        !json_shape(json_get(e, "data_offsets"), &offsets) || offsets.rank != 2 || e->count != 3)
        return READ_FAIL(s,
                         "tensor '%s' has other fields; expected dtype, a text, shape, at most %d "
                         "whole numbers, and data_offsets, a begin and an end",
                         e->key, TENSOR_MAX_RANK);
    Range range = {.begin = offsets.dim[0], .end = offsets.dim[1], .type = number_named(dtype)};
    if (range.type == NUMBER_TYPES)
        return READ_FAIL(s,
                         "tensor '%s' has dtype '%.100s', which is not read; expected F64 to F16, "
                         "BF16, I64 to I8, U64 to U8 or BOOL",
                         e->key, dtype);
    if (!check_range(s, &range, shape, e->key) || !(range.tensor = mem_zeroed(sizeof(Tensor))))
        return false;
    tensor_set_contiguous(range.tensor, shape);
    memcpy(range.tensor->name, e->key, strlen(e->key));
    s->ranges[s->header.count] = range;
    s->header.tensors[s->header.count++] = range.tensor;
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

/* ---- the entries against each other ---------------------------------------------------------- */

/* For qsort: the order of the bytes. */
static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* After sorting, equal names are neighbours. The search takes O(n log n), because a hostile header
 * may hold a million names. */
const char *safetensors_repeated(const char **names, int count)
{
    if (count > 1)
        qsort(names, (size_t)count, sizeof *names, by_text);
    for (int i = 1; i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            return names[i];
    return NULL;
}

/* No two tensors may have the same name. */
static bool check_names(const SafetensorsSource *s)
{
    const char **names = mem_alloc((size_t)s->header.count * sizeof *names);
    if (!names)
        return false;
    for (int i = 0; i < s->header.count; i++)
        names[i] = s->header.tensors[i]->name;
    const char *twice = safetensors_repeated(names, s->header.count);
    mem_free(names);
    return !twice || READ_FAIL(s, "the name '%s' occurs twice; expected each once", twice);
}

/* For qsort: the order of the ranges in the file. */
static int by_begin(const void *a, const void *b)
{
    const Range *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end); /* an empty range comes first */
}

/* Sorts the ranges by their begin, and checks that each begins where the one before it ends.
 * So the ranges cover the data exactly: no hole in which something could be hidden, and no bytes
 * that belong to two tensors. */
static bool check_tiling(SafetensorsSource *s)
{
    int64_t at = 0;
    if (s->header.count > 1)
        qsort(s->ranges, (size_t)s->header.count, sizeof *s->ranges, by_begin);
    for (int i = 0; i < s->header.count; i++) {
        const Range *range = &s->ranges[i];
        if (range->begin > at)
            return READ_FAIL(s,
                             "data bytes %lld to %lld in front of tensor '%s' belong to no tensor",
                             (long long)at, (long long)range->begin, range->tensor->name);
        if (range->begin < at)
            return READ_FAIL(
                s, "tensors '%s' and '%s' overlap; expected '%s' to begin at data byte %lld",
                range[-1].tensor->name, range->tensor->name, range->tensor->name, (long long)at);
        at = range->end;
    }
    return at == data_bytes(s) ||
           READ_FAIL(s, "%lld bytes follow the last tensor; expected the file to end there",
                     (long long)(data_bytes(s) - at));
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Refuses a length that no header has. Eight letters in its place are the beginning of a text that
 * lies where the weights should: a Git LFS pointer, a page of a server. */
static bool refuse_length(const SafetensorsSource *s, const unsigned char b[8], uint64_t length)
{
    bool text = true;
    for (int i = 0; i < 8; i++)
        text = text && ((b[i] >= ' ' && b[i] <= '~') || b[i] == '\n' || b[i] == '\r');
    if (memcmp(b, "version ", 8) == 0)
        return READ_FAIL(s, "%s",
                         "a Git LFS pointer, which only names the weights; expected the "
                         "weights, which `git lfs pull` fetches");
    if (text)
        return READ_FAIL(s,
                         "%s that begins with '%.8s'; expected the weights in safetensors' format: "
                         "download the file again",
                         b[0] == '<' ? "an HTML page" : "a text", (const char *)b);
    return READ_FAIL(s, "a header of %llu bytes; expected at most %d", (unsigned long long)length,
                     SAFETENSORS_HEADER_MAX);
}

/* Reads the header, whose length is checked against the file first, and makes of it the tensors. */
static bool take_header(SafetensorsSource *s)
{
    unsigned char b[8];
    JsonTree t = {0};
    if (s->in.bytes < 8)
        return READ_FAIL(s, "%lld bytes; expected at least 8 for the header's length",
                         (long long)s->in.bytes);
    if (!input_read(&s->in, 0, b, sizeof b))
        return false;
    const uint64_t length = number_bits(b, 8);
    if (length > SAFETENSORS_HEADER_MAX)
        return refuse_length(s, b, length);
    s->data = 8 + (int64_t)length;
    if (data_bytes(s) < 0)
        return READ_FAIL(s, "a header of %llu bytes; expected at most the %lld that follow",
                         (unsigned long long)length, (long long)(s->in.bytes - 8));
    char *text = mem_alloc((size_t)length + 1);
    bool ok = text && input_read(&s->in, 8, text, (size_t)length);
    if (ok) {
        text[length] = 0;
        ok = text[0] == '{' || READ_FAIL(s, "%s", "the header does not begin with '{'");
    }
    ok = ok && json_tree_parse(&t, &s->in, "header, ", text, (size_t)length) &&
         take_entries(s, t.root);
    json_tree_free(&t);
    mem_free(text);
    return ok;
}

bool safetensors_open(SafetensorsSource *s, const char *who, const char *path)
{
    *s = (SafetensorsSource){0};
    return input_open(&s->in, who, path) && take_header(s) && check_names(s) && check_tiling(s);
}

void safetensors_close(SafetensorsSource *s)
{
    safetensors_free(&s->header);
    if (s->map)
        disk_unmap(s->map, (size_t)s->in.bytes);
    s->map = NULL;
    input_close(&s->in);
    mem_free(s->ranges);
    s->ranges = NULL;
}

/* ---- the numbers ----------------------------------------------------------------------------- */

/* Reads all numbers of a tensor into memory of its own. */
static bool take_numbers(const SafetensorsSource *s, const Range *range)
{
    Tensor *t = range->tensor;
    const bool ids = number_is_whole(range->type);
    const int64_t count = tensor_size(t), each = ids ? sizeof *t->ids : sizeof *t->data;
    if (count > PTRDIFF_MAX / each) /* memory may need more bytes than the file */
        return tensor_fail("out of memory: %s", tensor_describe(t));
    void *numbers = mem_alloc((size_t)(count * each));
    t->ids = ids ? numbers : NULL;
    t->data = ids ? NULL : numbers;
    return numbers &&
           numbers_read(&s->in, t->name, range->type, s->data + range->begin, count, numbers);
}

/* s is empty until everything has succeeded, and again after a failure. */
bool safetensors_read(const char *path, Safetensors *s)
{
    SafetensorsSource source;
    if (!s || !path)
        return tensor_fail(
            "safetensors_read: s or path is NULL; expected a Safetensors to fill, and a path");
    *s = (Safetensors){0};
    bool ok = safetensors_open(&source, "safetensors_read", path);
    for (int i = 0; ok && i < source.header.count; i++)
        ok = take_numbers(&source, &source.ranges[i]);
    if (ok) {
        *s = source.header;
        source.header = (Safetensors){0};
    }
    safetensors_close(&source);
    return ok;
}

/* The range of a tensor of this file, found by its address; NULL, with an error, for any other
 * tensor. */
static const Range *range_of(const SafetensorsSource *s, const Tensor *t)
{
    for (int i = 0; i < s->header.count; i++)
        if (s->ranges[i].tensor == t)
            return &s->ranges[i];
    READ_FAIL(s, "%s is none of this file's tensors", tensor_describe(t));
    return NULL;
}

/* Rows are contiguous in the file: of an embedding (V, C), a row is the vector of one token. A
 * tensor of rank 0 is one row. */
bool safetensors_rows(const SafetensorsSource *s, const Tensor *t, int64_t first, int64_t count,
                      real *out)
{
    const Range *range = range_of(s, t);
    if (!range)
        return false;
    int64_t rows = t->shape.rank > 0 ? t->shape.dim[0] : 1;
    int64_t row = rows > 0 ? tensor_size(t) / rows : 0;
    if (first < 0 || count < 0 || first > rows - count)
        return READ_FAIL(s, "rows %lld to %lld of '%s' %s; it has %lld", (long long)first,
                         (long long)(first + count - 1), t->name, shape_str(t->shape),
                         (long long)rows);
    if (number_is_whole(range->type))
        return READ_FAIL(s,
                         "tensor '%s' has dtype %s; expected real numbers: F64, F32, F16 or BF16",
                         t->name, number_name(range->type));
    return numbers_read(&s->in, t->name, range->type,
                        s->data + range->begin + first * row * number_bytes(range->type),
                        count * row, out);
}

/* A tensor without numbers is left to safetensors_rows. */
real *safetensors_mapped(SafetensorsSource *s, const Tensor *t)
{
    const Range *range = range_of(s, t);
    if (!range || range->begin == range->end || !numbers_as_in_memory(range->type))
        return NULL;
    if (!s->map)
        s->map = disk_map(s->in.descriptor, (size_t)s->in.bytes);
    char *numbers = s->map ? s->map + s->data + range->begin : NULL;
    return (uintptr_t)numbers % sizeof(real) == 0 ? (real *)(void *)numbers : NULL;
}

/* Also after a failure part of the way: pointers that were not set are NULL. */
void safetensors_free(Safetensors *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->count; i++)
        tensor_free(s->tensors[i]);
    for (int i = 0; i < 2 * s->metadata_count; i++)
        mem_free(s->metadata[i]);
    mem_free(s->tensors);
    mem_free(s->metadata);
    *s = (Safetensors){0};
}

/* A linear search: a file has some hundred tensors. */
Tensor *safetensors_find(const Safetensors *s, const char *name)
{
    for (int i = 0; s && name && i < s->count; i++)
        if (strcmp(s->tensors[i]->name, name) == 0)
            return s->tensors[i];
    return NULL;
}
