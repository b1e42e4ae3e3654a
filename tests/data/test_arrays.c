/* test_arrays.c: arrays in files of other programs are read, and all else is refused by name.
 * The .npy and .npz files under golden/npy are NumPy's own (golden/make_npy.py); the malformed ones
 * and the safetensors are made here from the formats' descriptions. */
#include "tests/harness/test.h"
#include "tests/tensor/hostile.h"

#include "data/data.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 16384 };

static const char *golden(const char *name)
{
    static char path[1200];
    snprintf(path, sizeof path, "%s/tests/golden/npy/%s", getenv("GRADUS_SOURCE"), name);
    return path;
}

/* Element i, in C order, is first + step i, modulo `cycle` where that is not 0. */
static void reads(const char *file, const char *name, const char *shape, int first, int step,
                  int cycle)
{
    Tensor *t = data_array_read(golden(file), name);
    REQUIRE(t, "%s", tensor_error());
    CHECK_TEXT(shape_str(t->shape), shape);
    CHECK(t->data && !t->ids && tensor_is_contiguous(t), "%s is not contiguous and real", file);
    for (int64_t i = 0; i < tensor_size(t); i++) {
        int64_t want = first + step * i;
        want = cycle ? want % cycle : want;
        CHECK(t->data[i] == (real)want, "%s, element %d is %g; expected %d", file, (int)i,
              (double)t->data[i], (int)want);
    }
    tensor_free(t);
}

/* Does this build lack zlib? It says so, and reads no compressed archive. */
static bool no_zlib(void)
{
    Tensor *t = data_array_read(golden("deflated.npz"), "A");
    bool without = !t && strstr(tensor_error(), "this build cannot read without zlib");
    tensor_free(t);
    if (without)
        tensor_clear_error();
    return without;
}

/* ---- what NumPy wrote ------------------------------------------------------------------------ */

TEST(arrays_of_numpy_are_read)
{
    static const char *const with_sign[] = {"f4.npy",     "f8.npy",    "f2.npy", "i4.npy",
                                            "i8.npy",     "i2.npy",    "i1.npy", "big_f8.npy",
                                            "big_f2.npy", "big_i8.npy"},
                             *const without[] = {"u1.npy", "u2.npy", "u4.npy", "u8.npy"};
    for (int i = 0; i < 10; i++)
        reads(with_sign[i], NULL, "(2, 3)", -2, 1, 0);
    for (int i = 0; i < 4; i++)
        reads(without[i], NULL, "(3, 2)", 0, 40, 0);
    reads("b1.npy", NULL, "(5,)", 0, 1, 2);
    reads("scalar.npy", NULL, "()", -2, 1, 0);
    reads("empty.npy", NULL, "(0, 3)", 0, 1, 0);
    reads("big.npy", NULL, "(6,)", -2, 1, 0);
    reads("big_u4.npy", NULL, "(2, 3)", 0, 40, 0);
    reads("big_i2.npy", NULL, "(3, 2)", -2, 1, 0); /* in Fortran order, too */
    reads("fortran.npy", NULL, "(2, 3, 4)", -2, 1, 0);
    reads("fortran_ids.npy", NULL, "(3, 2)", -2, 1, 0);
}

/* A whole number beyond 32 bits is no id, but can be drawn. */
TEST(large_whole_numbers_are_read)
{
    Tensor *t = data_array_read(golden("large.npy"), NULL);
    REQUIRE(t, "%s", tensor_error());
    CHECK(t->data[0] == (real)0x1p40 && t->data[1] == (real)-0x1p40, "%g, %g", (double)t->data[0],
          (double)t->data[1]);
    tensor_free(t);
}

TEST(other_arrays_of_numpy_are_refused)
{
    static const char *const table[][2] = {
        {"object.npy", "the dtype '|O' is Python objects, which are never read"},
        {"record.npy", "the header is {'descr': [('a', '<f4'), ('b', '<i4')],"},
        {"complex.npy",
         "the dtype '<c8' is not read; expected <f8 to <f2, <i8 to |i1, <u8 to |u1, |b1"},
        {"text.npy", "the dtype '<U2' is not read"},
        {"version2.npy", "expected 93, \"NUMPY\" and version 1.0"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        CHECK(!data_array_read(golden(table[i][0]), NULL), "%s was read", table[i][0]);
        CHECK_ERROR(table[i][1]);
    }
}

/* ---- bad .npy files -------------------------------------------------------------------------- */

static size_t compose(unsigned char *file, const char *header, size_t data)
{
    const size_t length = strlen(header);
    memset(file, 0, FILE_MAX);
    memcpy(file, "\x93NUMPY\x01", 8);
    file[8] = (unsigned char)length;
    file[9] = (unsigned char)(length >> 8);
    memcpy(file + 10, header, length);
    return 10 + length + data;
}

static bool array_is_read(const char *path)
{
    Tensor *t = data_array_read(path, NULL);
    tensor_free(t);
    return t != NULL;
}

/* Of a .npy file with these bytes. */
static void refuses(const unsigned char *file, size_t bytes, const char *error)
{
    const char *path = scratch_path("bad.npy");
    REQUIRE(scratch_write(path, file, bytes), "no file");
    check_refused_file(array_is_read, path, error, 2, bytes);
}

#define F4(shape)    "{'descr': '<f4', 'fortran_order': False, 'shape': " shape ", }\n"
#define DTYPE(descr) "{'descr': " descr ", 'fortran_order': False, 'shape': ()}"
#define NO_HEADER    "expected one as {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"

TEST(bad_headers_are_refused)
{
    static const struct {
        const char *header;
        size_t data; /* zeros after it */
        const char *error;
    } bad[] = {
        /* the form */
        {"", 0, "the header is ; " NO_HEADER},
        {"[]", 0, NO_HEADER},
        {"{'descr': '<f4'}", 0, NO_HEADER},
        {"{'descr': '<f4', 'fortran_order': True}", 0, NO_HEADER},
        {"{'descr': '<f4', 'fortran_order': 1, 'shape': ()}", 4, NO_HEADER},
        {"{'descr': '<f4', 'fortran_order': Falsa, 'shape': ()}", 4, NO_HEADER},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (), 'order': 1}", 4, NO_HEADER},
        {F4("()") "{}", 4, NO_HEADER},
        /* the shape */
        {F4("2"), 8, NO_HEADER},
        {F4("[2]"), 8, NO_HEADER},
        {F4("(2,,)"), 8, NO_HEADER},
        {F4("(-1,)"), 4, NO_HEADER},
        {F4("(1.5,)"), 4, NO_HEADER},
        {F4("(None,)"), 4, NO_HEADER},
        {F4("(1, 1, 1, 1, 1, 1, 1)"), 4, "of at most 6 axes"},
        {F4("(9223372036854775808,)"), 4, "expected fewer than 2^63 bytes"},
        {F4("(4294967296, 2147483648)"), 4, "expected fewer than 2^63 bytes"},
        {F4("(0, 9007199254740992, 9007199254740992)"), 0, "expected fewer than 2^63 bytes"},
        /* the dtype */
        {DTYPE("'>c8'"), 8, "the dtype '>c8' is not read"},
        {DTYPE("'<f1'"), 1, "the dtype '<f1' is not read"},
        {DTYPE("'<f16'"), 16, "the dtype '<f16' is not read"},
        {DTYPE("'|O8'"), 8, "the dtype '|O8' is Python objects"},
        {DTYPE("'f4'"), 4, "the dtype 'f4' is not read"},
        {DTYPE("''"), 0, NO_HEADER},
        {DTYPE("('<f4', (2,))"), 8, NO_HEADER},
        /* the size */
        {F4("(3,)"), 8, "8 bytes of numbers; expected 12 for shape (3,) in F32"},
        {F4("(3,)"), 16, "16 bytes of numbers; expected 12 for shape (3,) in F32"},
        {F4("()"), 0, "0 bytes of numbers; expected 4 for shape () in F32"},
        {F4("(0,)"), 4, "4 bytes of numbers; expected 0 for shape (0,)"},
        {F4("(1000000000000,)"), 4, "expected 4000000000000 for shape (1000000000000,)"},
    };
    static unsigned char file[FILE_MAX];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuses(file, compose(file, bad[i].header, bad[i].data), bad[i].error);
    size_t bytes = compose(file, F4("()"), 4);
    file[bytes - 5] = 0; /* the header's last */
    refuses(file, bytes, NO_HEADER);
}

TEST(bad_beginnings_are_refused)
{
    static const struct {
        size_t bytes;
        unsigned char file[16];
        const char *error;
    } table[] = {
        {0, {0}, "it does not begin as an .npy file does"},
        {9, {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0}, "it does not begin as an .npy file does"},
        {10, {'P', 'K', 3, 4, 0, 0, 1}, "expected 93, \"NUMPY\" and version 1.0"},
        {10, {0x93, 'N', 'U', 'M', 'P', 'Y', 4, 0}, "expected 93, \"NUMPY\" and version 1.0"},
        {12,
         {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0x11, 0x27, '{', '}'},
         "a header of 10001 bytes; expected at most 10000"},
        {12,
         {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0x10, 0x27, '{', '}'},
         "a header of 10000 bytes; expected at most 10000, and the 2 that follow"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        refuses(table[i].file, table[i].bytes, table[i].error);
}

/* Other white space, a comma or none. */
TEST(other_spellings_are_read)
{
    static const char *const headers[] = {
        "{'descr':'<f4','fortran_order':True,'shape':(2,1)}",
        "{ 'descr' : '<f4' ,\n\t'fortran_order' : False , 'shape' : (2, 1,), } \n",
    };
    static unsigned char file[FILE_MAX];
    const char *path = scratch_path("other.npy");
    for (int i = 0; i < 2; i++) {
        size_t bytes = compose(file, headers[i], 8);
        memcpy(file + bytes - 8, "\0\0\x80\x3F\0\0\0\xC0", 8);
        REQUIRE(scratch_write(path, file, bytes), "no file");
        Tensor *t = data_array_read(path, NULL);
        REQUIRE(t, "%s", tensor_error());
        CHECK_TEXT(shape_str(t->shape), "(2, 1)");
        CHECK(t->data[0] == 1 && t->data[1] == -2, "%g %g", (double)t->data[0], (double)t->data[1]);
        tensor_free(t);
    }
}

/* 2^128, the least that rounds to no float. */
TEST(what_a_float_cannot_hold_is_refused)
{
    unsigned char file[FILE_MAX];
    const char *path = scratch_path("wide.npy");
    size_t bytes = compose(file, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", 16);
    memcpy(file + bytes - 2, "\xF0\x47", 2);
    REQUIRE(scratch_write(path, file, bytes), "no file");
    Tensor *t = data_array_read(path, NULL);
    CHECK((t != NULL) == (sizeof(real) == 8), "%s", tensor_error());
    if (!t)
        CHECK_ERROR("element 1 is 3.40282e+38; expected numbers that a float can hold");
    tensor_free(t);
}

/* ---- archives -------------------------------------------------------------------------------- */

TEST(archives_are_read_by_name)
{
    static const char *const archive[] = {"stored.npz", "deflated.npz"};
    for (int i = 0; i < (no_zlib() ? 1 : 2); i++) {
        reads(archive[i], "A", "(2, 3)", -2, 1, 0);
        reads(archive[i], "k", "(2, 150)", 0, 1, 7);
        reads(archive[i], "half", "(6,)", -2, 1, 0);
        CHECK(!data_array_read(golden(archive[i]), NULL), "no name passed");
        CHECK_ERROR("npz holds 3 arrays: A, k, half; expected the name of one");
        CHECK(!data_array_read(golden(archive[i]), "B"), "another name passed");
        CHECK_ERROR("npz holds 3 arrays: A, k, half; expected one with the name B");
    }
}

/* Each byte of the archive changed in turn: the array is the same, or an error is told. */
static void every_changed_byte(const char *archive)
{
    unsigned char file[FILE_MAX];
    long n = scratch_read(golden(archive), file, sizeof file);
    Tensor *whole = data_array_read(golden(archive), "k");
    int refused = 0;
    REQUIRE(n > 0 && n < FILE_MAX && whole, "%s has %ld bytes", archive, n);
    for (long i = 0; i < n; i++) {
        file[i] ^= 0xFF;
        scratch_write(scratch_path("bad.npz"), file, (size_t)n);
        Tensor *t = data_array_read(scratch_path("bad.npz"), "k");
        CHECK(!t || !tensor_difference(t, whole, 0, 0), "byte %ld changed the array", i);
        refused += !t;
        tensor_free(t);
        tensor_clear_error();
        file[i] ^= 0xFF;
    }
    CHECK(refused > 100, "%s: %d bytes matter", archive, refused);
    tensor_free(whole);
}

/* The archive begins with the header of A, which begins with "PK\3\4". */
static void a_header_without_its_mark(void)
{
    unsigned char file[FILE_MAX];
    long n = scratch_read(golden("stored.npz"), file, sizeof file);
    REQUIRE(n > 4 && memcmp(file, "PK\3\4", 4) == 0, "%ld bytes", n);
    for (int i = 0; i < 4; i++) {
        file[i] ^= 1;
        scratch_write(scratch_path("bad.npz"), file, (size_t)n);
        CHECK(!data_array_read(scratch_path("bad.npz"), "A"), "byte %d of the mark", i);
        CHECK_ERROR("array 'A': its place or length in the archive is damaged");
        file[i] ^= 1;
    }
}

TEST(damage_is_told)
{
    every_changed_byte("stored.npz");
    a_header_without_its_mark();
    if (no_zlib())
        SKIP("this build has no zlib");
    every_changed_byte("deflated.npz");
}

TEST(what_is_cut_short_is_told)
{
    unsigned char file[FILE_MAX];
    long n = scratch_read(golden("deflated.npz"), file, sizeof file);
    for (long i = 0; i < n; i += 7) {
        scratch_write(scratch_path("cut.npz"), file, (size_t)i);
        CHECK(!data_array_read(scratch_path("cut.npz"), "A"), "%ld bytes of %ld passed", i, n);
        CHECK_ERROR("cut.npz: it does not end as a ZIP archive does");
    }
}

/* ---- safetensors ----------------------------------------------------------------------------- */

/* Two tensors: BF16 1, -2 (the upper halves of their floats) and I8 -1, 3. */
static const char *two_tensors(void)
{
    static const char header[] =
        "{\"bf\":{\"dtype\":\"BF16\",\"shape\":[1,2],\"data_offsets\":[0,4]},"
        "\"i\":{\"dtype\":\"I8\",\"shape\":[2],\"data_offsets\":[4,6]}}";
    static const unsigned char data[] = {0x80, 0x3F, 0x00, 0xC0, 0xFF, 0x03};
    make_safetensors(scratch_path("two.safetensors"), header, sizeof header - 1, data, sizeof data);
    return scratch_path("two.safetensors");
}

TEST(safetensors_are_read_by_name)
{
    Tensor *t = data_array_read(two_tensors(), "bf");
    REQUIRE(t, "%s", tensor_error());
    CHECK_TEXT(shape_str(t->shape), "(1, 2)");
    CHECK(t->data[0] == 1 && t->data[1] == -2, "%g, %g", (double)t->data[0], (double)t->data[1]);
    tensor_free(t);
    t = data_array_read(two_tensors(), "i");
    REQUIRE(t, "%s", tensor_error());
    CHECK(t->data && t->data[0] == -1 && t->data[1] == 3, "I8 are others");
    tensor_free(t);
    CHECK(!data_array_read(two_tensors(), NULL), "no name passed");
    CHECK_ERROR("two.safetensors holds 2 arrays: bf (1, 2), i (2,); expected the name of one");
}

TEST(other_files_are_refused)
{
    CHECK(!data_array_read(NULL, NULL), "NULL passed");
    CHECK_ERROR("data_array_read: path is NULL");
    CHECK(!data_array_read("weights.pt", NULL), "a .pt passed");
    CHECK_ERROR(
        "data_array_read: weights.pt; expected a file that ends in .npy, .npz or .safetensors");
    CHECK(!data_array_read(golden("f4.npy"), "A"), "a name passed");
    CHECK_ERROR("holds one array, which has no name");
    CHECK(!data_array_read("none.npz", NULL), "nothing passed");
    CHECK_ERROR("data_array_read: none.npz: cannot open");
}

/* ---- failures -------------------------------------------------------------------------------- */

static bool read_deflated(void *unused)
{
    (void)unused;
    Tensor *t = data_array_read(golden("deflated.npz"), "k");
    tensor_free(t);
    return t != NULL;
}

static bool read_tensor(void *unused)
{
    (void)unused;
    Tensor *t = data_array_read(scratch_path("two.safetensors"), "i");
    tensor_free(t);
    return t != NULL;
}

TEST(memory_may_be_out)
{
    two_tensors();
    CHECK_OUT_OF_MEMORY(read_tensor, NULL);
    if (no_zlib())
        SKIP("this build has no zlib");
    CHECK_OUT_OF_MEMORY(read_deflated, NULL);
}
