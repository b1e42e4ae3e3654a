/* hostile.h: files that are put together by hand, and the reading of those that are wrong. */
#ifndef GRADUS_TESTS_HOSTILE_H
#define GRADUS_TESTS_HOSTILE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes a safetensors file: the header's length, the header, and the data. Returns its bytes; 0 on
 * a failure, which is checked. */
size_t make_safetensors(const char *path, const char *header, size_t header_bytes, const void *data,
                        size_t data_bytes);

/* The same of one tensor "t", whose data begins at an odd byte or at an even one. */
size_t make_tensor_file(const char *path, const char *dtype, const char *shape, const void *data,
                        size_t bytes, bool odd);

/* Checks that `reads` fails with this error, which names the file, that it leaves no memory behind,
 * and that it takes at most so many times the file's length, and 1 MiB. */
void check_refused_file(bool (*reads)(const char *path), const char *path, const char *error,
                        size_t times, size_t file_bytes);

#endif
