/* test_system.c: what tensor/system promises on every system. */
#include "tests/harness/test.h"
#include "tensor/system/system.h"

#include <string.h>

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
