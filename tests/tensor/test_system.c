/* test_system.c: what tensor/system promises on every system. */
#include "tensor/files.h"
#include "tests/harness/test.h"
#include "tensor/io/disk.h"
#include "tensor/system/system.h"

#include <string.h>

static bool write_file(const char *path, const char *text)
{
    AtomicFile *f = tensor_file_open(path);
    if (f)
        fputs(text, tensor_file_stream(f));
    return f && tensor_file_commit(f);
}

static const char *text_in(int file)
{
    static char text[16];
    ssize_t n = disk_read_at(file, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = 0;
    return text;
}

/* Windows refuses it, unless the file was opened so that it is allowed. */
TEST(an_open_file_is_replaced)
{
    const char *path = scratch_path("open");
    REQUIRE(write_file(path, "old"), "%s", tensor_error());
    int file = disk_open(path, OPEN_READ, 0);
    REQUIRE(file >= 0, "not opened");
    CHECK(write_file(path, "new"), "%s", tensor_error());
    CHECK_TEXT(text_in(file), "old");
    disk_close(file);
    CHECK_TEXT(scratch_text(path), "new");
}

TEST(a_mapped_file_is_replaced)
{
    const char *path = scratch_path("mapped");
    REQUIRE(write_file(path, "old"), "%s", tensor_error());
    int file = disk_open(path, OPEN_READ, 0);
    char *map = disk_map(file, 3);
    disk_close(file);
    REQUIRE(map, "not mapped");
    CHECK(write_file(path, "new"), "%s", tensor_error());
    CHECK(memcmp(map, "old", 3) == 0, "%.3s", map);
    map[0] = 'X'; /* the file stays as it is */
    disk_unmap(map, 3);
    CHECK_TEXT(scratch_text(path), "new");
}

/* Eight folders of 60 characters with blanks and letters that are no ASCII: longer than the 260
 * characters that Windows' functions take without a prefix. */
TEST(long_names_in_every_script)
{
    char path[2048];
    int n = snprintf(path, sizeof path, "%s", scratch_path("names"));
    for (int i = 0; i < 8; i++)
        n += snprintf(path + n, sizeof path - (size_t)n,
                      "/%d \xc3\x9c"
                      "bung mit Leerzeichen \xd0\xb4\xd0\xb0 \xe4\xb8\xad\xe6\x96\x87 "
                      "und noch mehr Zeichen als das",
                      i);
    CHECK(tensor_make_directory(path), "%s", tensor_error());
    snprintf(path + n, sizeof path - (size_t)n, "/d\xc3\xa9j\xc3\xa0 vu.npy");
    Tensor *t = tensor_from((real[]){1, 2, 3}, shape1(3));
    CHECK(tensor_npy_write(path, t), "%s", tensor_error());
    Tensor *back = tensor_array_read(path, NULL);
    CHECK(back && back->data[2] == 3, "%s", tensor_error());
    tensor_free(t);
    tensor_free(back);
}

TEST(separators)
{
    char path[] = "a/b/c";
    CHECK(system_first_slash(path) == path + 1, "the first");
    CHECK(system_last_slash(path) == path + 3, "the last");
    CHECK(!system_first_slash("abc") && !system_last_slash("abc"), "there is none");
    CHECK(system_is_absolute("/a") && !system_is_absolute("a/b") && !system_is_absolute(""),
          "root");
}

static bool keep(void *context, const void *bytes, size_t count)
{
    strncat(context, bytes, count);
    return strlen(context) < 20;
}

TEST(a_stream_writes_to_its_sink)
{
    char text[64] = "";
    ByteSink sink = {.put = keep, .context = text};
    FILE *stream = system_stream(&sink);
    REQUIRE(stream, "no stream");
    fprintf(stream, "%d bytes", 7);
    CHECK(system_stream_close(stream, &sink), "a write failed");
    CHECK_TEXT(text, "7 bytes");
    stream = system_stream(&sink);
    REQUIRE(stream, "no stream");
    fprintf(stream, "more than the sink takes");
    CHECK(!system_stream_close(stream, &sink) && sink.failed, "a write that failed went unseen");
}

TEST(the_clock_goes_forward)
{
    int64_t before = system_clock();
    for (int i = 0; i < 1000; i++) {
        int64_t now = system_clock();
        CHECK(now >= before, "%lld", (long long)(now - before));
        before = now;
    }
    CHECK(system_processors() >= 1, "%d", system_processors());
}
