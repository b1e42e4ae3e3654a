/* hostile.c: see hostile.h. */
#include "tests/tensor/hostile.h"

#include "tests/harness/runner.h"

#include <stdlib.h>
#include <string.h>

size_t make_safetensors(const char *path, const char *header, size_t header_bytes, const void *data,
                        size_t data_bytes)
{
    size_t all = 8 + header_bytes + data_bytes;
    unsigned char *file = malloc(all);
    for (int i = 0; i < 8; i++)
        file[i] = (unsigned char)((uint64_t)header_bytes >> 8 * i);
    memcpy(file + 8, header, header_bytes);
    if (data_bytes > 0)
        memcpy(file + 8 + header_bytes, data, data_bytes);
    bool written = CHECK(scratch_write(path, file, all), "cannot write %s", path);
    free(file);
    return written ? all : 0;
}

size_t make_tensor_file(const char *path, const char *dtype, const char *shape, const void *data,
                        size_t bytes, bool odd)
{
    char header[200];
    int length = snprintf(header, sizeof header,
                          "{\"t\":{\"dtype\":\"%s\",\"shape\":%s,\"data_offsets\":[0,%zu]}}", dtype,
                          shape, bytes);
    while (length % 2 != odd)
        header[length++] = ' ';
    return make_safetensors(path, header, (size_t)length, data, bytes);
}

void check_refused_file(bool (*reads)(const char *path), const char *path, const char *error,
                        size_t times, size_t file_bytes)
{
    Memory m = {0};
    memory_watch(&m);
    CHECK(!reads(path), "read without an error; expected: %s", error);
    CHECK(strstr(tensor_error(), path) != NULL, "no file's name in: %s", tensor_error());
    CHECK_ERROR(error);
    CHECK(m.blocks == 0, "%ld blocks are left after: %s", m.blocks, error);
    CHECK(m.peak <= times * file_bytes + (1 << 20), "%zu bytes taken for a file of %zu", m.peak,
          file_bytes);
    memory_unwatch();
}
