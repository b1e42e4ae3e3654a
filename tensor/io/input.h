/* input.h: a file that is read (internal).
 *
 * A regular file, whose length is known from the start, so that a parser can compare every size
 * that it finds with the length before it uses that size. Bytes are read by their position; nothing
 * is buffered. */
#ifndef GRADUS_TENSOR_INPUT_H
#define GRADUS_TENSOR_INPUT_H

#include "tensor/tensor.h"

/* An open file. `who` and `path` are the caller's texts and must outlive it. */
typedef struct {
    const char *who, *path; /* begin every error: "safetensors_read: weights: ..." */
    int descriptor;
    int64_t bytes; /* the file's length when it was opened */
} Input;

/* Records "who: path: ...", printf-style. Always false. */
#define INPUT_FAIL(in, format, ...) \
    tensor_fail("%s: %s: " format, (in)->who, (in)->path, __VA_ARGS__)

/* Opens the file. False, with an error, where it cannot be opened or is no regular file; call
 * input_close even then. */
bool input_open(Input *in, const char *who, const char *path);

/* Reads `count` bytes from byte `at` on. False, with an error, where the file ends before, or
 * reading fails. */
bool input_read(const Input *in, int64_t at, void *bytes, size_t count);

void input_close(Input *in); /* also after input_open returned false */

/* All bytes of a file that has at most `most`, and a 0 behind them, which mem_free releases. NULL
 * with an error. */
char *input_whole(const char *who, const char *path, int64_t most, size_t *count);

/* Looks whether there is something of this path: *there. False, with an error, where that cannot be
 * known. */
bool input_look(const char *who, const char *path, bool *there);

#endif
