/* test_safetensors_types.c: every number type that a safetensors file may hold, bit patterns at the
 * edges of each, and numbers that memory does not hold.
 *
 * Expected values are the formats' closed forms: (-1)^s 2^(e - bias) (1 + f / 2^bits). */
#include "tests/harness/test.h"

#include <math.h>
#include <string.h>

enum { FILE_MAX = 4096 };

/* A file with one tensor "t" of `count` numbers, put at an odd place if `odd`. */
static size_t make_file(const char *path, const char *dtype, int count, const void *data,
                        size_t bytes, bool odd)
{
    unsigned char file[FILE_MAX] = {0};
    char *header = (char *)file + 8;
    int length = snprintf(header, FILE_MAX - 8,
                          "{\"t\":{\"dtype\":\"%s\",\"shape\":[%d],\"data_offsets\":[0,%zu]}}",
                          dtype, count, bytes);
    while (length % 2 != odd)
        header[length++] = ' ';
    file[0] = (unsigned char)length;
    memcpy(header + length, data, bytes);
    size_t all = 8 + (size_t)length + bytes;
    return scratch_write(path, file, all) ? all : 0;
}

static void reads_real(const char *dtype, const void *data, size_t bytes, const double *want,
                       int count)
{
    const char *path = scratch_path("real");
    for (int odd = 0; odd < 2; odd++) {
        Safetensors s;
        REQUIRE(make_file(path, dtype, count, data, bytes, odd), "no file");
        REQUIRE(safetensors_read(path, &s), "%s", tensor_error());
        const Tensor *t = s.tensors[0];
        REQUIRE(t->data && !t->ids, "%s did not become real", dtype);
        for (int i = 0; i < count; i++)
            CHECK((isnan(want[i]) && isnan(t->data[i])) ||
                      (t->data[i] == (real)want[i] && !signbit(t->data[i]) == !signbit(want[i])),
                  "%s, element %d: %.17g; expected %.17g", dtype, i, (double)t->data[i], want[i]);
        safetensors_free(&s);
    }
}

/* 1, -2, the smallest and the largest of each kind, zero with a sign, the infinities and a NaN. */
TEST(reads_f16)
{
    static const unsigned char bits[] = {0x00, 0x3C, 0x00, 0xC0, 0x55, 0x35, 0x01, 0x00,
                                         0xFF, 0x03, 0x00, 0x04, 0xFF, 0x7B, 0x00, 0x80,
                                         0x00, 0x7C, 0x00, 0xFC, 0x01, 0x7E, 0x01, 0x80};
    static const double want[] = {1,
                                  -2,
                                  0x1p-2 * (1 + 341. / 1024), /* 0 01101 0101010101 */
                                  0x1p-24,
                                  1023 * 0x1p-24,
                                  0x1p-14,
                                  65504,
                                  -0.,
                                  INFINITY,
                                  -INFINITY,
                                  NAN,
                                  -0x1p-24};
    reads_real("F16", bits, sizeof bits, want, 12);
}

TEST(reads_bf16)
{
    static const unsigned char bits[] = {0x80, 0x3F, 0x00, 0xC0, 0x49, 0x40, 0x80, 0x00, 0x01,
                                         0x00, 0x7F, 0x7F, 0x00, 0x80, 0x80, 0xFF, 0xC0, 0x7F};
    static const double want[] = {
        1,        -2,       3.140625, /* 0 10000000 1001001: 2 (1 + 73/128) */
        0x1p-126, 0x1p-133, 255 * 0x1p120, -0., -INFINITY, NAN};
    reads_real("BF16", bits, sizeof bits, want, 9);
}

TEST(reads_f32)
{
    static const unsigned char bits[] = {0,    0,    0x80, 0x3F, 1, 0, 0,    0,
                                         0xFF, 0xFF, 0x7F, 0xFF, 0, 0, 0,    0x80,
                                         0x00, 0x00, 0x80, 0x7F, 0, 0, 0xC0, 0x7F};
    static const double want[] = {1, 0x1p-149, -0x1.fffffep127, -0., INFINITY, NAN};
    reads_real("F32", bits, sizeof bits, want, 6);
}

/* The last is not a float: it is rounded to one where real is float. */
TEST(reads_f64)
{
    static const unsigned char bits[] = {0,    0,    0,    0,    0,    0,    0xF0, 0x3F,
                                         0,    0,    0,    0,    0,    0,    0,    0x80,
                                         0,    0,    0,    0,    0,    0,    0xF0, 0xFF,
                                         0,    0,    0,    0,    0,    0,    0xF8, 0x7F,
                                         0x18, 0x2D, 0x44, 0x54, 0xFB, 0x21, 0x09, 0x40};
    static const double want[] = {1, -0., -INFINITY, NAN, 0x1.921fb54442d18p1};
    reads_real("F64", bits, sizeof bits, want, 5);
}

static void reads_ids(const char *dtype, const void *data, size_t bytes, const int32_t *want,
                      int count)
{
    const char *path = scratch_path("ids");
    for (int odd = 0; odd < 2; odd++) {
        Safetensors s;
        REQUIRE(make_file(path, dtype, count, data, bytes, odd), "no file");
        REQUIRE(safetensors_read(path, &s), "%s", tensor_error());
        const Tensor *t = s.tensors[0];
        REQUIRE(t->ids && !t->data, "%s did not become ids", dtype);
        for (int i = 0; i < count; i++)
            CHECK(t->ids[i] == want[i], "%s, element %d: %d; expected %d", dtype, i, t->ids[i],
                  want[i]);
        safetensors_free(&s);
    }
}

TEST(whole_numbers_become_ids)
{
    static const unsigned char i64[] = {5, 0, 0, 0, 0, 0, 0, 0,    0xFF, 0xFF, 0xFF, 0x7F,
                                        0, 0, 0, 0, 0, 0, 0, 0x80, 0xFF, 0xFF, 0xFF, 0xFF};
    static const int32_t i64_want[] = {5, INT32_MAX, INT32_MIN};
    reads_ids("I64", i64, sizeof i64, i64_want, 3);
    static const unsigned char i32[] = {1, 2, 3, 4, 0xFE, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0x80};
    static const int32_t i32_want[] = {0x04030201, -2, INT32_MIN};
    reads_ids("I32", i32, sizeof i32, i32_want, 3);
    static const unsigned char u8[] = {0, 1, 127, 128, 255};
    static const int32_t u8_want[] = {0, 1, 127, 128, 255};
    reads_ids("U8", u8, sizeof u8, u8_want, 5);
    static const unsigned char truth[] = {0, 1, 1};
    static const int32_t truth_want[] = {0, 1, 1};
    reads_ids("BOOL", truth, sizeof truth, truth_want, 3);
}

/* Behind three bytes, no other number is where its type would want it. */
TEST(reads_unaligned_tensors)
{
    static const unsigned char data[] = {1, 2, 3, 0,    0, 0x80, 0x3F, 0,    0,    0, 0,
                                         0, 0, 0, 0xC0, 9, 0xFE, 0xFF, 0xFF, 0xFF, 0, 0x3C};
    unsigned char file[FILE_MAX] = {0};
    int length = snprintf((char *)file + 8, FILE_MAX - 8,
                          "{\"u\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]},"
                          "\"f\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[3,7]},"
                          "\"d\":{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[7,15]},"
                          "\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[15,16]},"
                          "\"i\":{\"dtype\":\"I32\",\"shape\":[],\"data_offsets\":[16,20]},"
                          "\"h\":{\"dtype\":\"F16\",\"shape\":[],\"data_offsets\":[20,22]}}");
    file[0] = (unsigned char)length;
    file[1] = (unsigned char)(length >> 8);
    memcpy(file + 8 + length, data, sizeof data);
    const char *path = scratch_path("unaligned");
    Safetensors s;
    REQUIRE(scratch_write(path, file, 8 + (size_t)length + sizeof data), "no file");
    REQUIRE(safetensors_read(path, &s), "%s", tensor_error());
    REQUIRE(s.count == 6, "%d tensors", s.count);
    CHECK(s.tensors[0]->ids[0] == 1 && s.tensors[0]->ids[2] == 3, "u");
    CHECK_CLOSE(s.tensors[1]->data[0], 1, 0);
    CHECK_CLOSE(s.tensors[2]->data[0], -2, 0);
    CHECK(s.tensors[3]->ids[0] == 9 && s.tensors[4]->ids[0] == -2, "b or i");
    CHECK_CLOSE(s.tensors[5]->data[0], 1, 0);
    safetensors_free(&s);
}

/* ---- refused --------------------------------------------------------------------------------- */

static void refuses(const char *path, const char *error, size_t file_bytes)
{
    Safetensors s;
    Memory m = {0};
    memory_watch(&m);
    CHECK(!safetensors_read(path, &s), "read without an error; expected: %s", error);
    CHECK(strstr(tensor_error(), path) != NULL, "no file's name in: %s", tensor_error());
    CHECK_ERROR(error);
    CHECK(m.blocks == 0, "%ld blocks are left after: %s", m.blocks, error);
    CHECK(m.peak <= 4 * file_bytes + (1 << 20), "%zu bytes taken for a file of %zu", m.peak,
          file_bytes); /* a U8 becomes an id of 4 bytes */
    memory_unwatch();
}

TEST(refuses_numbers_that_do_not_fit)
{
    static const unsigned char bytes[16] = {0};
    unsigned char large[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80};
    const char *path = scratch_path("large");
    size_t all = make_file(path, "I64", 2, large, 16, true);
    refuses(path, "tensor 't': element 1 is 2147483648; expected -2147483648 to 2147483647", all);
    memset(large + 8, 0xFF, 8);
    large[11] = 0x7F;
    all = make_file(path, "I64", 2, large, 16, false);
    refuses(path, "tensor 't': element 1 is -2147483649; expected", all);
    all = make_file(path, "BOOL", 3, "\1\0\2", 3, false);
    refuses(path, "tensor 't': element 2 is 2; expected 0 or 1, as a BOOL is", all);
    /* 2^128, the least that rounds to no float, as F64 */
    static const unsigned char beyond[] = {0, 0, 0, 0, 0, 0, 0xF0, 0x47};
    all = make_file(path, "F64", 1, beyond, 8, false);
    Safetensors s;
    if (sizeof(real) == 4) {
        refuses(path, "tensor 't': element 0 is 3.40282e+38; expected numbers that a float", all);
    } else {
        CHECK(safetensors_read(path, &s) && s.tensors[0]->data[0] == 0x1p128, "%s", tensor_error());
        safetensors_free(&s);
    }
    CHECK(make_file(path, "F16", 2, bytes, 3, false), "no file");
    refuses(path, "has 3 bytes of data; expected 4 for shape (2,) in F16", 70);
    CHECK(make_file(path, "F64", 1, bytes, 4, false), "no file");
    refuses(path, "has 4 bytes of data; expected 8 for shape (1,) in F64", 70);
    CHECK(make_file(path, "U8", 1, bytes, 4, false), "no file");
    refuses(path, "has 4 bytes of data; expected 1 for shape (1,) in U8", 70);
}

/* More than one buffer of each type, against the same numbers one by one. */
TEST(long_tensors)
{
    enum { N = 5000 };
    static unsigned char file[2 * N + 256];
    const char *path = scratch_path("long");
    char *header = (char *)file + 8;
    int length =
        snprintf(header, 200, "{\"h\":{\"dtype\":\"BF16\",\"shape\":[%d],\"data_offsets\":[0,%d]}}",
                 N, 2 * N);
    file[0] = (unsigned char)length;
    for (int i = 0; i < N; i++) { /* 1 + (i % 128) / 128 */
        header[length + 2 * i] = (char)(0x80 | i % 128);
        header[length + 2 * i + 1] = 0x3F;
    }
    REQUIRE(scratch_write(path, file, 8 + (size_t)length + 2 * N), "no file");
    Safetensors s;
    REQUIRE(safetensors_read(path, &s), "%s", tensor_error());
    for (int i = 0; i < N; i++)
        CHECK(s.tensors[0]->data[i] == 1 + (real)(i % 128) / 128, "element %d: %g", i,
              (double)s.tensors[0]->data[i]);
    safetensors_free(&s);
}

static bool ids_there_and_back(void *path)
{
    int32_t ids[] = {3, INT32_MIN, INT32_MAX, 0};
    Tensor t = {.ids = ids};
    Safetensors s = {0};
    tensor_set_contiguous(&t, shape2(2, 2));
    tensor_set_name(&t, "tokens");
    bool ok = safetensors_write(path, (Tensor *[]){&t}, 1, NULL, 0) && safetensors_read(path, &s);
    if (ok)
        CHECK(s.count == 1 && shape_equal(s.tensors[0]->shape, t.shape) &&
                  memcmp(s.tensors[0]->ids, ids, sizeof ids) == 0,
              "other ids came back");
    safetensors_free(&s);
    return ok;
}

TEST(ids_come_back)
{
    char path[1024];
    snprintf(path, sizeof path, "%s", scratch_path("back"));
    CHECK(ids_there_and_back(path), "%s", tensor_error());
    CHECK_OUT_OF_MEMORY(ids_there_and_back, path);
}
