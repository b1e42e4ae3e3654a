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

#include <stdarg.h>
#include <string.h>

/* Text that grows. After a failure, which is recorded, it no longer changes. */
typedef struct {
    char *bytes;
    size_t used, size;
    bool failed;
} Text;

/* Appends bytes; the capacity doubles, so that n bytes cost O(n). */
static void append(Text *t, const char *bytes, size_t count)
{
    if (t->failed)
        return;
    if (count > t->size - t->used) {
        size_t larger = 2 * t->size + count + 256;
        char *grown = mem_grow(t->bytes, t->used, larger);
        if (!grown) {
            t->failed = true;
            return;
        }
        t->bytes = grown;
        t->size = larger;
    }
    memcpy(t->bytes + t->used, bytes, count);
    t->used += count;
}

/* The same, printf-style, of less than 100 bytes. */
static void append_text(Text *t, const char *format, ...)
{
    char text[100];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    append(t, text, (size_t)length);
}

/* Appends a text, quoted and escaped. */
static void append_string(Text *t, const char *text)
{
    append_text(t, "\"");
    for (size_t left = strlen(text), taken; left > 0; text += taken, left -= taken) {
        char escaped[JSON_CHARACTER];
        size_t length;
        taken = json_character(text, left, escaped, &length);
        append(t, escaped, length);
    }
    append_text(t, "\"");
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* Is the text valid UTF-8, as JSON requires? */
static bool is_utf8(const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        size_t length = utf8_length(text, left);
        if (length == 0)
            return false;
        text += length;
        left -= length;
    }
    return true;
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
    if (!t->name[0] || strcmp(t->name, "__metadata__") == 0)
        return tensor_fail("safetensors_write: tensor %d is named '%s'; expected a name of its own",
                           i, t->name);
    if (!is_utf8(t->name))
        return tensor_fail(
            "safetensors_write: the name of tensor %d is not valid UTF-8; expected UTF-8", i);
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
static bool check_names(const char **names, Tensor *const *tensors, int count,
                        const char *const *metadata, int pairs)
{
    for (int i = 0; i < count; i++) {
        if (!check_tensor(tensors[i], i))
            return false;
        names[i] = tensors[i]->name;
    }
    if (!check_repeated("tensor", names, count))
        return false;
    for (int i = 0; i < 2 * pairs; i++) {
        if (!metadata[i] || !is_utf8(metadata[i]))
            return tensor_fail("safetensors_write: metadata text %d is %s; expected UTF-8 text", i,
                               metadata[i] ? "not valid UTF-8" : "NULL");
        names[i / 2] = metadata[i / 2 * 2];
    }
    return check_repeated("metadata key", names, pairs);
}

/* Everything that the reader would refuse is refused here, before a file is made. */
static bool check(Tensor *const *tensors, int count, const char *const *metadata, int pairs)
{
    if (count < 0 || pairs < 0 || (count > 0 && !tensors) || (pairs > 0 && !metadata))
        return tensor_fail("safetensors_write: %d tensors and %d metadata pairs; expected lists of "
                           "these lengths",
                           count, pairs);
    const char **names = mem_alloc((size_t)(count > pairs ? count : pairs) * sizeof *names);
    bool ok = names && check_names(names, tensors, count, metadata, pairs);
    mem_free(names);
    return ok;
}

/* ---- the header ------------------------------------------------------------------------------ */

/* The entry "__metadata__", unless there are no pairs. */
static void append_metadata(Text *t, const char *const *metadata, int pairs)
{
    append_text(t, "\"__metadata__\":{");
    for (int i = 0; i < 2 * pairs; i++) {
        append_string(t, metadata[i]);
        append_text(t, i % 2 == 0 ? ":" : i + 1 < 2 * pairs ? "," : "");
    }
    append_text(t, "}");
}

/* The count of bytes cannot overflow, since the numbers are in memory.
 * Returns where the next tensor begins. */
static int64_t append_tensor(Text *t, const Tensor *tensor, int64_t begin)
{
    NumberType type = numbers_type(tensor);
    int64_t end = begin + number_bytes(type) * tensor_size(tensor);
    append_string(t, tensor->name);
    append_text(t, ":{\"dtype\":\"%s\",\"shape\":[", number_name(type));
    for (int i = 0; i < tensor->shape.rank; i++)
        append_text(t, i > 0 ? ",%lld" : "%lld", (long long)tensor->shape.dim[i]);
    append_text(t, "],\"data_offsets\":[%lld,%lld]}", (long long)begin, (long long)end);
    return end;
}

/* The header with its padding. False, with an error, when it is too long or memory is out.
 * JSON ignores the spaces. */
static bool make_header(Text *t, Tensor *const *tensors, int count, const char *const *metadata,
                        int pairs)
{
    int64_t at = 0;
    append_text(t, "{");
    if (pairs > 0)
        append_metadata(t, metadata, pairs);
    for (int i = 0; i < count; i++) {
        if (i > 0 || pairs > 0)
            append_text(t, ",");
        at = append_tensor(t, tensors[i], at);
    }
    append_text(t, "}");
    while (!t->failed && t->used % 8 != 0)
        append_text(t, " ");
    return !t->failed &&
           (t->used <= SAFETENSORS_HEADER_MAX ||
            tensor_fail("safetensors_write: a header of %zu bytes; expected at most %d", t->used,
                        SAFETENSORS_HEADER_MAX));
}

/* ---- the bytes ------------------------------------------------------------------------------- */

/* tensor_file_commit reports a write that failed.
 * Eight bytes of length, the header, the numbers of each tensor. */
static bool write_file(const char *path, const Text *header, Tensor *const *tensors, int count)
{
    AtomicFile *file = tensor_file_open(path);
    if (!file)
        return false;
    FILE *out = tensor_file_stream(file);
    for (int i = 0; i < 8; i++) /* the lowest byte first */
        putc((int)((uint64_t)header->used >> 8 * i & 0xFF), out);
    fwrite(header->bytes, 1, header->used, out);
    for (int i = 0; i < count; i++)
        numbers_put(out, tensors[i]);
    return tensor_file_commit(file);
}

/* In three steps: check everything, make the header in memory, write the file as a whole. */
bool safetensors_write(const char *path, Tensor *const *tensors, int count,
                       const char *const *metadata, int metadata_count)
{
    Text header = {0};
    bool ok = check(tensors, count, metadata, metadata_count) &&
              make_header(&header, tensors, count, metadata, metadata_count) &&
              write_file(path, &header, tensors, count);
    mem_free(header.bytes);
    return ok;
}
