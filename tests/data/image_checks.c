/* image_checks.c: see image_checks.h. */
#include "tests/data/image_checks.h"

#include "tests/harness/runner.h"

#include <string.h>

void image_refused(bool (*read)(const char *path, Images *m), const char *path, const char *error,
                   size_t file_bytes)
{
    Images m;
    Memory memory = {0};
    memory_watch(&memory);
    CHECK(!read(path, &m), "read without an error; expected: %s", error);
    CHECK(strstr(tensor_error(), path) != NULL, "no file's name in: %s", tensor_error());
    CHECK_ERROR(error);
    CHECK(!m.bytes && !m.labels && memory.blocks == 0, "%ld blocks are left", memory.blocks);
    CHECK(memory.peak <= 2 * file_bytes + (1 << 20), "%zu bytes taken for a file of %zu",
          memory.peak, file_bytes);
    memory_unwatch();
}
