/* safetensors_write.c: writes named tensors to a safetensors file (format: safetensors_read.c).
 *
 * Tensors are written in the given order without gaps, their numbers in row-major order: real as
 * F32 (libgradus) or F64 (libgradus-f64), ids as I32, so that reading returns the same bits. Spaces
 * pad the header so that the numbers begin at a multiple of 8. Nothing is written that the reader
 * would refuse: every check comes before the file is made, and the file appears as a whole or not
 * at all. */
#include "tensor/files.h"
#include "tensor/memory.h"
#include "tensor/io/json.h"
#include "tensor/io/safetensors.h"
#include "tensor/io/utf8.h"
#include "tensor/system/system.h"

#include <string.h>

/* What is written: the arguments of safetensors_write. */
typedef struct {
    Tensor *const *tensors;
    const char *const *metadata;
    int count, pairs;
} Content;

/* ---- checks ---------------------------------------------------------------------------------- */

/* Is the text valid UTF-8, as JSON requires? */
static bool is_utf8(const char *text)
{
    size_t length = 1;
    for (; *text && length > 0; text += length)
        length = utf8_length(text, strlen(text));
    return length > 0;
}

/* Can tensor number i be written: does it exist, with a name and numbers? */
static bool check_tensor(const Tensor *t, int i)
{
    if (tensor_is_poison(t))
        return tensor_fail(
            "safetensors_write: tensor %d is NULL or poison, as an earlier call failed; expected a "
            "tensor",
            i);
    if (!tensor_is_current(t, "safetensors_write"))
        return false;
    if (!t->name[0] || strcmp(t->name, "__metadata__") == 0 || !is_utf8(t->name))
        return tensor_fail(
            "safetensors_write: tensor %d is named '%s'; expected a name of its own, in UTF-8", i,
            t->name);
    if (!t->data && !t->ids)
        return tensor_fail("safetensors_write: %s holds no numbers; expected data or ids",
                           tensor_describe(t));
    return true;
}

/* No name may occur twice. Sorts the list. */
static bool check_repeated(const char *what, const char **names, int count)
{
    const char *twice = safetensors_repeated(names, count);
    return !twice ||
           tensor_fail("safetensors_write: %s '%s' occurs twice; expected each once", what, twice);
}

/* No two tensors, and no two metadata keys, may have the same name. */
static bool check_names(const char **names, const Content *c)
{
    for (int i = 0; i < c->count; i++) {
        if (!check_tensor(c->tensors[i], i))
            return false;
        names[i] = c->tensors[i]->name;
    }
    if (!check_repeated("tensor", names, c->count))
        return false;
    for (int i = 0; i < 2 * c->pairs; i++) {
        const char *text = c->metadata[i];
        if (!text || !is_utf8(text))
            return tensor_fail("safetensors_write: metadata text %d is %s; expected UTF-8 text", i,
                               text ? "not valid UTF-8" : "NULL");
        names[i / 2] = c->metadata[i / 2 * 2];
    }
    return check_repeated("metadata key", names, c->pairs);
}

/* Everything that the reader would refuse is refused here, before a file is made. */
static bool check(const Content *c)
{
    const int most = c->count > c->pairs ? c->count : c->pairs;
    if (c->count < 0 || c->pairs < 0 || (c->count > 0 && !c->tensors) ||
        (c->pairs > 0 && !c->metadata))
        return tensor_fail("safetensors_write: %d tensors and %d metadata pairs; expected lists of "
                           "these lengths",
                           c->count, c->pairs);
    const char **names = mem_alloc((size_t)most * sizeof *names);
    bool ok = names && check_names(names, c);
    mem_free(names);
    return ok;
}

/* ---- the header ------------------------------------------------------------------------------ */

/* The entry "__metadata__", unless there are no pairs. */
static void put_metadata(FILE *out, const Content *c)
{
    fputs("\"__metadata__\":{", out);
    for (int i = 0; i < 2 * c->pairs; i++) {
        json_put_text(out, c->metadata[i]);
        fputs(i % 2 == 0 ? ":" : i + 1 < 2 * c->pairs ? "," : "}", out);
    }
}

/* The count of bytes cannot overflow, since the numbers are in memory.
 * Returns where the next tensor begins. */
static int64_t put_tensor(FILE *out, const Tensor *t, int64_t begin)
{
    NumberType type = numbers_type(t);
    int64_t end = begin + number_bytes(type) * tensor_size(t);
    json_put_text(out, t->name);
    fprintf(out, ":{\"dtype\":\"%s\",\"shape\":[", number_name(type));
    for (int i = 0; i < t->shape.rank; i++)
        fprintf(out, i > 0 ? ",%lld" : "%lld", (long long)t->shape.dim[i]);
    fprintf(out, "],\"data_offsets\":[%lld,%lld]}", (long long)begin, (long long)end);
    return end;
}

static void put_header(FILE *out, const Content *c)
{
    int64_t at = 0;
    putc('{', out);
    if (c->pairs > 0)
        put_metadata(out, c);
    for (int i = 0; i < c->count; i++) {
        if (i > 0 || c->pairs > 0)
            putc(',', out);
        at = put_tensor(out, c->tensors[i], at);
    }
    putc('}', out);
}

static bool count_bytes(void *context, const void *bytes, size_t count)
{
    (void)bytes;
    *(size_t *)context += count;
    return true;
}

/* The header's length, which stands before it: it is written once to be counted. False, with an
 * error, where it is too long. */
static bool measure(const Content *c, size_t *length)
{
    ByteSink sink = {.put = count_bytes, .context = length};
    FILE *out = system_stream(&sink);
    *length = 0;
    if (out)
        put_header(out, c);
    if (!out || !system_stream_close(out, &sink))
        return tensor_fail("safetensors_write: out of memory for a stream");
    return *length <= SAFETENSORS_HEADER_MAX ||
           tensor_fail("safetensors_write: a header of %zu bytes; expected at most %d", *length,
                       SAFETENSORS_HEADER_MAX);
}

/* ---- the file -------------------------------------------------------------------------------- */

bool safetensors_write(const char *path, Tensor *const *tensors, int count,
                       const char *const *metadata, int metadata_count)
{
    const Content c = {tensors, metadata, count, metadata_count};
    size_t length;
    AtomicFile *file = check(&c) && measure(&c, &length) ? tensor_file_open(path) : NULL;
    if (!file)
        return false;
    FILE *out = tensor_file_stream(file);
    const size_t padding = (8 - length % 8) % 8;
    for (int i = 0; i < 8; i++) /* the lowest byte first */
        putc((int)((uint64_t)(length + padding) >> 8 * i & 0xFF), out);
    put_header(out, &c);
    fprintf(out, "%*s", (int)padding, "");
    for (int i = 0; i < count; i++)
        numbers_put(out, tensors[i]);
    return tensor_file_commit(file); /* which reports a write that failed */
}
