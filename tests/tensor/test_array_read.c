/* test_array_read.c: arrays in files of other programs. The .npy and .npz files are NumPy's own
 * (tests/golden/make_npy.py), the safetensors are written by hand after the format. */
#include "tests/harness/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *golden(const char *name)
{
    static char path[1200];
    snprintf(path, sizeof path, "%s/tests/golden/npy/%s", getenv("GRADUS_SOURCE"), name);
    return path;
}

/* Element i is first + step i, modulo `cycle` where that is not 0. */
static void reads(const char *path, const char *name, const char *shape, int first, int step,
                  int cycle)
{
    Tensor *t = tensor_array_read(path, name);
    REQUIRE(t, "%s", tensor_error());
    CHECK_TEXT(shape_str(t->shape), shape);
    CHECK(t->data && !t->ids, "%s is not real", path);
    for (int64_t i = 0; i < tensor_size(t); i++) {
        int64_t want = first + step * i;
        want = cycle ? want % cycle : want;
        CHECK(t->data[i] == (real)want, "%s, element %d is %g; expected %d", path, (int)i,
              (double)t->data[i], (int)want);
    }
    tensor_free(t);
}

/* A whole number beyond 32 bits is no id, but can be drawn. */
TEST(large_whole_numbers_can_be_drawn)
{
    Tensor *t = tensor_array_read(golden("large.npy"), NULL);
    REQUIRE(t, "%s", tensor_error());
    CHECK(t->data[0] == (real)0x1p40 && t->data[1] == (real)-0x1p40, "%g, %g", (double)t->data[0],
          (double)t->data[1]);
    tensor_free(t);
}

/* Does this build lack zlib? It says so, and reads no compressed archive. */
static bool no_zlib(void)
{
    Tensor *t = tensor_array_read(golden("deflated.npz"), "A");
    bool without = !t && strstr(tensor_error(), "is compressed, and this build lacks zlib");
    tensor_free(t);
    if (without)
        tensor_clear_error();
    return without;
}

TEST(archives_are_read_by_name)
{
    static const char *const archive[] = {"stored.npz", "deflated.npz"};
    for (int i = 0; i < (no_zlib() ? 1 : 2); i++) {
        reads(golden(archive[i]), "A", "(2, 3)", -2, 1, 0);
        reads(golden(archive[i]), "k", "(2, 150)", 0, 1, 7);
        reads(golden(archive[i]), "half", "(6,)", -2, 1, 0);
        CHECK(!tensor_array_read(golden(archive[i]), NULL), "no name passed");
        CHECK_ERROR("npz holds 3 arrays: A, k, half; expected the name of one");
        CHECK(!tensor_array_read(golden(archive[i]), "B"), "another name passed");
        CHECK_ERROR("npz holds 3 arrays: A, k, half; expected one with the name B");
    }
}

/* ---- damaged archives ------------------------------------------------------------------------ */

enum { FILE_MAX = 8192 };

/* Each byte of the archive changed in turn: the array is the same, or an error is told. */
static void every_changed_byte(const char *archive)
{
    unsigned char file[FILE_MAX];
    long n = scratch_read(golden(archive), file, sizeof file);
    Tensor *whole = tensor_array_read(golden(archive), "k");
    int refused = 0;
    REQUIRE(n > 0 && n < FILE_MAX && whole, "%s has %ld bytes", archive, n);
    for (long i = 0; i < n; i++) {
        file[i] ^= 0xFF;
        scratch_write(scratch_path("bad.npz"), file, (size_t)n);
        Tensor *t = tensor_array_read(scratch_path("bad.npz"), "k");
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
        CHECK(!tensor_array_read(scratch_path("bad.npz"), "A"), "byte %d of the mark", i);
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
        CHECK(!tensor_array_read(scratch_path("cut.npz"), "A"), "%ld bytes of %ld passed", i, n);
        CHECK_ERROR("cut.npz: it does not end as a ZIP archive does");
    }
}

/* The end of an archive is looked for as far from the end of the file as a comment may be long. */
TEST(a_comment_may_follow)
{
    enum { LONGEST = 65535 };
    static char file[LONGEST + 20000];
    long n = scratch_read(golden("stored.npz"), file, 20000 - 1);
    memset(file + n, 'x', LONGEST + 1);
    for (int more = LONGEST; more <= LONGEST + 1; more++) {
        scratch_write(scratch_path("comment.npz"), file, (size_t)(n + more));
        Tensor *t = tensor_array_read(scratch_path("comment.npz"), "k");
        CHECK((t != NULL) == (more == LONGEST), "%d bytes: %s", more, tensor_error());
        tensor_free(t);
        tensor_clear_error();
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
    unsigned char file[512] = {sizeof header - 1};
    memcpy(file + 8, header, sizeof header - 1);
    memcpy(file + 8 + sizeof header - 1, data, sizeof data);
    scratch_write(scratch_path("two.safetensors"), file, 8 + sizeof header - 1 + sizeof data);
    return scratch_path("two.safetensors");
}

TEST(safetensors_are_read_by_name)
{
    Tensor *t = tensor_array_read(two_tensors(), "bf");
    REQUIRE(t, "%s", tensor_error());
    CHECK_TEXT(shape_str(t->shape), "(1, 2)");
    CHECK(t->data[0] == 1 && t->data[1] == -2, "%g, %g", (double)t->data[0], (double)t->data[1]);
    tensor_free(t);
    t = tensor_array_read(two_tensors(), "i");
    REQUIRE(t, "%s", tensor_error());
    CHECK(t->data && t->data[0] == -1 && t->data[1] == 3, "I8 are others");
    tensor_free(t);
    CHECK(!tensor_array_read(two_tensors(), NULL), "no name passed");
    CHECK_ERROR("two.safetensors holds 2 arrays: bf (1, 2), i (2,); expected the name of one");
}

TEST(other_files_are_refused)
{
    CHECK(!tensor_array_read(NULL, NULL), "NULL passed");
    CHECK_ERROR("tensor_array_read: path is NULL");
    CHECK(!tensor_array_read("weights.pt", NULL), "a .pt passed");
    CHECK_ERROR(
        "tensor_array_read: weights.pt; expected a file that ends in .npy, .npz or .safetensors");
    CHECK(!tensor_array_read(golden("f4.npy"), "A"), "a name passed");
    CHECK_ERROR("holds one array, which has no name");
    CHECK(!tensor_array_read("none.npz", NULL), "nothing passed");
    CHECK_ERROR("tensor_array_read: none.npz: cannot open");
}

/* ---- failures -------------------------------------------------------------------------------- */

static bool read_deflated(void *unused)
{
    (void)unused;
    Tensor *t = tensor_array_read(golden("deflated.npz"), "k");
    tensor_free(t);
    return t != NULL;
}

static bool read_tensor(void *unused)
{
    (void)unused;
    Tensor *t = tensor_array_read(scratch_path("two.safetensors"), "i");
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
