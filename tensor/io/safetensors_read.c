/* safetensors_read.c: named tensors out of a safetensors file.
 *
 *   8 bytes        N, the header's length, little-endian, at most 100,000,000
 *   N bytes        the header: names, shapes and ranges of bytes     safetensors_header.c
 *   all the rest   the numbers, little-endian; ranges count from here
 *
 * Format: github.com/huggingface/safetensors. A file is untrusted: the ranges must cover the data
 * exactly, without hole or overlap, and no memory is taken on the header's word. The header is gone
 * through twice, first to check and count, then to fill; all memory together is at most twice the
 * file and 1 MiB. Only F32 is read. */
#include "../memory.h"
#include "safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SPARE = 1 << 20 };

/* ---- what the entries say together ----------------------------------------------------------- */

/* Everything that reading will take. A header of many empty tensors could ask for far more memory
 * than the file is long. */
static bool check_memory(Reader *r)
{
    int64_t each = sizeof(Tensor) + sizeof(Tensor *) + sizeof(Range) + sizeof(char *) + 1;
    int64_t most = 2 * r->file_bytes + SPARE;
    int64_t bytes = r->header_bytes + r->data_bytes / 4 * (int64_t)sizeof(real) + r->count * each +
                    r->pairs * (int64_t)(3 * sizeof(char *)) + r->metadata_bytes;
    return bytes <= most || READ_FAIL(r,
                                      "%d tensors and %d metadata pairs would take %lld bytes of "
                                      "memory; expected at most %lld for a file of %lld",
                                      r->count, r->pairs, (long long)bytes, (long long)most,
                                      (long long)r->file_bytes);
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

static bool take_bytes(Reader *r, void *to, size_t bytes)
{
    unsigned char *at = to;
    while (bytes > 0) {
        ssize_t n = read(r->descriptor, at, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return READ_FAIL(r, "cannot read: %s", strerror(errno));
        if (n == 0)
            return READ_FAIL(r, "the file ends %zu bytes early; it was cut while being read",
                             bytes);
        at += n;
        bytes -= (size_t)n;
    }
    return true;
}

/* Little-endian bytes at any address, whatever this machine's order is. */
static float float_at(const unsigned char *b)
{
    uint32_t bits =
        (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool take_numbers(Reader *r, Tensor *t)
{
    enum { AT_ONCE = 4096 };
    unsigned char bytes[4 * AT_ONCE];
    int64_t n = tensor_size(t);
    t->data = mem_alloc((size_t)n * sizeof(real)); /* no more than the file has, as was checked */
    if (!t->data)
        return false;
    for (int64_t i = 0; i < n; i += AT_ONCE) {
        int64_t now = n - i < AT_ONCE ? n - i : AT_ONCE;
        if (!take_bytes(r, bytes, 4 * (size_t)now))
            return false;
        for (int64_t k = 0; k < now; k++)
            t->data[i + k] = (real)float_at(bytes + 4 * k);
    }
    return true;
}

static bool take_header(Reader *r)
{
    unsigned char b[8];
    uint64_t length = 0;
    if (r->file_bytes < 8)
        return READ_FAIL(r, "%lld bytes; expected at least 8 for the header's length",
                         (long long)r->file_bytes);
    if (!take_bytes(r, b, sizeof b))
        return false;
    for (int i = 7; i >= 0; i--)
        length = length << 8 | b[i];
    if (length > SAFETENSORS_HEADER_MAX)
        return READ_FAIL(r, "a header of %llu bytes; expected at most %d",
                         (unsigned long long)length, SAFETENSORS_HEADER_MAX);
    if ((int64_t)length > r->file_bytes - 8)
        return READ_FAIL(r, "a header of %llu bytes; expected at most the %lld that follow",
                         (unsigned long long)length, (long long)(r->file_bytes - 8));
    r->header_bytes = (int64_t)length;
    r->data_bytes = r->file_bytes - 8 - r->header_bytes;
    r->header = mem_alloc((size_t)length);
    return r->header && take_bytes(r, r->header, (size_t)length);
}

static bool open_file(Reader *r)
{
    struct stat found;
    /* Without waiting: a pipe in the file's place would hold the program for ever. */
    r->descriptor = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (r->descriptor < 0 || fstat(r->descriptor, &found) != 0)
        return READ_FAIL(r, "cannot open: %s", strerror(errno));
    if (!S_ISREG(found.st_mode))
        return READ_FAIL(r, "it is a %s; expected a regular file",
                         S_ISDIR(found.st_mode) ? "directory" : "device or pipe");
    r->file_bytes = found.st_size;
    return true;
}

bool safetensors_read(Safetensors *s, const char *path)
{
    if (!s || !path)
        return tensor_fail("safetensors_read: expected a Safetensors to fill, and a path");
    *s = (Safetensors){0};
    Reader r = {.path = path, .descriptor = -1, .s = s};
    bool ok = open_file(&r) && take_header(&r) && safetensors_header(&r, false) &&
              check_memory(&r) && fill(&r) && check_names(&r) && check_tiling(&r);
    for (int i = 0; ok && i < r.count; i++)
        ok = take_numbers(&r, r.ranges[i].tensor);
    if (r.descriptor >= 0)
        close(r.descriptor);
    mem_free(r.header);
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
