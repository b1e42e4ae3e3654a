/* fuzz.c: see fuzz.h. */
#define _GNU_SOURCE /* memfd_create */
#include "tests/fuzz/fuzz.h"

#include "tensor/tensor.h"

#include <dirent.h>
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

static char folder[64];

static void remove_folder(void)
{
    char path[sizeof folder + 256];
    DIR *all = opendir(folder);
    for (struct dirent *e; all && (e = readdir(all));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        unlink(path);
    }
    if (all)
        closedir(all);
    rmdir(folder);
}

const char *fuzz_folder(void)
{
    if (!*folder) {
        snprintf(folder, sizeof folder, "%s/fuzz-XXXXXX",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        FUZZ_REQUIRE(mkdtemp(folder), "no folder");
        atexit(remove_folder);
    }
    return folder;
}

void fuzz_write(const char *name, const void *bytes, size_t size)
{
    char path[sizeof folder + 64];
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    FILE *file = fopen(path, "wb");
    FUZZ_REQUIRE(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, "no %s", path);
}

void fuzz_link(const char *name, const char *golden)
{
    char path[sizeof folder + 64], to[4096];
    const char *source = getenv("GRADUS_SOURCE");
    FUZZ_REQUIRE(source, "GRADUS_SOURCE is not set");
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    snprintf(to, sizeof to, "%s/tests/golden/%s", source, golden);
    unlink(path);
    FUZZ_REQUIRE(access(to, R_OK) == 0 && symlink(to, path) == 0, "no %s", to);
}

/* The error without the place in this folder's files that macros of the public headers put in
 * front; what the input has may look like a place. */
static const char *message(const char *function)
{
    const char *error = tensor_error(), *end = strstr(error, ".c:");
    if (strncmp(error, function, strlen(function)) == 0)
        return error;
    size_t digits = end ? strspn(end + 3, "0123456789") : 0;
    return digits > 0 && strncmp(end + 3 + digits, ": ", 2) == 0 ? end + 5 + digits : error;
}

void fuzz_outcome(int succeeded, const char *function)
{
    const char *error = message(function);
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
