/* test_system.c: what tensor/system promises on every system. */
#include "tensor/files.h"
#include "tests/harness/test.h"
#include "tensor/io/disk.h"
#include "tensor/system/system.h"

#include <locale.h>
#include <stdlib.h>
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
    char path[2048], full[4096];
    int n = snprintf(path, sizeof path, "%s", scratch_path("names"));
    for (int i = 0; i < 8; i++)
        n += snprintf(path + n, sizeof path - (size_t)n,
                      "/%d \xc3\x9c"
                      "bung mit Leerzeichen \xd0\xb4\xd0\xb0 \xe4\xb8\xad\xe6\x96\x87 "
                      "und noch mehr Zeichen als das",
                      i);
    CHECK(tensor_make_directory(path), "%s", tensor_error());
    snprintf(path + n, sizeof path - (size_t)n, "/d\xc3\xa9j\xc3\xa0 vu");
    Safetensors back;
    CHECK(safetensors_write(path, NULL, 0, (const char *const[]){"key", "value"}, 1) &&
              safetensors_read(path, &back) && back.metadata_count == 1,
          "%s", tensor_error());
    safetensors_free(&back);
    CHECK(system_full_path(path, full, sizeof full) && strstr(full, "/d\xc3\xa9j\xc3\xa0 vu"), "%s",
          full);
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

/* In a locale of decimal commas, where the system has one. */
TEST(numbers_have_points)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "de-DE", "German"};
    char text[32];
    uintptr_t before;
    size_t i = 0;
    while (i < 5 && !setlocale(LC_ALL, names[i]))
        i++;
    snprintf(text, sizeof text, "%.1f", 0.5);
    bool commas = strcmp(text, "0,5") == 0;
    REQUIRE(system_points_begin(&before), "no memory");
    snprintf(text, sizeof text, "%.1f", 0.5);
    CHECK_TEXT(text, "0.5");
    CHECK(strtod("1.5", NULL) == 1.5, "%g", strtod("1.5", NULL));
    system_points_end(before);
    snprintf(text, sizeof text, "%.1f", 0.5);
    CHECK_TEXT(text, commas ? "0,5" : "0.5");
    setlocale(LC_ALL, "C");
    if (!commas)
        SKIP("there is no locale of decimal commas");
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
    int64_t before = system_clock(), peak = system_peak_memory();
    for (int i = 0; i < 1000; i++) {
        int64_t now = system_clock();
        CHECK(now >= before, "%lld", (long long)(now - before));
        before = now;
    }
    CHECK(system_processors() >= 1, "%d", system_processors());
    CHECK(peak > 1 << 16, "%lld bytes", (long long)peak);
}
