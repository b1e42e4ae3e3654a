/* safetensors_read.c: named tensors out of a safetensors file.
 *
 *   8 bytes        N, the header's length, little-endian, at most 100,000,000
 *   N bytes        the header: names, shapes and ranges of bytes     safetensors_header.c
 *   all the rest   the numbers, little-endian; ranges count from here
 *
 * Format: github.com/huggingface/safetensors. A file is untrusted: the ranges must cover the data
 * exactly, without hole or overlap, and no memory is taken on the header's word. The header is gone
 * through twice, first to check and count, then to fill; what it takes is at most twice the file and
 * 1 MiB. Numbers get their memory when nothing can be wrong any more: every file that is refused
 * costs no more than its header. */
#include "../memory.h"
#include "safetensors.h"

#include <stdlib.h>
#include <string.h>

enum { SPARE = 1 << 20 };

/* ---- what the entries say together ----------------------------------------------------------- */

/* What the entries will take beside their numbers. A header of many empty tensors could ask for far more memory
 * than the file is long. */
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

/* Arrays of the counted sizes, and what goes into them. */
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

static int by_begin(const void *a, const void *b)
{
    const Range *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end); /* an empty one stands in front */
}

/* Puts the ranges into the file's order, and sees that each begins where the one before ends. */
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

static int64_t place_of(const Reader *r, const Range *range)
{
    return 8 + r->header_bytes + range->begin;
}

/* Of all tensors, before the first of them gets memory. */
static bool check_numbers(const Reader *r)
{
    for (int i = 0; i < r->count; i++) {
        const Range *range = &r->ranges[i];
        char what[TENSOR_NAME_MAX + 16];
        snprintf(what, sizeof what, "tensor '%s'", range->tensor->name);
        if (!numbers_check(&r->in, what, range->type, place_of(r, range),
                           tensor_size(range->tensor)))
            return false;
    }
    return true;
}

static bool take_numbers(const Reader *r)
{
    for (int i = 0; i < r->count; i++) {
        const Range *range = &r->ranges[i];
        if (!numbers_take(&r->in, range->tensor, range->type, place_of(r, range)))
            return false;
    }
    return true;
}

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
        return READ_FAIL(r, "a header of %llu bytes; expected at most %d",
                         (unsigned long long)length, SAFETENSORS_HEADER_MAX);
    if ((int64_t)length > r->in.bytes - 8)
        return READ_FAIL(r, "a header of %llu bytes; expected at most the %lld that follow",
                         (unsigned long long)length, (long long)(r->in.bytes - 8));
    r->header_bytes = (int64_t)length;
    r->data_bytes = r->in.bytes - 8 - r->header_bytes;
    r->header = mem_alloc((size_t)length);
    return r->header && input_read(&r->in, 8, r->header, (size_t)length);
}

bool safetensors_read(Safetensors *s, const char *path)
{
    if (!s || !path)
        return tensor_fail("safetensors_read: expected a Safetensors to fill, and a path");
    *s = (Safetensors){0};
    Reader r = {.s = s};
    bool ok = input_open(&r.in, "safetensors_read", path) && take_header(&r) &&
              safetensors_header(&r, false) && check_memory(&r) && fill(&r) && check_names(&r) &&
              check_tiling(&r) && check_numbers(&r);
    mem_free(r.header);
    ok = ok && take_numbers(&r);
    input_close(&r.in);
    mem_free(r.ranges);
    if (!ok)
        safetensors_free(s);
    return ok;
}

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

Tensor *safetensors_find(const Safetensors *s, const char *name)
{
    for (int i = 0; s && name && i < s->count; i++)
        if (strcmp(s->tensors[i]->name, name) == 0)
            return s->tensors[i];
    return NULL;
}
