/* test_idx.c: images and labels from IDX files, and the error for each wrong file.
 *
 * Plain files are written here after the description of the format; compressed ones are Python's
 * (golden/make_idx.py). Where GRADUS_DATA names a folder with MNIST's files, these are read too. */
#include "tests/data/image_checks.h"
#include "tests/harness/test.h"

#include "data/data.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MAX = 4096 };

static const unsigned char images_file[] = {0,  0,   8,   3,   0,   0,   0,   3,  0,  0,
                                            0,  2,   0,   0,   0,   2,   0,   20, 40, 60,
                                            80, 100, 120, 140, 160, 180, 200, 220};
static const unsigned char labels_file[] = {0, 0, 8, 1, 0, 0, 0, 3, 7, 0, 9};

static const char *golden(const char *name)
{
    return source_path("tests/golden/idx/%s.gz", name);
}

/* Does this build read compressed files? */
static bool no_zlib(void)
{
    Images m;
    bool without = !data_idx_read(golden("labels"), &m) && strstr(tensor_error(), "without zlib");
    if (without)
        CHECK_ERROR("labels.gz: found compressed data, which this build cannot read without zlib; "
                    "expected the output of `gunzip`");
    data_images_free(&m);
    tensor_clear_error();
    return without;
}

#define NEED_ZLIB() \
    if (no_zlib())  \
    SKIP("this build has no zlib")

/* ---- right files ----------------------------------------------------------------------------- */

static void images_are_right(const char *images, const char *labels)
{
    static const int32_t want[] = {7, 0, 9};
    Images m;
    REQUIRE(data_idx_labelled(images, labels, &m, 10), "%s", tensor_error());
    CHECK_TEXT(shape_str(m.shape), "(3, 2, 2)");
    for (int i = 0; i < 12; i++)
        CHECK(m.bytes[i] == 20 * i, "byte %d is %d", i, m.bytes[i]);
    for (int i = 0; i < 3; i++)
        CHECK(m.labels[i] == want[i], "label %d is %d", i, m.labels[i]);
    data_images_free(&m);
    CHECK(!m.bytes && !m.labels, "something is left");
    CHECK_NO_ERROR();
}

TEST(reads_plain_files)
{
    const char *images = scratch_path("images"), *labels = scratch_path("labels");
    REQUIRE(scratch_write(images, images_file, sizeof images_file), "no file");
    REQUIRE(scratch_write(labels, labels_file, sizeof labels_file), "no file");
    images_are_right(images, labels);
    Images m;
    REQUIRE(data_idx_read(labels, &m), "%s", tensor_error());
    CHECK(!m.labels && m.bytes[0] == 7 && m.bytes[2] == 9, "other bytes");
    CHECK_TEXT(shape_str(m.shape), "(3,)");
    data_images_free(&m);
}

TEST(reads_compressed_files)
{
    NEED_ZLIB();
    images_are_right(golden("images"), golden("labels"));
}

/* 0 is 0, 255 is 1, exactly. */
TEST(bytes_become_real)
{
    static const unsigned char file[] = {0, 0, 8, 1, 0, 0, 0, 3, 0, 51, 255};
    const char *path = scratch_path("real");
    Images m;
    REQUIRE(scratch_write(path, file, sizeof file) && data_idx_read(path, &m), "%s",
            tensor_error());
    Tensor *t = data_images_real(&m);
    REQUIRE(t, "%s", tensor_error());
    CHECK_TEXT(shape_str(t->shape), "(3,)");
    CHECK(t->data[0] == 0 && t->data[1] == (real)51 / 255 && t->data[2] == 1, "%g %g %g",
          (double)t->data[0], (double)t->data[1], (double)t->data[2]);
    tensor_free(t);
    data_images_free(&m);
    CHECK(!data_images_real(&m), "a tensor of no images");
    CHECK_ERROR("data_images_real: found no images; expected those of a successful call");
}

TEST(picks_a_batch)
{
    static const int which[] = {2, 0}, wrong[] = {0, 3}, negative[] = {-1};
    const char *images = scratch_path("images"), *labels = scratch_path("labels");
    Images m;
    real x[8] = {0};
    int32_t y[2] = {-1, -1};
    scratch_write(images, images_file, sizeof images_file);
    scratch_write(labels, labels_file, sizeof labels_file);
    REQUIRE(data_idx_labelled(images, labels, &m, 10), "%s", tensor_error());
    CHECK(!data_images_pick(&m, wrong, 2, x, y) && x[0] == 0 && y[0] == -1, "picked the fourth");
    CHECK_ERROR("data_images_pick: which[1] is 3; expected 0 .. 2");
    CHECK(!data_images_pick(&m, negative, 1, x, y), "picked one before the first");
    CHECK_ERROR("data_images_pick: which[0] is -1; expected 0 .. 2");
    CHECK(data_images_pick(&m, which, 2, x, y), "%s", tensor_error());
    for (int i = 0; i < 8; i++)
        CHECK_CLOSE(x[i], (real)(20 * (i < 4 ? 8 + i : i - 4)) / 255, 0);
    CHECK(y[0] == 9 && y[1] == 7, "labels %d %d", y[0], y[1]);
    data_images_free(&m);
    REQUIRE(data_idx_read(images, &m), "%s", tensor_error());
    CHECK(data_images_pick(&m, which, 2, x, NULL), "%s", tensor_error());
    CHECK(!data_images_pick(&m, which, 2, x, y), "labels out of nowhere");
    CHECK_ERROR("data_images_pick: found images without labels; expected those of "
                "data_idx_labelled or data_cifar_read");
    data_images_free(&m);
}

/* ---- wrong files ----------------------------------------------------------------------------- */

/* Files that break the IDX format in one place each, and the end of the error. */
static const struct {
    size_t bytes;
    unsigned char file[32];
    const char *error;
} bad_idx[] = {
    {0, {0}, "found 0 bytes of magic number; expected 4"},
    {3, {0, 0, 8}, "found 3 bytes of magic number; expected 4"},
    {9,
     {1, 0, 8, 1, 0, 0, 0, 1, 5},
     "found the magic number 01 00 08 01; expected 00 00 08 and the number of axes"},
    {9,
     {0, 1, 8, 1, 0, 0, 0, 1, 5},
     "found the magic number 00 01 08 01; expected 00 00 08 and the number of axes"},
    {9,
     {0, 0, 7, 1, 0, 0, 0, 1, 5},
     "found the magic number 00 00 07 01; expected 00 00 08 and the number of axes"},
    {9,
     {1, 8, 0, 0, 1, 0, 0, 0, 5},
     "found the magic number 01 08 00 00; expected 00 00 08 and the number of axes"},
    {9,
     {0, 0, 9, 1, 0, 0, 0, 1, 5},
     "found signed bytes (type 0x09); expected unsigned bytes (0x08)"},
    {10,
     {0, 0, 11, 1, 0, 0, 0, 1, 5, 5},
     "found 16-bit numbers (type 0x0B); expected unsigned bytes (0x08)"},
    {12,
     {0, 0, 12, 1, 0, 0, 0, 1, 5},
     "found 32-bit numbers (type 0x0C); expected unsigned bytes (0x08)"},
    {12,
     {0, 0, 13, 1, 0, 0, 0, 1, 5},
     "found 32-bit floating-point numbers (type 0x0D); expected unsigned bytes (0x08)"},
    {16,
     {0, 0, 14, 1, 0, 0, 0, 1, 5},
     "found 64-bit floating-point numbers (type 0x0E); expected unsigned bytes (0x08)"},
    {5, {0, 0, 8, 0, 5}, "found 0 axes; expected 1 to 6"},
    {32, {0, 0, 8, 7}, "found 7 axes; expected 1 to 6"},
    {32, {0, 0, 8, 255}, "found 255 axes; expected 1 to 6"},
    {7, {0, 0, 8, 1, 0, 0, 0}, "found 3 bytes of axis lengths; expected 4"},
    {12, {0, 0, 8, 3, 0, 0, 0, 1}, "found 8 bytes of axis lengths; expected 12"},
    {8,
     {0, 0, 8, 1, 0, 0, 0, 0},
     "found the shape (0,); expected axes of at least 1 and fewer than 2^63 bytes"},
    {28,
     {0,   0,   8,   6,   255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
      255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255},
     "expected axes of at least 1 and fewer than 2^63 bytes"},
    {12, {0, 0, 8, 1, 0, 0, 0, 5, 1, 2, 3, 4}, "found 4 bytes of data; expected 5 for shape (5,)"},
    {12, {0, 0, 8, 1, 0, 0, 0, 3, 1, 2, 3, 4}, "found 4 bytes of data; expected 3 for shape (3,)"},
    {12,
     {0, 0, 8, 2, 255, 255, 255, 255, 255, 255, 255, 255},
     "found the shape (4294967295, 4294967295); expected axes of at least 1 and fewer than "
     "2^63 bytes"},
    {12,
     {0, 0, 8, 2, 127, 255, 255, 255, 255, 255, 255, 255},
     "found 0 bytes of data; expected 9223372030412324865 for shape (2147483647, 4294967295)"},
    {12, {0, 0, 8, 1, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4}, "expected 4294967295 for shape"},
};

TEST(refuses_bad_idx)
{
    const char *path = scratch_path("bad");
    for (size_t i = 0; i < sizeof bad_idx / sizeof bad_idx[0]; i++) {
        REQUIRE(scratch_write(path, bad_idx[i].file, bad_idx[i].bytes), "no file");
        image_refused(data_idx_read, path, bad_idx[i].error, bad_idx[i].bytes);
    }
    image_refused(data_idx_read, scratch_path("no such file"), "cannot open: No such file", 0);
    image_refused(data_idx_read, scratch_path("."), "it is a directory; expected a regular file",
                  0);
    Images m;
    CHECK(!data_idx_read(NULL, &m), "read from no path");
    CHECK_ERROR("data_idx_read: an argument is NULL; expected images and a path");
}

/* The sizes that the compressed file declares, and those it has. */
TEST(refuses_bad_compressed_files)
{
    NEED_ZLIB();
    static const struct {
        const char *name, *error;
    } bad[] = {
        {"bomb", "found at least 5 bytes of data; expected 4 for shape (4,)"},
        {"hungry", "found 1000000000 bytes declared for shape (1000, 1000, 1000); expected at most "
                   "1032 times the compressed file's 31"},
        {"greedy", "found 2999999 bytes of data; expected 3000000 for shape (3000000,)"},
    };
    static unsigned char file[FILE_MAX * 2];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        long bytes = scratch_read(golden(bad[i].name), file, sizeof file);
        REQUIRE(bytes > 0 && bytes < (long)sizeof file, "%ld bytes", bytes);
        image_refused(data_idx_read, golden(bad[i].name), bad[i].error, (size_t)bytes);
    }
}

TEST(refuses_damaged_compressed_files)
{
    NEED_ZLIB();
    unsigned char file[FILE_MAX];
    const char *path = scratch_path("damaged.gz");
    long bytes = scratch_read(golden("images"), file, sizeof file - 1);
    REQUIRE(bytes > 20, "%ld bytes", bytes);
    size_t n = (size_t)bytes;
    for (size_t cut = 2; cut < n; cut++) {
        REQUIRE(scratch_write(path, file, cut), "no file");
        image_refused(data_idx_read, path, "found the end of the gzip data; expected its checksum",
                      cut);
    }
    REQUIRE(scratch_write(path, file, n + 1), "no file");
    image_refused(data_idx_read, path,
                  "found 1 bytes after the gzip data; expected the end of the file", n);
    file[n - 8] ^= 1;
    REQUIRE(scratch_write(path, file, n), "no file");
    image_refused(data_idx_read, path, "damaged gzip data before byte", n);
    image_refused(data_idx_read, path, "incorrect data check", n);
    file[n - 8] ^= 1, file[n - 1] ^= 1;
    REQUIRE(scratch_write(path, file, n), "no file");
    image_refused(data_idx_read, path, "incorrect length check", n);
    file[n - 1] ^= 1, file[2] = 7;
    REQUIRE(scratch_write(path, file, n), "no file");
    image_refused(data_idx_read, path, "unknown compression method", n);
}

/* Cut anywhere, or with any one byte another: an error or not, never a crash or a leak. */
TEST(survives_every_byte)
{
    static const unsigned char other[] = {0, 1, 8, 0x7F, 0x80, 0xFF};
    unsigned char file[FILE_MAX];
    const char *path = scratch_path("damaged");
    Memory memory = {0};
    memory_watch(&memory);
    for (int compressed = 0; compressed < 2; compressed++) {
        long bytes = sizeof images_file;
        memcpy(file, images_file, sizeof images_file);
        if (compressed)
            bytes = scratch_read(golden("images"), file, sizeof file);
        for (long n = 0; n < bytes; n++)
            for (size_t k = 0; k < sizeof other; k++) {
                Images m;
                unsigned char before = file[n];
                file[n] = other[k];
                REQUIRE(scratch_write(path, file, (size_t)bytes), "no file");
                bool ok = data_idx_read(path, &m);
                CHECK(ok != tensor_failed(), "byte %ld: read %d, \"%s\"", n, ok, tensor_error());
                data_images_free(&m);
                tensor_clear_error();
                file[n] = before;
            }
    }
    CHECK(memory.blocks == 0, "%ld blocks are left", memory.blocks);
    CHECK(memory.peak < 1 << 20, "%zu bytes were taken", memory.peak);
    memory_unwatch();
}

TEST(refuses_wrong_labels)
{
    static const unsigned char two[] = {0, 0, 8, 1, 0, 0, 0, 2, 7, 0};
    const char *images = scratch_path("images"), *labels = scratch_path("labels");
    Images m;
    scratch_write(images, images_file, sizeof images_file);
    scratch_write(labels, labels_file, sizeof labels_file);
    CHECK(!data_idx_labelled(images, labels, &m, 9) && !m.bytes, "9 of 9 classes");
    CHECK_ERROR("found label 2 to be 9; expected 0 .. 8");
    CHECK(!data_idx_labelled(images, images, &m, 10) && !m.bytes, "images are labels");
    CHECK_ERROR("found shape (3, 2, 2); expected (3,), a label for each image");
    scratch_write(labels, two, sizeof two);
    CHECK(!data_idx_labelled(images, labels, &m, 10) && !m.bytes, "2 labels for 3 images");
    CHECK_ERROR("found shape (2,); expected (3,), a label for each image");
    CHECK(!data_idx_labelled(images, "nowhere", &m, 10) && !m.bytes, "labels from nowhere");
    CHECK_ERROR("nowhere: cannot open");
}

/* ---- memory, and real data ------------------------------------------------------------------- */

static bool read_all(void *paths)
{
    char(*path)[1024] = paths;
    Images m = {0};
    bool ok = data_idx_labelled(path[0], path[1], &m, 10);
    Tensor *t = ok ? data_images_real(&m) : NULL;
    ok = t != NULL;
    tensor_free(t);
    data_images_free(&m);
    return ok;
}

TEST(out_of_memory)
{
    char path[2][1024];
    bool plain = no_zlib();
    snprintf(path[0], 1024, "%s", plain ? scratch_path("images") : golden("images"));
    snprintf(path[1], 1024, "%s", plain ? scratch_path("labels") : golden("labels"));
    if (plain) {
        scratch_write(path[0], images_file, sizeof images_file);
        scratch_write(path[1], labels_file, sizeof labels_file);
    }
    CHECK_OUT_OF_MEMORY(read_all, path);
}

/* The first labels of the test set are printed in many a book: 7 2 1 0 4 1 4 9 5 9. */
TEST(reads_mnist)
{
    static const int32_t first[] = {7, 2, 1, 0, 4, 1, 4, 9, 5, 9};
    const char *folder = getenv("GRADUS_DATA");
    char images[1024], labels[1024];
    NEED_ZLIB();
    snprintf(images, sizeof images, "%s/mnist-t10k-images-idx3-ubyte.gz", folder ? folder : "");
    snprintf(labels, sizeof labels, "%s/mnist-t10k-labels-idx1-ubyte.gz", folder ? folder : "");
    if (!folder || access(images, R_OK) != 0)
        SKIP("GRADUS_DATA names no folder with mnist-t10k-images-idx3-ubyte.gz");
    Images m;
    REQUIRE(data_idx_labelled(images, labels, &m, 10), "%s", tensor_error());
    CHECK_TEXT(shape_str(m.shape), "(10000, 28, 28)");
    for (int i = 0; i < 10; i++)
        CHECK(m.labels[i] == first[i], "label %d is %d", i, m.labels[i]);
    int64_t sum = 0;
    for (int64_t i = 0; i < shape_size(m.shape); i++)
        sum += m.bytes[i];
    /* The mean of the test pictures is 0.1325, as published with the data set's statistics. */
    CHECK_CLOSE((double)sum / (double)shape_size(m.shape) / 255, 0.1325, 1e-4);
    data_images_free(&m);
}
