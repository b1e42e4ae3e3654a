/* fuzz.c: see fuzz.h. */
#define _GNU_SOURCE /* memfd_create */
#include "tests/fuzz/fuzz.h"

#include "tensor/tensor.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *fuzz_file(const uint8_t *bytes, size_t size)
{
    static int file = -1;
    static char path[64];
    if (file >= 0)
        close(file);
    file = memfd_create("input", 0);
    FUZZ_REQUIRE(file >= 0 && write(file, bytes, size) == (ssize_t)size, "no file in memory");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return path;
}

void fuzz_outcome(int succeeded, const char *function)
{
    const char *error = tensor_error();
    FUZZ_REQUIRE(succeeded == !tensor_failed(), "%s returned %d with the error \"%s\"", function,
                 succeeded, error);
    if (!succeeded) {
        FUZZ_REQUIRE(strncmp(error, function, strlen(function)) == 0 &&
                         error[strlen(function)] == ':',
                     "%s: %s", function, error);
        FUZZ_REQUIRE(!strchr(error, '\n'), "%s", error);
    }
    tensor_clear_error();
}
