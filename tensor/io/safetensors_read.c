/* safetensors_read.c: reads named tensors from a safetensors file.
 *
 *   8 bytes        N, the header's length, little-endian, at most 100,000,000
 *   N bytes        the header: names, shapes and ranges of bytes     safetensors_header.c
 *   all the rest   the numbers, little-endian; ranges count from here
 *
 * Format: github.com/huggingface/safetensors. A file is not trusted: the ranges must cover the data
 * exactly, without hole or overlap, and no size in the header is used before it is checked. Memory
 * for numbers is taken after the checks of the header. */
#include "tensor/memory.h"
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
static bool check_names(Reader *r)
{
    const char **names = mem_alloc((size_t)r->count * sizeof *names);
    if (!names)
        return false;
    for (int i = 0; i < r->count; i++)
        names[i] = r->s->tensors[i]->name;
    const char *twice = safetensors_repeated(names, r->count);
    mem_free(names);
    return !twice || READ_FAIL(r, "the name '%s' occurs twice; expected each once", twice);
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
static bool check_tiling(Reader *r)
{
    int64_t at = 0;
    if (r->count > 1)
        qsort(r->ranges, (size_t)r->count, sizeof *r->ranges, by_begin);
    for (int i = 0; i < r->count; i++) {
        const Range *range = &r->ranges[i];
        if (range->begin > at)
            return READ_FAIL(r,
                             "data bytes %lld to %lld in front of tensor '%s' belong to no tensor",
                             (long long)at, (long long)range->begin, range->tensor->name);
        if (range->begin < at)
            return READ_FAIL(
                r, "tensors '%s' and '%s' overlap; expected '%s' to begin at data byte %lld",
                range[-1].tensor->name, range->tensor->name, range->tensor->name, (long long)at);
        at = range->end;
    }
    return at == r->data_bytes ||
           READ_FAIL(r, "%lld bytes follow the last tensor; expected the file to end there",
                     (long long)(r->data_bytes - at));
}

/* ---- the bytes ------------------------------------------------------------------------------- */

/* The byte of the file at which a range begins. */
static int64_t file_offset(const Reader *r, const Range *range)
{
    return 8 + r->header_bytes + range->begin;
}

/* Reads the numbers of all tensors, after everything but these was checked. */
static bool take_numbers(const Reader *r)
{
    for (int i = 0; i < r->count; i++) {
        const Range *range = &r->ranges[i];
        char what[TENSOR_NAME_MAX + 16];
        snprintf(what, sizeof what, "tensor '%s'", range->tensor->name);
        if (!numbers_take(&r->in, what, range->tensor, range->type, file_offset(r, range)))
            return false;
    }
    return true;
}

/* Refuses a length that no header has. Eight letters in its place are the beginning of a text that
 * lies where the weights should: a Git LFS pointer, a page of a server. */
static bool refuse_length(const Reader *r, const unsigned char b[8], uint64_t length)
{
    bool text = true;
    for (int i = 0; i < 8; i++)
        text = text && ((b[i] >= ' ' && b[i] <= '~') || b[i] == '\n' || b[i] == '\r');
    if (memcmp(b, "version ", 8) == 0)
        return READ_FAIL(r, "%s",
                         "a Git LFS pointer, which only names the weights; expected the "
                         "weights, which `git lfs pull` fetches");
    if (text && b[0] == '<')
        return READ_FAIL(r, "%s", "an HTML page; expected the weights: download the file again");
    if (text)
        return READ_FAIL(r,
                         "a text that begins with '%.8s'; expected the weights in safetensors' "
                         "format",
                         (const char *)b);
    return READ_FAIL(r, "a header of %llu bytes; expected at most %d", (unsigned long long)length,
                     SAFETENSORS_HEADER_MAX);
}

/* Reads the header into memory, whose length is checked against the file first.
 * The length is at most 100 MB and at most the file. */
static bool take_header(Reader *r)
{
    unsigned char b[8];
    uint64_t length = 0;
    if (r->in.bytes < 8)
        return READ_FAIL(r, "%lld bytes; expected at least 8 for the header's length",
                         (long long)r->in.bytes);
    if (!input_read(&r->in, 0, b, sizeof b))
        return false;
    for (int i = 7; i >= 0; i--)
        length = length << 8 | b[i];
    if (length > SAFETENSORS_HEADER_MAX)
        return refuse_length(r, b, length);
    if ((int64_t)length > r->in.bytes - 8)
        return READ_FAIL(r, "a header of %llu bytes; expected at most the %lld that follow",
                         (unsigned long long)length, (long long)(r->in.bytes - 8));
    r->header_bytes = (int64_t)length;
    r->data_bytes = r->in.bytes - 8 - r->header_bytes;
    r->header = mem_alloc((size_t)length);
    return r->header && input_read(&r->in, 8, r->header, (size_t)length);
}

/* The checks in their order; the header's text is released at the end, since everything was taken
 * from it. */
bool safetensors_begin(Reader *r, const char *who, const char *path)
{
    bool ok = input_open(&r->in, who, path) && take_header(r) && safetensors_header(r) &&
              check_names(r) && check_tiling(r);
    mem_free(r->header);
    r->header = NULL;
    return ok;
}

/* s is empty until everything has succeeded, and again after a failure. */
bool safetensors_read(const char *path, Safetensors *s)
{
    if (!s || !path)
        return tensor_fail(
            "safetensors_read: s or path is NULL; expected a Safetensors to fill, and a path");
    *s = (Safetensors){0};
    Reader r = {.s = s};
    bool ok = safetensors_begin(&r, "safetensors_read", path) && take_numbers(&r);
    input_close(&r.in);
    mem_free(r.ranges);
    if (!ok)
        safetensors_free(s);
    return ok;
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
