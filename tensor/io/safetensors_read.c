/* safetensors_read.c: reads named tensors from a safetensors file.
 *
 *   8 bytes        N, the header's length, little-endian, at most 100,000,000
 *   N bytes        the header: names, shapes and ranges of bytes     safetensors_header.c
 *   all the rest   the numbers, little-endian; ranges count from here
 *
 * Format: github.com/huggingface/safetensors. A file is not trusted: the ranges must cover the data
 * exactly, without hole or overlap, and no size in the header is used before it is checked. Two
 * passes read the header, the first to check and count, the second to fill; they take at most twice
 * the file's length and 1 MiB. Memory for numbers is taken after all checks, so that a refused file
 * costs no more than its header. */
#include "tensor/memory.h"
#include "tensor/io/safetensors.h"

#include <stdlib.h>
#include <string.h>

enum { SPARE = 1 << 20 };

/* ---- the entries against each other ---------------------------------------------------------- */

/* The memory that the entries take without their numbers is limited: a header of many empty tensors
 * could request far more than the file's length. `each` is an upper bound of what one tensor's
 * entry takes, its name in check_names included. */
static bool check_memory(Reader *r)
{
    int64_t each = sizeof(Tensor) + sizeof(Tensor *) + sizeof(Range) + sizeof(char *) + 1;
    int64_t most = 2 * r->in.bytes + SPARE;
    int64_t bytes = r->header_bytes + r->count * each + r->pairs * (int64_t)(3 * sizeof(char *)) +
                    r->metadata_bytes;
    return bytes <= most ||
           READ_FAIL(r,
                     "%d tensors and %d metadata pairs would take %lld bytes of "
                     "memory; expected at most %lld for a file of %lld",
                     r->count, r->pairs, (long long)bytes, (long long)most, (long long)r->in.bytes);
}

/* Allocates the arrays of the counted sizes, and fills them by the second pass. */
static bool fill(Reader *r)
{
    size_t count = (size_t)r->count, texts = 2 * (size_t)r->pairs;
    Safetensors *s = r->s;
    s->tensors = mem_alloc(count * sizeof *s->tensors);
    s->metadata = mem_alloc(texts * sizeof *s->metadata);
    r->ranges = mem_alloc(count * sizeof *r->ranges);
    if (!s->tensors || !s->metadata || !r->ranges)
        return false;
    for (size_t i = 0; i < texts; i++)
        s->metadata[i] = NULL;
    s->metadata_count = r->pairs;
    return safetensors_header(r, true);
}

/* No two tensors may have the same name. */
static bool check_names(Reader *r)
{
    const Safetensors *s = r->s;
    int most = s->count > s->metadata_count ? s->count : s->metadata_count;
    const char **names = mem_alloc((size_t)most * sizeof *names);
    if (!names)
        return false;
    for (int i = 0; i < s->count; i++)
        names[i] = s->tensors[i]->name;
    const char *twice = json_repeated(names, (size_t)s->count);
    if (!twice) {
        for (int i = 0; i < s->metadata_count; i++)
            names[i] = s->metadata[2 * i];
        twice = json_repeated(names, (size_t)s->metadata_count);
    }
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

/* Checks the numbers of all tensors before any of them is allocated. */
static bool check_numbers(const Reader *r)
{
    for (int i = 0; i < r->count; i++) {
        const Range *range = &r->ranges[i];
        char what[TENSOR_NAME_MAX + 16];
        snprintf(what, sizeof what, "tensor '%s'", range->tensor->name);
        if (!numbers_check(&r->in, what, range->type, file_offset(r, range),
                           tensor_size(range->tensor)))
            return false;
    }
    return true;
}

/* Reads the numbers of all tensors, after everything was checked. */
static bool take_numbers(const Reader *r)
{
    for (int i = 0; i < r->count; i++) {
        const Range *range = &r->ranges[i];
        if (!numbers_take(&r->in, range->tensor, range->type, file_offset(r, range)))
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
    bool ok = input_open(&r->in, who, path) && take_header(r) && safetensors_header(r, false) &&
              check_memory(r) && fill(r) && check_names(r) && check_tiling(r);
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
    bool ok =
        safetensors_begin(&r, "safetensors_read", path) && check_numbers(&r) && take_numbers(&r);
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
