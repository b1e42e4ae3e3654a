/* input.h: a file that is being read (internal).
 *
 * A regular file of a length that is known from the start, so that a parser can weigh every size it
 * finds before it uses it. Bytes are asked for by their place; nothing is held in between. */
#ifndef GRADUS_TENSOR_INPUT_H
#define GRADUS_TENSOR_INPUT_H

#include "../tensor.h"

typedef struct {
    const char *who, *path; /* begin every error: "safetensors_read: weights: ..." */
    int descriptor;
    int64_t bytes; /* the file's length when it was opened */
} Input;

#define INPUT_FAIL(in, format, ...) \
    tensor_fail("%s: %s: " format, (in)->who, (in)->path, __VA_ARGS__)

/* Errors: it cannot be opened, or is no regular file. Close it even then. */
bool input_open(Input *in, const char *who, const char *path);

/* The `count` bytes from `at` on. Error: they are not there, or cannot be read. */
bool input_read(const Input *in, int64_t at, void *bytes, size_t count);

void input_close(Input *in);

#endif
