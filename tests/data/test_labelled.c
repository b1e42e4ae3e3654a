/* test_labelled.c: whole text files, and texts with labels. */
#include "tests/harness/test.h"

#include "data/data.h"

#include <string.h>

static bool put(const char *text)
{
    return scratch_write(scratch_path("texts.tsv"), text, strlen(text));
}

TEST(a_whole_file)
{
    const char *text = "na\xc3\xafve\n\ttext \xe2\x80\x9c!\xe2\x80\x9d\r\n";
    size_t count = 0;
    REQUIRE(put(text), "cannot write");
    char *read = data_file_text(scratch_path("texts.tsv"), &count);
    REQUIRE(read != NULL, "%s", tensor_error());
    CHECK_TEXT(read, text);
    CHECK(count == strlen(text), "%zu bytes", count);
    data_file_free(read);
    data_file_free(NULL);
}

/* Longer than what is read at once, so that the buffer grows. */
TEST(a_long_file)
{
    enum { LONG = 200001 };
    static char text[LONG + 1];
    for (int i = 0; i < LONG; i++)
        text[i] = (char)('a' + i % 23);
    size_t count = 0;
    REQUIRE(put(text), "cannot write");
    char *read = data_file_text(scratch_path("texts.tsv"), &count);
    REQUIRE(read != NULL, "%s", tensor_error());
    CHECK(count == LONG && memcmp(read, text, LONG + 1) == 0, "%zu bytes came back", count);
    data_file_free(read);
}

TEST(a_line_without_text_is_named)
{
    static const struct {
        const char *bytes;
        size_t count;
        const char *error;
    } bad[] = {
        {"", 0, "found an empty file; expected text"},
        {" \n\t\r\n", 5, "found only white space; expected text"},
        {"one\ntwo \xff!", 10,
         "line 2, byte 8: found 0xFF; expected text in UTF-8 (iconv -f LATIN1 -t UTF-8 '"},
        {"\xc3", 1, "line 1, byte 0: found 0xC3"},
        {"a\n\nb\0c", 6, "line 3, byte 4: found 0x00"},
        {"\xff\xfe"
         "a\0",
         4, "byte 0: found 0xFF; expected text in UTF-8 (iconv -f UTF-16 -t"},
        {"\xfe\xff\0a", 4, "byte 0: found 0xFE; expected text in UTF-8 (iconv -f UTF-16 -t"},
        {"a\0b\0", 4, "byte 1: found 0x00; expected text in UTF-8 (iconv -f UTF-16LE -t"},
        {"\0a\0b", 4, "byte 0: found 0x00; expected text in UTF-8 (iconv -f UTF-16BE -t"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        REQUIRE(scratch_write(scratch_path("bad"), bad[i].bytes, bad[i].count), "cannot write");
        CHECK(data_file_text(scratch_path("bad"), NULL) == NULL, "file %zu", i);
        CHECK_ERROR(bad[i].error);
    }
}

TEST(texts_with_labels)
{
    static const char *const want[][2] = {{"good", "a b"},
                                          {"bad", "c\td"},
                                          {"good", " e "},
                                          {"very bad", "f"}};
    Labelled l;
    REQUIRE(put("\xEF\xBB\xBFgood\ta b\r\n\nbad\tc\td\n   \ngood\t e \nvery bad\tf"),
            "cannot write");
    REQUIRE(data_labelled_read(scratch_path("texts.tsv"), &l), "%s", tensor_error());
    CHECK(l.count == 4 && l.names.count == 3, "%d texts, %d labels", l.count, l.names.count);
    for (int i = 0; i < 4 && i < l.count; i++) {
        CHECK_TEXT(data_vocab_word(&l.names, l.labels[i]), want[i][0]);
        CHECK_TEXT(l.texts[i], want[i][1]);
    }
    data_labelled_free(&l);
}

TEST(bad_lines)
{
    static const char *const bad[][2] = {
        {"good\ta\nbad c\n", "line 2: found no tab; expected LABEL<tab>TEXT"},
        {"good\ta\n\n\tb\n", "line 3: found an empty label"},
        {"good\t \t \n", "line 1: found an empty text"},
        {"good\ta\ngood\tb\n", "found 2 texts, all with the label \"good\"; expected at least 2"},
        {"good\t\xfe\n", "line 1, byte 5: found 0xFE"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        Labelled l;
        REQUIRE(put(bad[i][0]), "cannot write");
        CHECK(!data_labelled_read(scratch_path("texts.tsv"), &l), "file %zu", i);
        CHECK_ERROR(bad[i][1]);
        CHECK(l.texts == NULL && l.bytes == NULL, "something is left of file %zu", i);
    }
}

static bool try_reading(void *context)
{
    Labelled l;
    bool ok = data_labelled_read(context, &l);
    data_labelled_free(&l);
    return ok;
}

TEST(out_of_memory)
{
    char path[512];
    REQUIRE(put("good\ta\nbad\tb\n"), "cannot write");
    snprintf(path, sizeof path, "%s", scratch_path("texts.tsv"));
    CHECK_OUT_OF_MEMORY(try_reading, path);
}
