/* test_pictures.c: what the examples vit and vae train and test on: drawn digits, or a folder of
 * files, which are made here in MNIST's and CIFAR-10's formats. */
#include "tensor/system/system.h"
#include "examples/common/pictures.h"
#include "data/corpora/corpora.h"
#include "tests/harness/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { COUNT = 20, SIDE = 28, PIXELS = SIDE * SIDE };

/* COUNT pictures, each of one grey: number i's is i; its label is i % 10. */
static bool write_mnist(const char *folder, const char *half)
{
    static unsigned char images[16 + COUNT * PIXELS], labels[8 + COUNT];
    const unsigned char images_head[16] = {0, 0, 8, 3,    0, 0, 0, COUNT,
                                           0, 0, 0, SIDE, 0, 0, 0, SIDE};
    const unsigned char labels_head[8] = {0, 0, 8, 1, 0, 0, 0, COUNT};
    char path[512];
    memcpy(images, images_head, 16);
    memcpy(labels, labels_head, 8);
    for (int i = 0; i < COUNT * PIXELS; i++)
        images[16 + i] = (unsigned char)(i / PIXELS);
    for (int i = 0; i < COUNT; i++)
        labels[8 + i] = (unsigned char)(i % 10);
    disk_system.mkdir(folder);
    snprintf(path, sizeof path, "%s/%s-images-idx3-ubyte", folder, half);
    bool ok = scratch_write(path, images, sizeof images);
    snprintf(path, sizeof path, "%s/mnist-%s-labels-idx1-ubyte", folder, half);
    return ok && scratch_write(path, labels, sizeof labels);
}

TEST(only_the_test_files_are_divided)
{
    char folder[512];
    Pictures p;
    real x[2 * PIXELS];
    int32_t labels[2];
    snprintf(folder, sizeof folder, "%s", scratch_path("t10k"));
    REQUIRE(write_mnist(folder, "t10k") && pictures_load(&p, folder, 1), "%s", tensor_error());
    CHECK(p.train_count == 18 && p.test_first == 18 && p.test_count == 2, "%d, %d, %d",
          p.train_count, p.test_first, p.test_count);
    CHECK(strstr(p.about, "the first 18 images for training, the last 2"), "%s", p.about);
    REQUIRE(pictures_test(&p, 0, 2, x, labels), "%s", tensor_error());
    CHECK(labels[0] == 8 && labels[1] == 9, "labels %d, %d", labels[0], labels[1]);
    CHECK_CLOSE(x[0], (real)18 / 255, 1e-7);
    CHECK_CLOSE(x[PIXELS], (real)19 / 255, 1e-7);
    for (int64_t step = 0; step < 12; step++) { /* what is tested on is never trained on */
        REQUIRE(pictures_batch(&p, step, 2, x, labels), "%s", tensor_error());
        CHECK(x[0] < (real)17.5 / 255 && x[PIXELS] < (real)17.5 / 255, "a test picture in step %d",
              (int)step);
    }
    pictures_free(&p);
    REQUIRE(write_mnist(folder, "train") && pictures_load(&p, folder, 1), "%s", tensor_error());
    CHECK(p.train_count == COUNT && p.test_first == 0 && p.test_count == COUNT, "%d, %d, %d",
          p.train_count, p.test_first, p.test_count);
    pictures_free(&p);
}

/* Kaggle's copy of MNIST has a point before "idx". */
TEST(names_of_kaggle)
{
    char folder[256], from[512], to[512];
    Pictures p;
    snprintf(folder, sizeof folder, "%s", scratch_path("kaggle"));
    REQUIRE(write_mnist(folder, "t10k"), "no files");
    snprintf(from, sizeof from, "%s/t10k-images-idx3-ubyte", folder);
    snprintf(to, sizeof to, "%s/t10k-images.idx3-ubyte", folder);
    REQUIRE(rename(from, to) == 0, "not renamed");
    snprintf(from, sizeof from, "%s/mnist-t10k-labels-idx1-ubyte", folder);
    snprintf(to, sizeof to, "%s/t10k-labels.idx1-ubyte", folder);
    REQUIRE(rename(from, to) == 0, "not renamed");
    REQUIRE(pictures_load(&p, folder, 1), "%s", tensor_error());
    CHECK(p.train_count == 18, "%d", p.train_count);
    pictures_free(&p);
}

/* Seven batches of 3 pictures from 20 would be 21: the epoch has six, of 18 different pictures. */
TEST(an_epoch_has_each_picture_once)
{
    static real x[3 * PIXELS], again[3 * PIXELS];
    char folder[512];
    Pictures p;
    int seen[COUNT] = {0}, different = 0, moved = 0;
    snprintf(folder, sizeof folder, "%s", scratch_path("epoch"));
    REQUIRE(write_mnist(folder, "t10k") && write_mnist(folder, "train") &&
                pictures_load(&p, folder, 7),
            "%s", tensor_error());
    for (int64_t step = 0; step < 6; step++) {
        REQUIRE(pictures_batch(&p, step, 3, x, NULL), "%s", tensor_error());
        for (int b = 0; b < 3; b++)
            seen[(int)(x[b * PIXELS] * 255 + (real)0.5)]++;
    }
    for (int i = 0; i < COUNT; i++)
        different += seen[i] == 1;
    CHECK(different == 18, "%d pictures were seen once", different);
    for (int64_t step = 5; step >= 0;
         step--) { /* any step can be asked for again, as after --resume */
        REQUIRE(pictures_batch(&p, step + 6, 3, again, NULL) &&
                    pictures_batch(&p, step, 3, x, NULL),
                "%s", tensor_error());
        moved += x[0] != again[0];
    }
    CHECK(moved >= 3, "the second epoch has the first one's order");
    REQUIRE(pictures_batch(&p, 5, 3, x, NULL) && pictures_batch(&p, 11, 3, again, NULL) &&
                pictures_batch(&p, 5, 3, again, NULL),
            "%s", tensor_error());
    CHECK(memcmp(x, again, sizeof x) == 0, "step 5 is not what it was");
    CHECK(!pictures_batch(&p, 0, COUNT + 1, x, NULL), "a batch of more than all");
    CHECK_ERROR("20 training images; expected at least one batch of 21");
    pictures_free(&p);
}

/* The shift (down, right) for which `moved` is `still` with zeros at the edges; false where there
 * is none up to `most`. */
static bool shift_of(const real *still, const real *moved, int most, int *down, int *right)
{
    for (*down = -most; *down <= most; ++*down)
        for (*right = -most; *right <= most; ++*right) {
            bool same = true;
            for (int at = 0; same && at < PIXELS; at++) {
                int row = at / SIDE - *down, column = at % SIDE - *right;
                bool inside = row >= 0 && row < SIDE && column >= 0 && column < SIDE;
                same = moved[at] == (inside ? still[row * SIDE + column] : 0);
            }
            if (same)
                return true;
        }
    return false;
}

TEST(pictures_are_moved_by_whole_pixels)
{
    enum { N = 50, MOST = 3, MOVES = 2 * MOST + 1 };
    static real still[N * PIXELS], moved[N * PIXELS], again[N * PIXELS];
    const Pictures p = {.side = SIDE, .colours = 1};
    int down_count[MOVES] = {0}, right_count[MOVES] = {0};
    for (int i = 0; i < N * PIXELS; i++)
        still[i] = (real)(1 + i % PIXELS);
    for (int i = 0; i < N * PIXELS; i++)
        moved[i] = again[i] = still[i];
    pictures_shift(&p, moved, N, MOST, 1, 5);
    for (int i = 0; i < N; i++) {
        int down, right;
        REQUIRE(shift_of(still, moved + i * PIXELS, MOST, &down, &right),
                "picture %d was not moved", i);
        down_count[down + MOST]++;
        right_count[right + MOST]++;
    }
    for (int k = 0; k < MOVES; k++) /* 50 draws miss one of 7 moves with probability 4.5e-4 */
        CHECK(down_count[k] > 0 && right_count[k] > 0, "no picture was moved by %d", k - MOST);
    pictures_shift(&p, again, N, MOST, 1, 5);
    CHECK(memcmp(moved, again, sizeof moved) == 0, "step 5 is not what it was");
    memcpy(again, still, sizeof again);
    pictures_shift(&p, again, N, MOST, 1, 6);
    CHECK(memcmp(moved, again, sizeof moved) != 0, "step 6 is step 5");
    pictures_shift(&p, still, N, 0, 1, 5);
    for (int i = 0; i < N * PIXELS; i++)
        REQUIRE(still[i] == (real)(1 + i % PIXELS), "moved although `most` is 0");
}

TEST(cifar_is_read_from_all_its_files)
{
    static unsigned char file[3 * 3073];
    char folder[256], path[512];
    Pictures p;
    snprintf(folder, sizeof folder, "%s", scratch_path("cifar"));
    disk_system.mkdir(folder);
    snprintf(path, sizeof path, "%s/cifar-10-batches-bin", folder);
    disk_system.mkdir(path);
    static const char *const names[] = {"data_batch_1.bin", "data_batch_3.bin", "test_batch.bin"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/cifar-10-batches-bin/%s", folder, names[i]);
        REQUIRE(scratch_write(path, file, sizeof file), "no file");
    }
    REQUIRE(pictures_load(&p, folder, 1), "%s", tensor_error());
    CHECK(p.train_count == 6 && p.test_count == 3 && p.colours == 3 && p.side == 32,
          "%d, %d, %d, %d", p.train_count, p.test_count, p.colours, p.side);
    CHECK(pictures_size(&p) == 3072, "%d", (int)pictures_size(&p));
    pictures_free(&p);
    remove(path);
    CHECK(!pictures_load(&p, folder, 1), "loaded without a test file");
    CHECK_ERROR("found no test_batch.bin");
}

TEST(bad_folders_are_refused)
{
    char folder[256], path[512];
    Pictures p;
    snprintf(folder, sizeof folder, "%s", scratch_path("bad"));
    CHECK(!pictures_load(&p, folder, 1) && !p.train.bytes, "loaded from nothing");
    CHECK_ERROR("found neither t10k-images-idx3-ubyte[.gz] nor data_batch_1.bin; expected");
    REQUIRE(write_mnist(folder, "t10k"), "no files");
    snprintf(path, sizeof path, "%s/t10k-images-idx3-ubyte", folder);
    REQUIRE(scratch_write(path, "\0\0\10\3\0\0\0\24\0\0\0\34\0\0\0\34cut off", 23), "not written");
    CHECK(!pictures_load(&p, folder, 1) && !p.test.bytes, "loaded a file that was cut off");
    CHECK_ERROR("found 7 bytes of data; expected 15680");
    snprintf(path, sizeof path, "%s/mnist-t10k-labels-idx1-ubyte", folder);
    remove(path);
    CHECK(!pictures_load(&p, folder, 1), "loaded without labels");
    CHECK_ERROR("or no t10k-labels-idx1-ubyte beside it; expected both");
}

TEST(drawn_digits_are_apart)
{
    Pictures p;
    REQUIRE(pictures_drawn(&p, 30, 10, 5), "%s", tensor_error());
    Images more;
    REQUIRE(data_digits(&more, 5, 0, 40), "%s", tensor_error());
    CHECK(memcmp(p.test.bytes, more.bytes + 30 * PIXELS, 10 * PIXELS) == 0, "other test pictures");
    CHECK(p.drawn && p.side == SIDE && p.colours == 1 && p.classes == 10, "%d, %d, %d", p.side,
          p.colours, p.classes);
    data_images_free(&more);
    pictures_free(&p);
}
