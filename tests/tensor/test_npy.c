/* test_npy.c: what tensor_npy_write writes is byte for byte what NumPy writes (golden/make_npy.py),
 * and comes back. */
#include "tests/harness/test.h"

#include "data/data.h"

#include <math.h>
#include <string.h>

/* Real is f4 or f8, and ids are i4: NumPy's file of the same array is the same. */
TEST(writes_what_numpy_writes)
{
    unsigned char want[1024], got[1024];
    static real numbers[] = {-2, -1, 0, 1, 2, 3};
    static int32_t ids[] = {-2, -1, 0, 1, 2, 3};
    Tensor tensors[] = {{.data = numbers}, {.ids = ids}};
    static const char *const names[] = {sizeof(real) == 8 ? "f8" : "f4", "i4"};
    const char *path = scratch_path("same.npy");
    for (int i = 0; i < 2; i++) {
        tensor_set_contiguous(&tensors[i], shape2(2, 3));
        CHECK(tensor_npy_write(path, &tensors[i]), "%s", tensor_error());
        long n = scratch_read(source_path("tests/golden/npy/%s.npy", names[i]), want, sizeof want);
        long m = scratch_read(path, got, sizeof got);
        CHECK(n > 128 && n == m && memcmp(want, got, (size_t)n) == 0, "%s: %ld bytes, NumPy's %ld",
              names[i], m, n);
    }
}

/* Columns of a matrix, more of them than one buffer holds, and numbers that are none. */
TEST(a_view_comes_back)
{
    enum { ROWS = 90, COLUMNS = 101 };
    static real numbers[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++)
        numbers[i] = (real)i / 7;
    numbers[0] = (real)NAN, numbers[1] = -(real)INFINITY;
    Tensor view = {.data = numbers, .shape = shape2(COLUMNS, ROWS), .stride = {1, COLUMNS}};
    const char *path = scratch_path("view.npy");
    REQUIRE(tensor_npy_write(path, &view), "%s", tensor_error());
    Tensor *t = data_array_read(path, NULL);
    CHECK_TENSOR(t, &view, 0, 0);
    tensor_free(t);
}

TEST(refuses_to_write_nothing)
{
    real one[] = {1};
    Tensor t = {.data = one}, bare = {0};
    const char *path = scratch_path("kept.npy");
    char kept[8] = "";
    REQUIRE(scratch_write(path, "old", 4), "no file");
    CHECK(!tensor_npy_write(path, NULL), "NULL was written");
    CHECK_ERROR("expected a tensor with numbers or ids");
    CHECK(!tensor_npy_write(path, tensor_poison()), "poison was written");
    CHECK_ERROR("expected a tensor with numbers or ids");
    CHECK(!tensor_npy_write(path, &bare), "a tensor without numbers was written");
    CHECK_ERROR("expected a tensor with numbers or ids");
    CHECK(!tensor_npy_write(NULL, &t), "written to no file");
    CHECK_ERROR("the path is empty");
    CHECK(!tensor_npy_write(scratch_path("nowhere/a.npy"), &t), "written to no directory");
    CHECK_ERROR("cannot create a file beside it: No such file");
    scratch_read(path, kept, sizeof kept);
    CHECK_TEXT(kept, "old");
}
