/* test_files_posix.c: what POSIX systems alone have of files: permissions, a limit on their size,
 * devices. */
#include "tensor/files.h"
#include "tests/harness/runner.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void file_is(const char *path, const char *want)
{
    char text[64] = "";
    long length = scratch_read(path, text, sizeof text - 1);
    CHECK(length == (long)strlen(want) && strcmp(text, want) == 0,
          "%s holds \"%s\"; expected \"%s\"", path, text, want);
}

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

static void permissions_carry_over(void)
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

/* The disk is full: a limit on the size of files stands in for it. The stream's buffer is larger
 * than the limit in the first case, so that only the flush fails, and smaller in the others, so
 * that a write in the middle does; in the last the disk has space again by the time of the
 * commit. */
static void old_file_survives_a_failed_write(void)
{
    const char *path = scratch_path("full/file");
    struct rlimit unlimited, small = {.rlim_cur = 1000};
    REQUIRE(tensor_make_directory(scratch_path("full")), "%s", tensor_error());
    REQUIRE(scratch_write(path, "old", 3), "no file");
    getrlimit(RLIMIT_FSIZE, &unlimited);
    small.rlim_max = unlimited.rlim_max;
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    static const int sizes[] = {2000, 200000, 200000};
    for (int i = 0; i < 3; i++) {
        AtomicFile *f = tensor_file_open(path);
        REQUIRE(f, "%s", tensor_error());
        setrlimit(RLIMIT_FSIZE, &small);
        for (int k = 0; k < sizes[i]; k++)
            putc('x', tensor_file_stream(f));
        if (i == 2)
            setrlimit(RLIMIT_FSIZE, &unlimited);
        bool ok = tensor_file_commit(f);
        int line = __LINE__ - 1;
        setrlimit(RLIMIT_FSIZE, &unlimited);
        char want[1200];
        snprintf(want, sizeof want, "%s:%d: tensor_file_commit: %s: cannot write: ", __FILE__, line,
                 path);
        CHECK(!ok, "%d bytes were written beyond the limit", sizes[i]);
        CHECK_ERROR(want);
        file_is(path, "old");
        CHECK(scratch_files(scratch_path("full")) == 1, "a part is left behind");
    }
    signal(SIGXFSZ, before);
}

static void what_is_no_file(void)
{
    CHECK(!tensor_file_open("/dev/null"), "/dev/null was replaced");
    CHECK_ERROR("/dev/null: it is a device or pipe; expected a regular file");
    CHECK(!tensor_make_directory("/proc/gradus"), "made where nothing can be");
    CHECK_ERROR("/proc/gradus: cannot make the directory: ");
}

/* A rename onto a directory has a reason of its own. */
static void a_directory_is_not_replaced(void)
{
    const char *path = scratch_path("taken/name");
    REQUIRE(tensor_make_directory(scratch_path("taken")), "%s", tensor_error());
    AtomicFile *f = tensor_file_open(path);
    REQUIRE(f, "%s", tensor_error());
    REQUIRE(tensor_make_directory(scratch_path("taken/name/below")), "%s", tensor_error());
    CHECK(!tensor_file_commit(f), "renamed onto a directory");
    CHECK_ERROR("taken/name: cannot rename onto it: Is a directory");
}

static const TestCase cases[] = {
    {"permissions carry over", permissions_carry_over},
    {"the old file survives a failed write", old_file_survives_a_failed_write},
    {"what is no file", what_is_no_file},
    {"a directory is not replaced", a_directory_is_not_replaced},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("files of POSIX", cases, argc, argv);
}
