/* test_npy.c: arrays that NumPy wrote are read, ours are byte for byte what NumPy writes, and
 * everything else is refused by name.
 * The files under golden/npy are NumPy's (golden/make_npy.py); the malformed ones are made here
 * from the format's description. */
#include "tests/harness/test.h"
#include "tests/tensor/hostile.h"

#include <math.h>
#include <string.h>

enum { FILE_MAX = 16384 };

static const char *golden(const char *name)
{
    return source_path("tests/golden/npy/%s.npy", name);
}

/* ---- what NumPy wrote ------------------------------------------------------------------------ */

/* Element i is first + step i in C order, or i % 2 where step is 0. */
static void reads(const char *name, const char *shape, double first, double step)
{
    Tensor *t = tensor_array_read(golden(name), NULL);
    REQUIRE(t, "%s", tensor_error());
    CHECK_TEXT(shape_str(t->shape), shape);
    CHECK(t->data && !t->ids && tensor_is_contiguous(t), "%s is not contiguous and real", name);
    for (int64_t i = 0; i < tensor_size(t); i++) {
        double want = step != 0 ? first + step * (double)i : (double)(i % 2);
        CHECK((double)t->data[i] == want, "%s, element %lld is %g; expected %g", name, (long long)i,
              (double)t->data[i], want);
    }
    tensor_free(t);
}

TEST(reads_what_numpy_wrote)
{
    static const char *const with_sign[] = {"f4", "f8", "f2",     "i4",     "i8",
                                            "i2", "i1", "big_f8", "big_f2", "big_i8"},
                             *const without[] = {"u1", "u2", "u4", "u8"};
    for (int i = 0; i < 10; i++)
        reads(with_sign[i], "(2, 3)", -2, 1);
    for (int i = 0; i < 4; i++)
        reads(without[i], "(3, 2)", 0, 40);
    reads("b1", "(5,)", 0, 0);
    reads("scalar", "()", -2, 1);
    reads("empty", "(0, 3)", 0, 1);
    reads("version2", "(6,)", -2, 1);
    reads("version3", "(6,)", -2, 1);
    reads("big", "(6,)", -2, 1);
    reads("big_u4", "(2, 3)", 0, 40);
    reads("fortran", "(2, 3, 4)", -2, 1);
    reads("fortran_ids", "(3, 2)", -2, 1);
    reads("big_i2", "(3, 2)", -2, 1); /* in Fortran order, too */
}

TEST(refuses_other_dtypes_of_numpy)
{
    static const char *const table[][2] = {
        {"object", "the dtype '|O' is Python objects, which are never read"},
        {"record", "the dtype is a list of fields; expected one number type"},
        {"complex",
         "the dtype '<c8' is not read; expected <f8 to <f2, <i8 to |i1, <u8 to |u1 or |b1"},
        {"text", "the dtype '<U2' is not read"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        CHECK(!tensor_array_read(golden(table[i][0]), NULL), "%s was read", table[i][0]);
        CHECK_ERROR(table[i][1]);
    }
}

/* ---- what is written ------------------------------------------------------------------------- */

/* Real is f4 or f8, and ids are i4: NumPy's file of the same array is the same. */
TEST(writes_what_numpy_writes)
{
    unsigned char want[FILE_MAX], got[FILE_MAX];
    static real numbers[] = {-2, -1, 0, 1, 2, 3};
    static int32_t ids[] = {-2, -1, 0, 1, 2, 3};
    Tensor tensors[] = {{.data = numbers}, {.ids = ids}};
    static const char *const names[] = {sizeof(real) == 8 ? "f8" : "f4", "i4"};
    const char *path = scratch_path("same.npy");
    for (int i = 0; i < 2; i++) {
        tensor_set_contiguous(&tensors[i], shape2(2, 3));
        CHECK(tensor_npy_write(path, &tensors[i]), "%s", tensor_error());
        long n = scratch_read(golden(names[i]), want, sizeof want);
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
    Tensor *t = tensor_array_read(path, NULL);
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

/* ---- bad files ------------------------------------------------------------------------------- */

static size_t compose(unsigned char *file, int version, const char *header, size_t data)
{
    size_t length = strlen(header), prefix = version == 1 ? 10 : 12;
    memset(file, 0, FILE_MAX);
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (unsigned char)version;
    for (size_t i = 8; i < prefix; i++)
        file[i] = (unsigned char)(length >> 8 * (i - 8));
    memcpy(file + prefix, header, length);
    return prefix + length + data;
}

static bool array_is_read(const char *path)
{
    Tensor *t = tensor_array_read(path, NULL);
    tensor_free(t);
    return t != NULL;
}

static void refuses(const char *path, const char *error, size_t file_bytes)
{
    check_refused_file(array_is_read, path, error, 2, file_bytes);
}

#define F4(shape)    "{'descr': '<f4', 'fortran_order': False, 'shape': " shape ", }\n"
#define DTYPE(descr) "{'descr': " descr ", 'fortran_order': False, 'shape': ()}"

static const struct {
    const char *header;
    size_t data; /* zeros after it */
    const char *error;
} bad[] = {
    /* the grammar: what test_json.c refuses, and what is no JSON in a Python literal */
    {"", 0, "header, byte 0: expected a value"},
    {"{'des\\cr': 1}", 0, "unknown escape in a string"},
    {"{'descr' '<f4'}", 0, "header, byte 9: expected ':'"},
    {"{'shape': (3), 'descr': '<f4'}", 12, "header, byte 12: expected ']' or ','"},
    {"{'shape': (,), 'descr': '<f4'}", 4, "header, byte 12: expected a value"},
    {F4("()") "{}", 4, "more text after the last bracket"},
    /* the shape */
    {F4("2"), 8, "the shape is no tuple of at most 6 axes"},
    {F4("(2,,)"), 8, "expected a value"},
    {F4("(-1,)"), 4, "the shape is no tuple"},
    {F4("(1.5,)"), 4, "the shape is no tuple"},
    {F4("(None,)"), 4, "expected a value"},
    {F4("((1,),)"), 4, "the shape is no tuple"},
    {F4("(9223372036854775808,)"), 4, "the shape is no tuple"},
    {F4("(1, 1, 1, 1, 1, 1, 1)"), 4, "the shape is no tuple of at most 6 axes"},
    {F4("(4294967296, 2147483648)"), 4, "expected fewer than 2^63 bytes"},
    {F4("(0, 9007199254740992, 9007199254740992)"), 0, "expected fewer than 2^63 bytes"},
    /* the fields together */
    {"[]", 0, "the header has other keys; expected descr, fortran_order and shape"},
    {"{}", 0, "the header has other keys"},
    {"{'descr': '<f4'}", 0, "the header has other keys"},
    {"{'descr': '<f4', 'fortran_order': True}", 0, "the header has other keys"},
    {"{'descr': '<f4', 'fortran_order': True, 'shape': (), 'order': 1}", 4,
     "the header has other keys"},
    {"{'descr': '<f4', 'fortran_order': 1, 'shape': ()}", 4, "fortran_order neither True nor"},
    /* the dtype */
    {DTYPE("'>i1'"), 1, "the dtype '>i1' is not read"},
    {DTYPE("'>c8'"), 8, "the dtype '>c8' is not read"},
    {DTYPE("'|O8'"), 8, "the dtype '|O8' is Python objects"},
    {DTYPE("'f4'"), 4, "the dtype 'f4' is not read"},
    {DTYPE("''"), 0, "the dtype '' is not read"},
    {DTYPE("4"), 4, "descr is no string"},
    {DTYPE("('<f4', (2,))"), 8, "the dtype is a list of fields"},
    /* the size */
    {F4("(3,)"), 8, "8 bytes of numbers; expected 12 for shape (3,) of '<f4'"},
    {F4("(3,)"), 16, "16 bytes of numbers; expected 12 for shape (3,) of '<f4'"},
    {F4("()"), 0, "0 bytes of numbers; expected 4 for shape () of '<f4'"},
    {F4("(0,)"), 4, "4 bytes of numbers; expected 0 for shape (0,)"},
    {F4("(1000000000000,)"), 4, "expected 4000000000000 for shape (1000000000000,)"},
};

TEST(refuses_bad_headers)
{
    static unsigned char file[FILE_MAX];
    const char *path = scratch_path("bad.npy");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (int version = 1; version <= 3; version++) {
            size_t bytes = compose(file, version, bad[i].header, bad[i].data);
            REQUIRE(scratch_write(path, file, bytes), "no file");
            refuses(path, bad[i].error, bytes);
        }
}

TEST(refuses_bad_beginnings)
{
    static const struct {
        size_t bytes;
        unsigned char file[16];
        const char *error;
    } table[] = {
        {0, {0}, "0 bytes; expected at least 10 of an .npy file"},
        {9, {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0}, "9 bytes; expected at least 10"},
        {10, {'P', 'K', 3, 4, 0, 0, 1}, "it begins 50 4B 03 04 00 00; expected 93 and \"NUMPY\""},
        {10, {0x93, 'n', 'u', 'm', 'p', 'y', 1}, "it begins 93 6E 75 6D 70 79; expected 93"},
        {10, {0x93, 'N', 'U', 'M', 'P', 'Y', 0, 0}, "version 0.0; expected 1.0, 2.0 or 3.0"},
        {10, {0x93, 'N', 'U', 'M', 'P', 'Y', 4, 0}, "version 4.0; expected 1.0, 2.0 or 3.0"},
        {10, {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 1}, "version 1.1; expected 1.0, 2.0 or 3.0"},
        {11, {0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 0, 0, 0}, "11 bytes; expected at least 12"},
        {12,
         {0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 255, 255, 255, 255},
         "a header of 4294967295 bytes; expected at most 10000"},
        {12,
         {0x93, 'N', 'U', 'M', 'P', 'Y', 3, 0, 0x11, 0x27, 0, 0},
         "a header of 10001 bytes; expected at most 10000"},
        {12,
         {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0x10, 0x27, '{', '}'},
         "a header of 10000 bytes; expected at most the 2 that follow"},
    };
    const char *path = scratch_path("begin.npy");
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        REQUIRE(scratch_write(path, table[i].file, table[i].bytes), "no file");
        refuses(path, table[i].error, table[i].bytes);
    }
    refuses(scratch_path("no such.npy"), "cannot open: No such file", 0);
}

TEST(refuses_zeros_and_wrong_numbers)
{
    static unsigned char file[FILE_MAX];
    const char *path = scratch_path("zero.npy");
    size_t bytes = compose(file, 1, F4("()"), 4);
    file[14] = 0;
    REQUIRE(scratch_write(path, file, bytes), "no file");
    refuses(path, "header, byte 4: a control character in a string", bytes);
    bytes = compose(file, 1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", 3);
    file[bytes - 1] = 7;
    REQUIRE(scratch_write(path, file, bytes), "no file");
    refuses(path, "the array: element 2 is 7; expected 0 or 1, as a BOOL is", bytes);
}

/* Other spellings that Python reads the same: no spaces, double quotes, any order, a comma or none,
 * Python 2's long numbers. */
TEST(reads_other_spellings)
{
    static const char *const headers[] = {
        "{\"shape\":(2L,1L,),\"descr\":\"<f4\",\"fortran_order\":True}",
        "{ 'fortran_order' : False ,\n\t'shape' : ( 2 , 1 ) , 'descr' : '<f4' , } \r\n",
    };
    static unsigned char file[FILE_MAX];
    const char *path = scratch_path("other.npy");
    for (int i = 0; i < 2; i++) {
        size_t bytes = compose(file, 1, headers[i], 8);
        memcpy(file + bytes - 8, "\0\0\x80\x3F\0\0\0\xC0", 8);
        REQUIRE(scratch_write(path, file, bytes), "no file");
        Tensor *t = tensor_array_read(path, NULL);
        REQUIRE(t, "%s", tensor_error());
        CHECK_TEXT(shape_str(t->shape), "(2, 1)");
        CHECK(t->data[0] == 1 && t->data[1] == -2, "%g %g", (double)t->data[0], (double)t->data[1]);
        tensor_free(t);
    }
}
