/* test_files_posix.c: what POSIX systems alone have of files: permissions, devices. */
#include "tensor/files.h"
#include "tests/harness/test.h"

#include <sys/stat.h>

static int mode_of(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 ? (int)(found.st_mode & 07777) : -1;
}

static bool write_file(const char *path)
{
    AtomicFile *f = tensor_file_open(path);
    if (f)
        fputs("new", tensor_file_stream(f));
    return f && tensor_file_commit(f);
}

TEST(permissions_carry_over)
{
    const char *path = scratch_path("mode");
    mode_t before = umask(027);
    CHECK(write_file(path), "%s", tensor_error());
    CHECK(mode_of(path) == 0640, "a new file has mode %o; expected 666 less the umask",
          mode_of(path));
    /* Both narrower and wider than the umask would make it. */
    static const mode_t modes[] = {0600, 0666, 0755};
    for (int i = 0; i < 3; i++) {
        chmod(path, modes[i]);
        CHECK(write_file(path), "%s", tensor_error());
        CHECK(mode_of(path) == (int)modes[i], "mode %o has become %o", (int)modes[i],
              mode_of(path));
    }
    umask(before);
}

TEST(what_is_no_file)
{
    CHECK(!tensor_file_open("/dev/null"), "/dev/null was replaced");
    CHECK_ERROR("/dev/null: it is a device or pipe; expected a regular file");
    CHECK(!tensor_make_directory("/proc/gradus"), "made where nothing can be");
    CHECK_ERROR("/proc/gradus: cannot make the directory: ");
}
