/* test_safetensors_open.c: numbers that stay in a safetensors file until they are asked for: rows,
 * transposes and every type of number against safetensors_read, all 65,536 half floats, and what is
 * refused. */
#include "tests/harness/test.h"

#include "tensor/io/safetensors.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

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

TEST(rows_and_transpose)
{
    SafetensorsSource s;
    Safetensors whole;
    real got[N * M];
    const char *path = matrix_file();
    REQUIRE(safetensors_open(&s, path) && safetensors_read(path, &whole), "%s", tensor_error());
    const Tensor *t = safetensors_find(&s.header, "matrix"),
                 *v = safetensors_find(&s.header, "vector");
    const real *want = safetensors_find(&whole, "matrix")->data;
    CHECK(t && !t->data && shape_equal(t->shape, shape2(N, M)), "the header");
    CHECK(safetensors_rows(&s, t, 3, 11, got) &&
              memcmp(got, want + 3 * M, 11 * M * sizeof *got) == 0,
          "rows 3 to 13: %s", tensor_error());
    CHECK(safetensors_rows(&s, v, 1, 2, got) && got[0] == (real)sin(1), "%s", tensor_error());
    CHECK(safetensors_transposed(&s, t, got), "%s", tensor_error());
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            if (got[j * N + i] != want[i * M + j])
                CHECK(false, "transposed (%d, %d)", i, j);
    CHECK(!safetensors_rows(&s, t, N - 1, 2, got), "rows 69 and 70");
    CHECK_ERROR("matrix.safetensors: rows 69 to 70 of 'matrix' (70, 45); it has 70");
    CHECK(!safetensors_transposed(&s, v, got), "a vector");
    CHECK_ERROR("'vector' is (70,); expected a matrix to transpose");
    CHECK(!safetensors_rows(&s, safetensors_find(&whole, "matrix"), 0, 1, got), "another file's");
    CHECK_ERROR("is not one of this file's");
    safetensors_free(&whole);
    safetensors_close(&s);
}

/* A file of one tensor. */
static const char *one_tensor(const char *dtype, const char *shape, const void *bytes, size_t count)
{
    static unsigned char file[300000];
    char header[200];
    int n = snprintf(header, sizeof header,
                     "{\"x\":{\"dtype\":\"%s\",\"shape\":%s,\"data_offsets\":[0,%zu]}}", dtype,
                     shape, count);
    for (int i = 0; i < 8; i++)
        file[i] = (unsigned char)((uint64_t)n >> 8 * i);
    memcpy(file + 8, header, (size_t)n);
    memcpy(file + 8 + n, bytes, count);
    const char *path = scratch_path("one.safetensors");
    CHECK(scratch_write(path, file, 8 + (size_t)n + count), "cannot write");
    return path;
}

/* safetensors_read converts with ldexp, one by one; numbers_read with bits. All there are must
 * agree. */
static void every_half(const char *dtype)
{
    static uint16_t bits[65536];
    static real got[65536];
    SafetensorsSource s;
    Safetensors whole;
    for (int i = 0; i < 65536; i++)
        bits[i] = (uint16_t)i;
    const char *path = one_tensor(dtype, "[256,256]", bits, sizeof bits);
    REQUIRE(safetensors_open(&s, path) && safetensors_read(path, &whole), "%s", tensor_error());
    const real *want = whole.tensors[0]->data;
    CHECK(safetensors_rows(&s, s.header.tensors[0], 0, 256, got), "%s", tensor_error());
    int wrong = 0;
    for (int i = 0; i < 65536; i++)
        wrong += !(got[i] == want[i] || (isnan(got[i]) && isnan(want[i])));
    CHECK(wrong == 0, "%d of 65536 %s differ", wrong, dtype);
    safetensors_free(&whole);
    safetensors_close(&s);
}

TEST(halves)
{
    every_half("F16");
    every_half("BF16");
}

/* `count` numbers of 8 bytes as files have them: little-endian, also where memory is not. */
static void *as_in_a_file(const void *numbers, int count)
{
    static unsigned char bytes[8 * 3];
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, (const char *)numbers + 8 * i, sizeof bits);
        for (int b = 0; b < 8; b++)
            bytes[8 * i + b] = (unsigned char)(bits >> 8 * b);
    }
    return bytes;
}

TEST(doubles_and_whole_numbers)
{
    SafetensorsSource s;
    real got[3] = {0};
    const double fits[3] = {1, -0.1, 1e30}, large[3] = {1, 2, 1e300};
    const int64_t whole[2] = {1, 2};
    REQUIRE(safetensors_open(&s, one_tensor("F64", "[3]", as_in_a_file(fits, 3), sizeof fits)),
            "%s", tensor_error());
    CHECK(safetensors_rows(&s, s.header.tensors[0], 0, 3, got), "%s", tensor_error());
    CHECK(got[1] == (real)-0.1 && got[2] == (real)1e30, "%g %g", (double)got[1], (double)got[2]);
    safetensors_close(&s);
    REQUIRE(safetensors_open(&s, one_tensor("F64", "[3]", as_in_a_file(large, 3), sizeof large)),
            "none");
    bool taken = safetensors_rows(&s, s.header.tensors[0], 0, 3, got);
    CHECK(taken == (sizeof(real) == 8), "1e300 in a real of %zu bytes", sizeof(real));
    if (!taken)
        CHECK_ERROR("tensor 'x': element 2 is 1e+300");
    safetensors_close(&s);
    REQUIRE(safetensors_open(&s, one_tensor("I64", "[2]", as_in_a_file(whole, 2), sizeof whole)),
            "none");
    CHECK(!safetensors_rows(&s, s.header.tensors[0], 0, 2, got), "whole numbers");
    CHECK_ERROR("tensor 'x' has dtype I64; expected real numbers");
    safetensors_close(&s);
}

TEST(files_that_are_none)
{
    SafetensorsSource s;
    real got[4];
    CHECK(!safetensors_open(&s, scratch_path("absent")), "an absent file");
    CHECK_ERROR("safetensors_open: ");
    const float numbers[4] = {1, 2, 3, 4};
    const char *path = one_tensor("F32", "[4]", numbers, sizeof numbers);
    REQUIRE(safetensors_open(&s, path), "%s", tensor_error());
    CHECK(truncate(path, 70) == 0, "cannot truncate");
    if (sizeof(real) == 4)
        CHECK(!safetensors_rows(&s, s.header.tensors[0], 0, 4, got), "a file cut while it is open");
    if (sizeof(real) == 4)
        CHECK_ERROR("the file ends");
    safetensors_close(&s);
    CHECK(!safetensors_open(&s, path), "a truncated file");
    CHECK_ERROR("one.safetensors: ");
    safetensors_close(&s);
}

static bool open_and_read(void *context)
{
    SafetensorsSource s;
    static real got[N * M];
    bool ok = safetensors_open(&s, context) &&
              safetensors_transposed(&s, safetensors_find(&s.header, "matrix"), got);
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
