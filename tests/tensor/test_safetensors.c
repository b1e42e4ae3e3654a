/* test_safetensors.c: files read and written as the format says, and everything else refused by
 * name.
 *
 * The files are made by hand here, byte by byte, from the format's description. */
#include "tests/harness/test.h"
#include "tests/tensor/hostile.h"

#include <math.h>
#include <string.h>

/* A file with this header. */
static size_t make_file(const char *path, const char *header, const void *data, size_t data_bytes)
{
    return make_safetensors(path, header, strlen(header), data, data_bytes);
}

/* 1, -2, 0.5, 3.140625 and -0 as F32, little-endian: sign, exponent + 127, fraction by hand. */
static const unsigned char five[] = {0x00, 0x00, 0x80, 0x3F, 0x00, 0x00, 0x00, 0xC0, 0x00, 0x00,
                                     0x00, 0x3F, 0x00, 0x00, 0x49, 0x40, 0x00, 0x00, 0x00, 0x80};
static const real five_numbers[] = {1, -2, 0.5, (real)3.140625, -0.};

static void numbers_are(const Tensor *t, const char *shape, const real *want)
{
    REQUIRE(t, "there is no such tensor");
    CHECK_TEXT(shape_str(t->shape), shape);
    for (int64_t i = 0; i < tensor_size(t); i++)
        CHECK(t->data[i] == want[i] && signbit(t->data[i]) == signbit(want[i]),
              "'%s', element %lld: %g; expected %g", t->name, (long long)i, (double)t->data[i],
              (double)want[i]);
}

/* In an order that is not the data's, with white space, escapes, a rank 0, an empty one, and a
 * header of such a length that no number is aligned. */
TEST(reads_what_the_format_allows)
{
    static const char header[] =
        "{\"b\":{\"shape\":[2,1],\"data_offsets\":[4,12],\"dtype\":\"F32\"} ,\n\t"
        "\"__metadata__\":{\"format\":\"pt\",\"\":\"\\u00e9\\ud83d\\ude00\\n\"},"
        "\"none\":{\"dtype\":\"F32\",\"shape\":[3,0],\"data_offsets\":[4,4]},"
        "\"a \\\"\\\\\\/\\u0041\xc3\xa9\" : { \"dtype\" : \"F32\" , \"shape\" : [ ] , "
        "\"data_offsets\" : [ 0 , 4 ] },"
        "\"last\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[12,20]}}    ";
    Safetensors s;
    CHECK(strlen(header) % 4 == 1, "the header has %zu bytes: nothing is unaligned",
          strlen(header));
    REQUIRE(make_file(scratch_path("allowed"), header, five, sizeof five), "no file");
    REQUIRE(safetensors_read(scratch_path("allowed"), &s), "%s", tensor_error());
    REQUIRE(s.count == 4, "%d tensors", s.count);
    CHECK_TEXT(s.tensors[0]->name, "b");
    CHECK_TEXT(s.tensors[1]->name, "none");
    CHECK_TEXT(s.tensors[2]->name, "a \"\\/A\xc3\xa9");
    CHECK_TEXT(s.tensors[3]->name, "last");
    numbers_are(s.tensors[0], "(2, 1)", five_numbers + 1);
    numbers_are(s.tensors[1], "(3, 0)", NULL);
    numbers_are(s.tensors[2], "()", five_numbers);
    numbers_are(safetensors_find(&s, "last"), "(1, 2)", five_numbers + 3);
    CHECK(!safetensors_find(&s, "no such name") && !safetensors_find(&s, NULL), "found");
    REQUIRE(s.metadata_count == 2, "%d metadata pairs", s.metadata_count);
    CHECK_TEXT(s.metadata[0], "format");
    CHECK_TEXT(s.metadata[1], "pt");
    CHECK_TEXT(s.metadata[2], "");
    CHECK_TEXT(s.metadata[3], "\xc3\xa9\xf0\x9f\x98\x80\n");
    safetensors_free(&s);
    CHECK(s.count == 0 && !s.tensors, "not empty after safetensors_free");
    safetensors_free(&s);
    CHECK_NO_ERROR();
}

/* As the safetensors library does: with a line's end behind the header, or null for no metadata. */
TEST(reads_an_empty_file_of_tensors)
{
    static const char *const headers[] = {"{}", "{}\r\n\t ", "{\"__metadata__\":null}"};
    for (int i = 0; i < 3; i++) {
        Safetensors s;
        REQUIRE(make_file(scratch_path("empty"), headers[i], NULL, 0), "no file");
        CHECK(safetensors_read(scratch_path("empty"), &s), "%s", tensor_error());
        CHECK(s.count == 0 && s.metadata_count == 0, "%d tensors", s.count);
        safetensors_free(&s);
    }
}

/* ---- bad files ------------------------------------------------------------------------------- */

#define TENSOR(name, shape, begin, end) \
    "\"" name "\":{\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":[" begin "," end "]}"
#define OTHER_FIELDS "tensor 'a' has other fields; expected dtype, a text, shape, at most 6"
#define LONG_64      "0123456789012345678901234567890123456789012345678901234567890123"

static const struct {
    const char *header;
    size_t data; /* bytes after it */
    const char *error;
} bad[] = {
    /* the JSON */
    {"", 0, "the header does not begin with '{'"},
    {" {}", 0, "the header does not begin with '{'"},
    {"[]", 0, "the header does not begin with '{'"},
    {"{", 0, "header, byte 1: expected a string"},
    {"{} x", 0, "header, byte 3: more text after the last bracket"},
    {"{\"" LONG_64 LONG_64 "\":1}", 0, "a tensor's name has 128 bytes; expected at most 127"},
    /* one tensor */
    {"{\"a\":[1]}", 0, OTHER_FIELDS},
    {"{\"a\":{}}", 0, OTHER_FIELDS},
    {"{\"a\":{\"dtype\":\"F32\"}}", 0, OTHER_FIELDS},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, OTHER_FIELDS},
    {"{\"a\":{\"dtype\":\"F8_E4M3\",\"shape\":[2],\"data_offsets\":[0,2]}}", 2,
     "tensor 'a' has dtype 'F8_E4M3', which is not read; expected F64 to F16, BF16, I64 to I8, U64 "
     "to U8 or BOOL"},
    {"{\"a\":{\"dtype\":\"Q4\",\"shape\":[1],\"data_offsets\":[0,2]}}", 2,
     "tensor 'a' has dtype 'Q4', which is not read"},
    {"{\"a\":{\"dtype\":\"f32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4,
     "tensor 'a' has dtype 'f32', which is not read"},
    {"{\"a\":{\"dtype\":32,\"shape\":[1],\"data_offsets\":[0,4]}}", 4, OTHER_FIELDS},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"strides\":[1]}}", 4,
     OTHER_FIELDS},
    {"{" TENSOR("a", "[[1]]", "0", "4") "}", 4, OTHER_FIELDS},
    {"{" TENSOR("a", "[1]", "{}", "4") "}", 4, OTHER_FIELDS},
    {"{" TENSOR("a", "[1]", "0,2", "4") "}", 4, OTHER_FIELDS},
    {"{" TENSOR("a", "3", "0", "4") "}", 4, OTHER_FIELDS},
    {"{" TENSOR("a", "[-1]", "0", "4") "}", 4, OTHER_FIELDS},
    {"{" TENSOR("a", "[1.5]", "0", "4") "}", 4, OTHER_FIELDS},
    {"{" TENSOR("a", "[9007199254740994]", "0", "4") "}", 4, OTHER_FIELDS},
    {"{" TENSOR("a", "[1,1,1,1,1,1,1]", "0", "4") "}", 4, "at most 6 whole numbers"},
    {"{" TENSOR("a", "[4294967296,2147483648]", "0", "4") "}", 4,
     "tensor 'a' has shape (4294967296, 2147483648); expected fewer than 2^63 bytes"},
    {"{" TENSOR("a", "[0,9007199254740992,9007199254740992]", "0", "0") "}", 0,
     "expected fewer than 2^63 bytes"},
    {"{" TENSOR("a", "[2]", "0", "4") "}", 4,
     "tensor 'a' has 4 bytes of data; expected 8 for shape (2,) in F32"},
    {"{" TENSOR("a", "[0]", "0", "4") "}", 4, "tensor 'a' has 4 bytes of data; expected 0"},
    {"{" TENSOR("a", "[2]", "0", "8") "}", 4,
     "tensor 'a' is at bytes 0 to 8; expected a range within 0 to 4"},
    {"{" TENSOR("a", "[1]", "4", "0") "}", 4, "tensor 'a' is at bytes 4 to 0"},
    {"{" TENSOR("a", "[1]", "9007199254740992", "9007199254740992") "}", 4,
     "expected a range within 0 to 4"},
    /* all of them */
    {"{" TENSOR("a", "[1]", "0", "4") "," TENSOR("\\u0061", "[1]", "4", "8") "}", 8,
     "a key that the object has already"},
    {"{" TENSOR("a", "[2]", "0", "8") "," TENSOR("b", "[2]", "4", "12") "}", 12,
     "tensors 'a' and 'b' overlap; expected 'b' to begin at data byte 8"},
    {"{" TENSOR("a", "[2]", "0", "8") "," TENSOR("b", "[2]", "0", "8") "}", 8, "overlap"},
    {"{" TENSOR("a", "[2]", "0", "8") "," TENSOR("b", "[0]", "4", "4") "}", 8, "overlap"},
    {"{" TENSOR("a", "[1]", "0", "4") "," TENSOR("b", "[1]", "8", "12") "}", 12,
     "data bytes 4 to 8 in front of tensor 'b' belong to no tensor"},
    {"{" TENSOR("a", "[1]", "4", "8") "}", 8, "data bytes 0 to 4 in front of tensor 'a'"},
    {"{" TENSOR("a", "[1]", "0", "4") "}", 7, "3 bytes follow the last tensor"},
    {"{}", 1, "1 bytes follow the last tensor"},
    /* metadata */
    {"{\"__metadata__\":{\"a\":1}}", 0, "__metadata__ has a 'a' that is no text"},
    {"{\"__metadata__\":{\"a\":\"b\",\"c\":{\"b\":\"c\"}}}", 0, "has a 'c' that is no text"},
    {"{\"__metadata__\":[]}", 0, "__metadata__ is no object"},
    {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "a key that the object has already"},
};

/* False, and then nothing is left in the list. */
static bool reads(const char *path)
{
    Safetensors s;
    bool ok = safetensors_read(path, &s);
    CHECK(ok || (s.count == 0 && !s.tensors && !s.metadata), "something is left in the list");
    safetensors_free(&s);
    return ok;
}

/* What a read of this file must never take: 64 times the file, as two bytes of a list are a value
 * of 48, and the arena may have a chunk twice as large. */
static void refuses(const char *path, const char *error, size_t file_bytes)
{
    check_refused_file(reads, path, error, 64, file_bytes);
}

TEST(refuses_bad_headers)
{
    const char *path = scratch_path("bad");
    static const unsigned char zeros[64];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuses(path, bad[i].error, make_file(path, bad[i].header, zeros, bad[i].data));
}

/* A zero inside the text; a C string would end there. */
TEST(refuses_a_zero_byte)
{
    const char *path = scratch_path("zero");
    refuses(path, "header, byte 3: a string does not end, or has a zero in it",
            make_safetensors(path, "{\"a\0b\":1}", 9, NULL, 0));
    refuses(path, "header, byte 2: more text after the last bracket",
            make_safetensors(path, "{}\0\0", 4, NULL, 0));
}

TEST(refuses_bad_lengths)
{
    static const struct {
        unsigned char file[10];
        size_t bytes;
        const char *error;
    } table[] = {
        {{3, 0, 0, 0, 0, 0, 0}, 7, "7 bytes; expected at least 8 for the header's length"},
        {{3, 0, 0, 0, 0, 0, 0, 0, '{', '}'},
         10,
         "a header of 3 bytes; expected at most the 2 that follow"},
        {{0x01, 0xE1, 0xF5, 0x05}, 10, "a header of 100000001 bytes; expected at most 100000000"},
        {{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
         10,
         "a header of 18446744073709551615 bytes; expected at most 100000000"},
    };
    const char *path = scratch_path("length");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        REQUIRE(scratch_write(path, table[i].file, table[i].bytes), "no file");
        refuses(path, table[i].error, table[i].bytes);
    }
    refuses(scratch_path("no such file"), "cannot open: No such file or directory", 0);
    refuses(scratch_path("."), "it is a directory; expected a regular file", 0);
    refuses("/dev/null", "it is a device or pipe; expected a regular file", 0);
    CHECK(!safetensors_read(path, NULL), "read into nothing");
    CHECK_ERROR("expected a Safetensors to fill, and a path");
}

/* What a clone without Git LFS, a server, and a hub leave in place of the weights. */
TEST(refuses_texts)
{
    static const struct {
        const char *text, *error;
    } texts[] = {
        {"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 440473133\n",
         "a Git LFS pointer, which only names the weights; expected the weights, which `git lfs "
         "pull` fetches"},
        {"<!DOCTYPE html>\n<html><body>404</body></html>\n",
         "an HTML page that begins with '<!DOCTYP'; expected the weights in safetensors' format: "
         "download the file again"},
        {"Entry not found", "a text that begins with 'Entry no'; expected the weights"},
        {"{\"error\":\"Repository not found\"}", "a text that begins with '{\"error\"'"},
    };
    const char *path = scratch_path("text");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t bytes = strlen(texts[i].text);
        REQUIRE(scratch_write(path, texts[i].text, bytes), "no file");
        refuses(path, texts[i].error, bytes);
    }
}

/* Of 2,000 tensors the last has the name of the first, then its own. */
TEST(refuses_a_name_among_many)
{
    enum { COUNT = 2000 };
    static char header[200000];
    const char *path = scratch_path("many");
    for (int last = 0; last < COUNT; last += COUNT - 1) {
        size_t used = 1;
        header[0] = '{';
        for (int k = 0; k < COUNT; k++)
            used += (size_t)snprintf(header + used, sizeof header - used,
                                     "%s" TENSOR("%d", "[0]", "0", "0"), k ? "," : "",
                                     k < COUNT - 1 ? k : last);
        header[used++] = '}';
        size_t bytes = make_safetensors(path, header, used, NULL, 0);
        if (last == 0)
            refuses(path, "the name '0' occurs twice", bytes);
        else
            CHECK(reads(path), "%s", tensor_error());
    }
}

TEST(error_has_the_caller_s_place)
{
    Safetensors s;
    char want[1200];
    CHECK(!safetensors_read("nowhere", &s), "read from nowhere");
    snprintf(want, sizeof want, "%s:%d: safetensors_read: nowhere: cannot open: ", __FILE__,
             __LINE__ - 2);
    CHECK_ERROR(want);
}
