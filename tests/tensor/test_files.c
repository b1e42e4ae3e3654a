/* test_files.c: files that appear whole or not at all, and directories. */
#include "tensor/files.h"
#include "tests/harness/test.h"

#include <string.h>
#include <unistd.h>

static void file_is(const char *path, const char *want)
{
    char text[64] = "";
    long length = scratch_read(path, text, sizeof text - 1);
    CHECK(length == (long)strlen(want) && strcmp(text, want) == 0,
          "%s holds \"%s\"; expected \"%s\"", path, text, want);
}

TEST(whole_or_nothing)
{
    const char *path = scratch_path("whole/file");
    REQUIRE(tensor_make_directory(scratch_path("whole")), "%s", tensor_error());
    AtomicFile *f = tensor_file_open(path);
    REQUIRE(f, "%s", tensor_error());
    fputs("first", tensor_file_stream(f));
    CHECK(access(path, F_OK) != 0, "there before it is whole");
    CHECK(tensor_file_commit(f), "%s", tensor_error());
    file_is(path, "first");

    f = tensor_file_open(path);
    REQUIRE(f, "%s", tensor_error());
    fputs("second", tensor_file_stream(f));
    fflush(tensor_file_stream(f));
    file_is(path, "first");
    tensor_file_discard(f);
    file_is(path, "first");
    CHECK(scratch_files(scratch_path("whole")) == 1, "a part is left behind");
    tensor_file_discard(NULL);

    f = tensor_file_open(path);
    REQUIRE(f, "%s", tensor_error());
    CHECK(tensor_file_commit(f), "%s", tensor_error());
    file_is(path, "");
    CHECK(scratch_files(scratch_path("whole")) == 1, "a part is left behind");
}

/* Only for tensor_file_commit: f is gone although the rename fails, as a directory has taken the
 * name. */
TEST(old_file_survives_a_failed_rename)
{
    const char *path = scratch_path("taken/name");
    REQUIRE(tensor_make_directory(scratch_path("taken")), "%s", tensor_error());
    AtomicFile *f = tensor_file_open(path);
    REQUIRE(f, "%s", tensor_error());
    REQUIRE(tensor_make_directory(scratch_path("taken/name/below")), "%s", tensor_error());
    CHECK(!tensor_file_commit(f), "renamed onto a directory");
    CHECK_ERROR("taken/name: cannot rename onto it: ");
    CHECK(scratch_files(scratch_path("taken")) == 1, "a part is left behind");
}

TEST(what_cannot_be_opened)
{
    CHECK(!tensor_file_open(scratch_path("nowhere/file")), "made in no directory");
    CHECK_ERROR("nowhere/file: cannot create a file beside it: No such file or directory");
    CHECK(!tensor_file_open(scratch_path(".")), "a directory was replaced");
    CHECK_ERROR("it is a directory; expected a regular file, or none yet");
    CHECK(!tensor_file_open(""), "a file without a name was made");
    CHECK_ERROR("tensor_file_open: the path is empty");
    CHECK(!tensor_file_open(NULL), "a file without a name was made");
    CHECK_ERROR("tensor_file_open: the path is empty");
    CHECK(!tensor_file_commit(NULL), "nothing was committed");
    CHECK_ERROR("tensor_file_commit: f is NULL, as tensor_file_open failed");
    CHECK(!tensor_file_stream(NULL), "a stream of nothing");
}

/* Each has a part of its own; the last that is committed stays. */
TEST(two_at_once)
{
    const char *path = scratch_path("two/file");
    REQUIRE(tensor_make_directory(scratch_path("two")), "%s", tensor_error());
    AtomicFile *one = tensor_file_open(path), *two = tensor_file_open(path);
    REQUIRE(one && two, "%s", tensor_error());
    fputs("one", tensor_file_stream(one));
    fputs("two", tensor_file_stream(two));
    CHECK(scratch_files(scratch_path("two")) == 2, "%d names", scratch_files(scratch_path("two")));
    CHECK(tensor_file_commit(two) && tensor_file_commit(one), "%s", tensor_error());
    file_is(path, "one");
    CHECK(scratch_files(scratch_path("two")) == 1, "a part is left behind");
}

TEST(directories)
{
    const char *deep = scratch_path("a/b//c/");
    CHECK(tensor_make_directory(deep), "%s", tensor_error());
    CHECK(tensor_make_directory(deep), "a second time: %s", tensor_error());
    CHECK(scratch_files(scratch_path("a/b/c")) == 0, "not made");
    CHECK(tensor_make_directory("/") && tensor_make_directory("."), "%s", tensor_error());
    REQUIRE(scratch_write(scratch_path("a/file"), "", 0), "no file");
    CHECK(!tensor_make_directory(scratch_path("a/file")), "a file is a directory");
    CHECK_ERROR("a/file: it is a file; expected a directory, or none yet");
    CHECK(!tensor_make_directory(scratch_path("a/file/below")), "made below a file");
    CHECK_ERROR("a/file/below: cannot make the directory: Not a directory");
    CHECK(!tensor_make_directory(NULL), "made without a name");
    CHECK_ERROR("tensor_make_directory: the path is empty");
}
