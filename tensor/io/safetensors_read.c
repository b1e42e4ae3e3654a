/* safetensors_read.c: reads named tensors from a safetensors file, all at once or on request.
 *
 *   8 bytes        N, the header's length, little-endian, at most 100,000,000
 *   N bytes        the header: names, shapes and ranges of bytes     safetensors_header.c
 *   all the rest   the numbers, little-endian; ranges count from here
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
#include "tensor/io/safetensors.h"

#include <stdlib.h>
#include <string.h>

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
    return at == s->data_bytes ||
           READ_FAIL(s, "%lld bytes follow the last tensor; expected the file to end there",
                     (long long)(s->data_bytes - at));
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
    if (text && b[0] == '<')
        return READ_FAIL(s, "%s", "an HTML page; expected the weights: download the file again");
    if (text)
        return READ_FAIL(s,
                         "a text that begins with '%.8s'; expected the weights in safetensors' "
                         "format",
                         (const char *)b);
    return READ_FAIL(s, "a header of %llu bytes; expected at most %d", (unsigned long long)length,
                     SAFETENSORS_HEADER_MAX);
}

/* Reads the header, whose length is checked against the file first, and makes of it the tensors. */
static bool take_header(SafetensorsSource *s)
{
    unsigned char b[8];
    if (s->in.bytes < 8)
        return READ_FAIL(s, "%lld bytes; expected at least 8 for the header's length",
                         (long long)s->in.bytes);
    if (!input_read(&s->in, 0, b, sizeof b))
        return false;
    const uint64_t length = number_bits(b, 8);
    if (length > SAFETENSORS_HEADER_MAX)
        return refuse_length(s, b, length);
    if ((int64_t)length > s->in.bytes - 8)
        return READ_FAIL(s, "a header of %llu bytes; expected at most the %lld that follow",
                         (unsigned long long)length, (long long)(s->in.bytes - 8));
    s->header_bytes = (int64_t)length;
    s->data_bytes = s->in.bytes - 8 - s->header_bytes;
    char *text = mem_alloc((size_t)length);
    bool ok = text && input_read(&s->in, 8, text, (size_t)length) && safetensors_header(s, text);
    mem_free(text);
    return ok;
}

void safetensors_close(SafetensorsSource *s)
{
    if (!s)
        return;
    safetensors_free(&s->header);
    if (s->map)
        disk_unmap(s->map, (size_t)s->in.bytes);
    if (s->path)
        input_close(&s->in);
    mem_free(s->ranges);
    mem_free(s->path);
    *s = (SafetensorsSource){0};
}

/* The checks in their order. s is empty after a failure. */
static bool open_source(SafetensorsSource *s, const char *who, const char *path)
{
    *s = (SafetensorsSource){.path = mem_strdup(path)};
    if (s->path && input_open(&s->in, who, s->path) && take_header(s) && check_names(s) &&
        check_tiling(s))
        return true;
    safetensors_close(s);
    return false;
}

bool safetensors_open(SafetensorsSource *s, const char *path)
{
    if (!s || !path)
        return tensor_fail(
            "safetensors_open: %s is NULL; expected a SafetensorsSource to fill, and a path",
            s ? "path" : "s");
    return open_source(s, "safetensors_open", path);
}

/* ---- the numbers ----------------------------------------------------------------------------- */

/* The byte of the file at which a range begins. */
static int64_t file_offset(const SafetensorsSource *s, const Range *range)
{
    return 8 + s->header_bytes + range->begin;
}

/* Reads the numbers of all tensors into the header's. */
static bool take_numbers(const SafetensorsSource *s)
{
    for (int i = 0; i < s->header.count; i++) {
        const Range *range = &s->ranges[i];
        char what[TENSOR_NAME_MAX + 16];
        snprintf(what, sizeof what, "tensor '%s'", range->tensor->name);
        if (!numbers_take(&s->in, what, range->tensor, range->type, file_offset(s, range)))
            return false;
    }
    return true;
}

/* s is empty until everything has succeeded, and again after a failure. */
bool safetensors_read(const char *path, Safetensors *s)
{
    SafetensorsSource source;
    if (!s || !path)
        return tensor_fail(
            "safetensors_read: s or path is NULL; expected a Safetensors to fill, and a path");
    *s = (Safetensors){0};
    bool ok = open_source(&source, "safetensors_read", path) && take_numbers(&source);
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
    for (int i = 0; s && i < s->header.count; i++)
        if (s->ranges[i].tensor == t)
            return &s->ranges[i];
    tensor_fail(
        "safetensors: the tensor is not one of this file's; expected one of header.tensors");
    return NULL;
}

/* Rows are contiguous in the file: of an embedding (V, C), a row is the vector of one token. A
 * tensor of rank 0 is one row. */
bool safetensors_rows(const SafetensorsSource *s, const Tensor *t, int64_t first, int64_t count,
                      real *out)
{
    const Range *range = range_of(s, t);
    char what[TENSOR_NAME_MAX + 16];
    if (!range)
        return false;
    int64_t rows = t->shape.rank > 0 ? t->shape.dim[0] : 1;
    int64_t row = rows > 0 ? tensor_size(t) / rows : 0;
    if (first < 0 || count < 0 || first > rows - count)
        return READ_FAIL(s, "rows %lld to %lld of '%s' %s; it has %lld", (long long)first,
                         (long long)(first + count - 1), t->name, shape_str(t->shape),
                         (long long)rows);
    snprintf(what, sizeof what, "tensor '%s'", t->name);
    int64_t at = file_offset(s, range) + first * row * (int64_t)number_bytes(range->type);
    return numbers_read(&s->in, what, range->type, at, count * row, out);
}

Tensor *safetensors_take(const SafetensorsSource *s, const Tensor *t, double **doubles)
{
    const Range *range = range_of(s, t);
    Tensor *out = range ? mem_zeroed(sizeof *out) : NULL;
    if (!out)
        return NULL;
    Input in = s->in;
    in.as_real = true;
    in.doubles = doubles;
    tensor_set_contiguous(out, t->shape);
    if (numbers_take(&in, t->name, out, range->type, file_offset(s, range)))
        return out;
    tensor_free(out);
    return NULL;
}

/* A tensor without numbers is left to safetensors_rows. */
real *safetensors_mapped(SafetensorsSource *s, const Tensor *t)
{
    const Range *range = range_of(s, t);
    if (!range || range->begin == range->end || !numbers_as_in_memory(range->type))
        return NULL;
    if (!s->map)
        s->map = disk_map(s->in.descriptor, (size_t)s->in.bytes);
    char *numbers = s->map ? s->map + file_offset(s, range) : NULL;
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
