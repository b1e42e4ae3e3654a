/* test_safetensors_types.c: every number type that a safetensors file may hold, bit patterns at the
 * edges of each, numbers that memory does not hold, and rows that are read on request.
 *
 * Expected values are the formats' closed forms: (-1)^s 2^(e - bias) (1 + f / 2^bits). */
#include "tests/harness/test.h"
#include "tests/tensor/hostile.h"

#include "tensor/io/safetensors.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Reads the tensor "t" of real numbers at once, and its rows on request. */
static void reads_real(const char *dtype, const void *data, size_t bytes, const double *want,
                       int count)
{
    const char *path = scratch_path("real");
    char shape[16];
    snprintf(shape, sizeof shape, "[%d]", count);
    for (int odd = 0; odd < 2; odd++) {
        Safetensors s;
        SafetensorsSource source;
        real rows[16];
        make_tensor_file(path, dtype, shape, data, bytes, odd);
        REQUIRE(safetensors_read(path, &s) && safetensors_open(&source, "open", path), "%s",
                tensor_error());
        const Tensor *t = s.tensors[0];
        REQUIRE(t->data && !t->ids, "%s did not become real", dtype);
        CHECK(safetensors_rows(&source, source.header.tensors[0], 0, count, rows), "%s",
              tensor_error());
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 2; k++) {
                const real got = k ? rows[i] : t->data[i];
                CHECK((isnan(want[i]) && isnan(got)) ||
                          (got == (real)want[i] && !signbit(got) == !signbit(want[i])),
                      "%s, element %d: %.17g; expected %.17g", dtype, i, (double)got, want[i]);
            }
        safetensors_free(&s);
        safetensors_close(&source);
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
    char shape[16];
    snprintf(shape, sizeof shape, "[%d]", count);
    for (int odd = 0; odd < 2; odd++) {
        Safetensors s;
        make_tensor_file(path, dtype, shape, data, bytes, odd);
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
    static const char header[] = "{\"u\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]},"
                                 "\"f\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[3,7]},"
                                 "\"d\":{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[7,15]},"
                                 "\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[15,16]},"
                                 "\"i\":{\"dtype\":\"I32\",\"shape\":[],\"data_offsets\":[16,20]},"
                                 "\"h\":{\"dtype\":\"F16\",\"shape\":[],\"data_offsets\":[20,22]}}";
    const char *path = scratch_path("unaligned");
    Safetensors s;
    make_safetensors(path, header, strlen(header), data, sizeof data);
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

static bool reads(const char *path)
{
    Safetensors s;
    bool ok = safetensors_read(path, &s);
    safetensors_free(&s);
    return ok;
}

/* A U8 becomes an id of 4 bytes. */
static void refuses(const char *dtype, const char *shape, const void *data, size_t bytes,
                    const char *error)
{
    const char *path = scratch_path("refused");
    for (int odd = 0; odd < 2; odd++)
        check_refused_file(reads, path, error, 4,
                           make_tensor_file(path, dtype, shape, data, bytes, odd));
}

TEST(refuses_numbers_that_do_not_fit)
{
    static const unsigned char bytes[16] = {0}, beyond[] = {0, 0, 0, 0, 0, 0, 0xF0, 0x47},
                               above[16] = {[11] = 0x80},
                               below[16] = {[8] = 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF};
    refuses("I64", "[2]", above, 16,
            "tensor 't': element 1 is 2147483648; expected -2147483648 to 2147483647");
    refuses("I64", "[2]", below, 16, "tensor 't': element 1 is -2147483649; expected");
    refuses("BOOL", "[3]", "\1\0\2", 3,
            "tensor 't': element 2 is 2; expected 0 or 1, as a BOOL is");
    refuses("F16", "[2]", bytes, 3, "has 3 bytes of data; expected 4 for shape (2,) in F16");
    refuses("F64", "[1]", bytes, 4, "has 4 bytes of data; expected 8 for shape (1,) in F64");
    refuses("U8", "[1]", bytes, 4, "has 4 bytes of data; expected 1 for shape (1,) in U8");
    /* 2^128, the least that rounds to no float */
    if (sizeof(real) == 4)
        refuses("F64", "[1]", beyond, 8,
                "tensor 't': element 0 is 3.40282e+38; expected numbers that a float");
    else
        reads_real("F64", beyond, 8, (const double[]){0x1p128}, 1);
}

/* On request, rows are real numbers alone, and each is checked as all are. */
TEST(rows_that_are_refused)
{
    static const unsigned char data[16] = {[14] = 0xF0, [15] = 0x47};
    static const char *const dtype[] = {"I64", "F64"};
    static const char *const error[] = {"tensor 't' has dtype I64; expected real numbers",
                                        "tensor 't': element 1 is 3.40282e+38"};
    for (int i = 0; i < (sizeof(real) == 4 ? 2 : 1); i++) {
        SafetensorsSource s;
        real got[2];
        const char *path = scratch_path("rows");
        make_tensor_file(path, dtype[i], "[2]", data, sizeof data, false);
        REQUIRE(safetensors_open(&s, "open", path), "%s", tensor_error());
        CHECK(!safetensors_rows(&s, s.header.tensors[0], 0, 2, got), "%s", dtype[i]);
        CHECK_ERROR(error[i]);
        safetensors_close(&s);
    }
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
}

/* ---- on request ------------------------------------------------------------------------------ */

enum { N = 70, M = 45 };

static const char *matrix_file(void)
{
    static real numbers[N * M];
    for (int i = 0; i < N * M; i++)
        numbers[i] = (real)sin(i);
    Tensor *t = tensor_from(numbers, shape2(N, M)), *v = tensor_from(numbers, shape1(N));
    tensor_set_name(t, "matrix");
    tensor_set_name(v, "vector");
    const char *path = scratch_path("matrix.safetensors");
    CHECK(safetensors_write(path, (Tensor *[]){t, v}, 2, NULL, 0), "%s", tensor_error());
    tensor_free(t);
    tensor_free(v);
    return path;
}

TEST(rows)
{
    SafetensorsSource s;
    Safetensors whole;
    real got[N * M];
    const char *path = matrix_file();
    REQUIRE(safetensors_open(&s, "open", path) && safetensors_read(path, &whole), "%s",
            tensor_error());
    const Tensor *t = safetensors_find(&s.header, "matrix"),
                 *v = safetensors_find(&s.header, "vector");
    const real *want = safetensors_find(&whole, "matrix")->data;
    CHECK(t && !t->data && shape_equal(t->shape, shape2(N, M)), "the header");
    CHECK(safetensors_rows(&s, t, 3, 11, got) &&
              memcmp(got, want + 3 * M, 11 * M * sizeof *got) == 0,
          "rows 3 to 13: %s", tensor_error());
    CHECK(safetensors_rows(&s, v, 1, 2, got) && got[0] == (real)sin(1), "%s", tensor_error());
    CHECK(!safetensors_rows(&s, t, N - 1, 2, got), "rows 69 and 70");
    CHECK_ERROR("matrix.safetensors: rows 69 to 70 of 'matrix' (70, 45); it has 70");
    CHECK(!safetensors_rows(&s, safetensors_find(&whole, "matrix"), 0, 1, got), "another file's");
    CHECK_ERROR("is none of this file's tensors");
    safetensors_free(&whole);
    safetensors_close(&s);
}

/* The closed form, of `fraction` bits below an exponent with this bias. */
static double value_of(int bits, int fraction, int bias)
{
    const int most = 32767 >> fraction, exponent = bits >> fraction & most,
              f = bits & ((1 << fraction) - 1);
    double value = exponent == most ? f ? NAN : INFINITY
                   : exponent       ? ldexp((1 << fraction) + f, exponent - bias - fraction)
                                    : ldexp(f, 1 - bias - fraction);
    return bits >> 15 ? -value : value;
}

static void every_half(const char *dtype, int fraction, int bias)
{
    static unsigned char bits[2 * 65536];
    static real got[65536];
    SafetensorsSource s;
    for (int i = 0; i < 65536; i++)
        bits[2 * i] = (unsigned char)i, bits[2 * i + 1] = (unsigned char)(i >> 8);
    const char *path = scratch_path("halves");
    make_tensor_file(path, dtype, "[256,256]", bits, sizeof bits, false);
    REQUIRE(safetensors_open(&s, "open", path), "%s", tensor_error());
    CHECK(safetensors_rows(&s, s.header.tensors[0], 0, 256, got), "%s", tensor_error());
    int wrong = 0;
    for (int i = 0; i < 65536; i++) {
        const double want = value_of(i, fraction, bias);
        wrong += !(got[i] == (real)want || (isnan(got[i]) && isnan(want)));
    }
    CHECK(wrong == 0, "%d of 65536 %s differ", wrong, dtype);
    safetensors_close(&s);
}

TEST(halves)
{
    every_half("F16", 10, 15);
    every_half("BF16", 7, 127);
}

TEST(files_that_are_none)
{
    SafetensorsSource s;
    real got[4];
    CHECK(!safetensors_open(&s, "open", scratch_path("absent")), "an absent file");
    CHECK_ERROR("open: ");
    const float numbers[4] = {1, 2, 3, 4};
    const char *path = scratch_path("one.safetensors");
    make_tensor_file(path, "F32", "[4]", numbers, sizeof numbers, false);
    REQUIRE(safetensors_open(&s, "open", path), "%s", tensor_error());
    CHECK(truncate(path, 70) == 0, "cannot truncate");
    if (sizeof(real) == 4)
        CHECK(!safetensors_rows(&s, s.header.tensors[0], 0, 4, got), "a file cut while it is open");
    if (sizeof(real) == 4)
        CHECK_ERROR("the file ends");
    safetensors_close(&s);
    CHECK(!safetensors_open(&s, "open", path), "a truncated file");
    CHECK_ERROR("one.safetensors: ");
    safetensors_close(&s);
}

static bool open_and_read(void *context)
{
    SafetensorsSource s;
    static real got[N * M];
    bool ok = safetensors_open(&s, "open", context) &&
              safetensors_rows(&s, safetensors_find(&s.header, "matrix"), 0, N, got);
    safetensors_close(&s);
    return ok;
}

TEST(what_can_fail)
{
    char path[500];
    snprintf(path, sizeof path, "%s", matrix_file());
    Attempt t = {.attempt = open_and_read, .context = path, .file = "matrix.safetensors"};
    CHECK_OUT_OF_MEMORY(open_and_read, path);
    CHECK_TRIAL_DISK(&t);
}
