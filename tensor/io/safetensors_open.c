/* safetensors_open.c: named tensors whose numbers stay in the file until they are read.
 *
 * safetensors_rows reads the file and does not map it: a file that is cut short while it is in use
 * is an error then, where a mapping would end the process (SIGBUS). safetensors_mapped maps it, for
 * callers who ask for that: nothing is read until it is used, and processes share the pages.
 *
 * A SafetensorsSource owns the open file, the ranges and the header's tensors, which have names
 * and shapes but no numbers. Reading needs no lock: positions are absolute, and nothing but the
 * caller's memory is written. */
#include "../memory.h"
#include "tensor/threads/parallel.h"
#include "disk.h"
#include "safetensors.h"

#include <string.h>

/* What a source keeps open. The path is a copy, for the errors of later reads. */
struct SafetensorsFile {
    Reader reader;
    char *path;
    char *map; /* all of the file, or NULL */
};

/* Also releases a source that safetensors_open could not complete. */
void safetensors_close(SafetensorsSource *s)
{
    if (!s)
        return;
    safetensors_free(&s->header);
    if (s->file) {
        if (s->file->map)
            disk_unmap(s->file->map, (size_t)s->file->reader.in.bytes);
        input_close(&s->file->reader.in);
        mem_free(s->file->reader.ranges);
        mem_free(s->file->path);
        mem_free(s->file);
    }
    *s = (SafetensorsSource){0};
}

/* Everything but the numbers is checked here, so that later reads fail only where the disk does or
 * a number does not fit. */
bool safetensors_open(SafetensorsSource *s, const char *path)
{
    if (!s || !path)
        return tensor_fail(
            "safetensors_open: %s is NULL; expected a SafetensorsSource to fill, and a path",
            s ? "path" : "s");
    *s = (SafetensorsSource){0};
    s->file = mem_zeroed(sizeof *s->file);
    if (s->file) {
        s->file->reader.in.descriptor = -1;
        s->file->reader.s = &s->header;
        s->file->path = mem_strdup(path);
    }
    bool ok = s->file && s->file->path &&
              safetensors_begin(&s->file->reader, "safetensors_open", s->file->path);
    if (ok)
        s->file->reader.s = NULL; /* the caller may move what s points to */
    else
        safetensors_close(s);
    return ok;
}

/* The range of a tensor of this file, found by its address; NULL, with an error, for any other
 * tensor. */
static const Range *range_of(const SafetensorsSource *s, const Tensor *t)
{
    const Reader *r = s && s->file ? &s->file->reader : NULL;
    for (int i = 0; r && i < r->count; i++)
        if (r->ranges[i].tensor == t)
            return &r->ranges[i];
    tensor_fail(
        "safetensors: the tensor is not one of this file's; expected one of header.tensors");
    return NULL;
}

/* Rows `first` to first + count - 1 along the first axis, which are contiguous in the file. A
 * tensor of rank 0 is one row. */
static bool read_rows(const SafetensorsSource *s, const Range *range, int64_t first, int64_t count,
                      real *out)
{
    const Reader *r = &s->file->reader;
    const Tensor *t = range->tensor;
    char what[TENSOR_NAME_MAX + 16];
    int64_t rows = t->shape.rank > 0 ? t->shape.dim[0] : 1;
    int64_t row = rows > 0 ? tensor_size(t) / rows : 0;
    if (first < 0 || count < 0 || first > rows - count)
        return READ_FAIL(r, "rows %lld to %lld of '%s' %s; it has %lld", (long long)first,
                         (long long)(first + count - 1), t->name, shape_str(t->shape),
                         (long long)rows);
    snprintf(what, sizeof what, "tensor '%s'", t->name);
    int64_t at =
        8 + r->header_bytes + range->begin + first * row * (int64_t)number_bytes(range->type);
    return numbers_read(&r->in, what, range->type, at, count * row, out);
}

/* A row is all that lies inside one index of the first axis: of an embedding (V, C), the vector of
 * one token. */
bool safetensors_rows(const SafetensorsSource *s, const Tensor *t, int64_t first, int64_t count,
                      real *out)
{
    const Range *range = range_of(s, t);
    return range && read_rows(s, range, first, count, out);
}

Tensor *safetensors_take(const SafetensorsSource *s, const Tensor *t, double **doubles)
{
    const Range *range = range_of(s, t);
    Tensor *out = range ? mem_zeroed(sizeof *out) : NULL;
    if (!out)
        return NULL;
    Input in = s->file->reader.in;
    int64_t at = 8 + s->file->reader.header_bytes + range->begin;
    in.as_real = true;
    in.doubles = doubles;
    tensor_set_contiguous(out, t->shape);
    if (numbers_take(&in, t->name, out, range->type, at))
        return out;
    tensor_free(out);
    return NULL;
}

/* Some rows of a matrix, and where their transpose goes. */
typedef struct {
    const real *rows;
    real *out;
    int64_t first, count, n, m;
} Block;

/* The body of parallel_for: the columns begin to end - 1 of the block become parts of the rows of
 * `out`. */
static void transpose(int64_t begin, int64_t end, void *context)
{
    const Block *b = context;
    for (int64_t j = begin; j < end; j++)
        for (int64_t i = 0; i < b->count; i++)
            b->out[j * b->n + b->first + i] = b->rows[i * b->m + j];
}

/* out (m, n) = t^T of t (n, m), 32 rows at a time, so that the matrix is never twice in memory. */
bool safetensors_transposed(const SafetensorsSource *s, const Tensor *t, real *out)
{
    enum { ROWS = 32 }; /* read at a time: whole cache lines of the transpose */
    const Range *range = range_of(s, t);
    if (!range)
        return false;
    if (t->shape.rank != 2)
        return READ_FAIL(&s->file->reader, "'%s' is %s; expected a matrix to transpose", t->name,
                         shape_str(t->shape));
    Block b = {.out = out, .n = t->shape.dim[0], .m = t->shape.dim[1]};
    real *rows = mem_alloc((size_t)(ROWS * b.m) * sizeof *rows);
    bool ok = rows != NULL;
    b.rows = rows;
    for (b.first = 0; ok && b.first < b.n; b.first += b.count) {
        b.count = b.n - b.first < ROWS ? b.n - b.first : ROWS;
        ok = read_rows(s, range, b.first, b.count, rows);
        if (ok)
            parallel_for(b.m, parallel_grain(b.count), transpose, &b);
    }
    mem_free(rows);
    return ok;
}

/* A tensor without numbers is left to safetensors_rows. */
real *safetensors_mapped(const SafetensorsSource *s, const Tensor *t)
{
    const Range *range = range_of(s, t);
    if (!range || range->begin == range->end || !numbers_as_in_memory(range->type))
        return NULL;
    Reader *r = &s->file->reader;
    if (!s->file->map)
        s->file->map = disk_map(r->in.descriptor, (size_t)r->in.bytes);
    if (!s->file->map)
        return NULL;
    char *numbers = s->file->map + 8 + r->header_bytes + range->begin;
    return (uintptr_t)numbers % sizeof(real) == 0 ? (real *)(void *)numbers : NULL;
}
