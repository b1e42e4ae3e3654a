/* test_cifar.c: images and labels from CIFAR-10's binary files, written here after the description
 * of the format, and the error for each wrong file. */
#include "tests/data/image_checks.h"
#include "tests/harness/test.h"

#include "data/corpora/corpora.h"

#include <string.h>

enum { CIFAR_RECORD = 3073 };

/* Two records: pixel p of plane c of record i is p + 50 c + i (mod 256). */
static size_t make_cifar(unsigned char *file)
{
    for (int i = 0; i < 2; i++) {
        unsigned char *record = file + i * CIFAR_RECORD;
        record[0] = (unsigned char)(i ? 9 : 3);
        for (int k = 0; k < 3072; k++)
            record[1 + k] = (unsigned char)(k % 1024 + 50 * (k / 1024) + i);
    }
    return 2 * CIFAR_RECORD;
}

TEST(reads_cifar)
{
    static unsigned char file[2 * CIFAR_RECORD];
    const char *path = scratch_path("cifar.bin");
    Images m;
    REQUIRE(scratch_write(path, file, make_cifar(file)), "no file");
    REQUIRE(data_cifar_read(path, &m), "%s", tensor_error());
    CHECK_TEXT(shape_str(m.shape), "(2, 3, 32, 32)");
    CHECK(m.labels[0] == 3 && m.labels[1] == 9, "labels %d %d", m.labels[0], m.labels[1]);
    Tensor *t = data_images_real(&m);
    REQUIRE(t, "%s", tensor_error());
    /* picture 1, blue, row 2, column 3: pixel 67 */
    CHECK_CLOSE(tensor_get(t, (int64_t[]){1, 2, 2, 3}), (real)(67 + 100 + 1) / 255, 0);
    CHECK_CLOSE(tensor_get(t, (int64_t[]){0, 1, 0, 0}), (real)50 / 255, 0);
    tensor_free(t);
    data_images_free(&m);
}

TEST(refuses_bad_cifar)
{
    static unsigned char file[2 * CIFAR_RECORD + 1];
    const char *path = scratch_path("bad.bin");
    size_t bytes = make_cifar(file);
    static const struct {
        size_t bytes;
        const char *error;
    } bad[] = {{0, "found 0 bytes; expected records of 3073, at least one"},
               {1, "found 1 bytes; expected records of 3073"},
               {CIFAR_RECORD - 1, "found 3072 bytes; expected records of 3073"},
               {2 * CIFAR_RECORD + 1, "found 6147 bytes; expected records of 3073"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        REQUIRE(scratch_write(path, file, bad[i].bytes), "no file");
        image_refused(data_cifar_read, path, bad[i].error, bad[i].bytes);
    }
    file[CIFAR_RECORD] = 10;
    REQUIRE(scratch_write(path, file, bytes), "no file");
    image_refused(data_cifar_read, path, "found label 10 in record 1; expected 0 .. 9", bytes);
    image_refused(data_cifar_read, scratch_path("no such file"), "cannot open: No such file", 0);
    Images m;
    CHECK(!data_cifar_read(NULL, &m), "read from no path");
    CHECK_ERROR("data_cifar_read: an argument is NULL; expected images and a path");
}

static bool read_all(void *path)
{
    Images m;
    bool ok = data_cifar_read(path, &m);
    data_images_free(&m);
    return ok;
}

TEST(out_of_memory)
{
    static unsigned char file[2 * CIFAR_RECORD];
    char path[1024];
    snprintf(path, sizeof path, "%s", scratch_path("memory.bin"));
    REQUIRE(scratch_write(path, file, make_cifar(file)), "no file");
    CHECK_OUT_OF_MEMORY(read_all, path);
}

TEST(joins_files)
{
    static unsigned char file[2 * CIFAR_RECORD];
    const char *path = scratch_path("join.bin");
    Images m = {0}, more, plain;
    REQUIRE(scratch_write(path, file, make_cifar(file)), "no file");
    for (int i = 0; i < 3; i++)
        REQUIRE(data_cifar_read(path, &more) && data_images_join(&m, &more) && !more.bytes, "%s",
                tensor_error());
    CHECK(shape_equal(m.shape, shape4(6, 3, 32, 32)), "%s", shape_str(m.shape));
    for (int i = 2; i < 6; i++)
        CHECK(m.labels[i] == m.labels[i % 2] &&
                  memcmp(m.bytes + i * 3072, m.bytes + i % 2 * 3072, 3072) == 0,
              "picture %d is not number %d again", i, i % 2);
    CHECK(memcmp(m.bytes, m.bytes + 3072, 3072) != 0, "two pictures are the same");
    REQUIRE(data_digits(&plain, 1, 0, 2), "%s", tensor_error());
    CHECK(!data_images_join(&m, &plain) && !plain.bytes && m.shape.dim[0] == 6, "joined");
    CHECK_ERROR("data_images_join: found images of shape (6, 3, 32, 32) with labels and (2, 28, "
                "28) with labels; expected the same shape but for the first axis");
    data_images_free(&m);
}

static bool join_twice(void *path)
{
    Images m = {0}, more;
    bool ok = data_cifar_read(path, &more) && data_images_join(&m, &more) &&
              data_cifar_read(path, &more) && data_images_join(&m, &more);
    data_images_free(&m);
    return ok;
}

TEST(joining_out_of_memory)
{
    static unsigned char file[2 * CIFAR_RECORD];
    char path[1024];
    snprintf(path, sizeof path, "%s", scratch_path("memory.bin"));
    REQUIRE(scratch_write(path, file, make_cifar(file)), "no file");
    CHECK_OUT_OF_MEMORY(join_twice, path);
}
