/* pictures.c: see pictures.h. */
#include "examples/common/pictures.h"
#include "data/corpora/corpora.h"

#include <stdlib.h>
#include <string.h>

enum { PATH = 1024, CLASSES = 10 };

/* ---- finding the files ----------------------------------------------------------------------- */

static bool exists(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file)
        fclose(file);
    return file != NULL;
}

/* The first of FOLDER/NAME, NAME.gz, mnist-NAME, mnist-NAME.gz, cifar-10-batches-bin/NAME that
 * exists. */
static bool find(const char *folder, const char *name, char path[PATH])
{
    static const struct {
        const char *before, *after;
    } forms[] = {
        {"", ""}, {"", ".gz"}, {"mnist-", ""}, {"mnist-", ".gz"}, {"cifar-10-batches-bin/", ""}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        int length =
            snprintf(path, PATH, "%s/%s%s%s", folder, forms[i].before, name, forms[i].after);
        if (length < PATH && exists(path))
            return true;
    }
    return false;
}

/* The images (3) or labels (1) of one half, "train" or "t10k", under the names of LeCun's files or
 * those of Kaggle's copy, which have a point before "idx". */
static bool find_half(const char *folder, const char *half, int axes, char path[PATH])
{
    char name[64];
    const char *what = axes == 3 ? "images" : "labels";
    for (const char *mark = "-."; *mark; mark++) {
        snprintf(name, sizeof name, "%s-%s%cidx%d-ubyte", half, what, *mark, axes);
        if (find(folder, name, path))
            return true;
    }
    return false;
}

static bool load_half(Images *m, const char *folder, const char *half)
{
    char images[PATH], labels[PATH];
    if (!find_half(folder, half, 3, images) || !find_half(folder, half, 1, labels))
        return tensor_fail("pictures_load: %s: found no %s-images-idx3-ubyte, or no "
                           "%s-labels-idx1-ubyte beside it; expected both, with or without .gz",
                           folder, half, half);
    return data_idx_labelled(images, labels, m, CLASSES);
}

static bool has_half(const char *folder, const char *half)
{
    char path[PATH];
    return find_half(folder, half, 3, path);
}

static bool load_mnist(Pictures *p, const char *folder)
{
    bool whole = has_half(folder, "train");
    if (!load_half(&p->test, folder, "t10k") ||
        !load_half(&p->train, folder, whole ? "train" : "t10k"))
        return false;
    int train = (int)p->train.shape.dim[0], test = (int)p->test.shape.dim[0];
    p->train_count = whole ? train : train - train / 10;
    p->test_first = whole ? 0 : p->train_count;
    p->test_count = test - p->test_first;
    snprintf(p->about, sizeof p->about,
             whole ? "MNIST: %d training images, %d test images"
                   : "MNIST, t10k files only: the first %d images for training, the last %d for "
                     "testing",
             p->train_count, p->test_count);
    return true;
}

/* Those of data_batch_1.bin .. 5 that exist. */
static bool load_cifar(Pictures *p, const char *folder)
{
    char name[32], path[PATH];
    for (int i = 1; i <= 5; i++) {
        Images more;
        snprintf(name, sizeof name, "data_batch_%d.bin", i);
        if (find(folder, name, path) &&
            (!data_cifar_read(path, &more) || !data_images_join(&p->train, &more)))
            return false;
    }
    if (!find(folder, "test_batch.bin", path))
        return tensor_fail(
            "pictures_load: %s: found no test_batch.bin; expected it beside data_batch_1.bin",
            folder);
    if (!data_cifar_read(path, &p->test))
        return false;
    p->train_count = (int)p->train.shape.dim[0];
    p->test_count = (int)p->test.shape.dim[0];
    snprintf(p->about, sizeof p->about, "CIFAR-10: %d training images, %d test images",
             p->train_count, p->test_count);
    return true;
}

/* ---- all data sets --------------------------------------------------------------------------- */

/* Sets the fields that follow from the images. */
static bool ready(Pictures *p, uint64_t seed)
{
    const Shape *s = &p->train.shape, *t = &p->test.shape;
    p->classes = CLASSES;
    p->colours = s->rank == 4 ? (int)s->dim[1] : 1;
    p->side = (int)s->dim[s->rank - 1];
    bool square = s->rank >= 3 && s->dim[s->rank - 2] == p->side;
    if (!square || t->rank != s->rank || shape_size(*t) / t->dim[0] != shape_size(*s) / s->dim[0])
        return tensor_fail(
            "pictures_open: images of shape %s and %s; expected square ones of one shape",
            shape_str(*s), shape_str(*t));
    return order_init(&p->order, p->train_count, 1, seed);
}

bool pictures_drawn(Pictures *p, int train, int test, uint64_t seed)
{
    *p = (Pictures){.train_count = train, .test_count = test, .drawn = true};
    snprintf(p->about, sizeof p->about, "generated digits: %d for training, %d others for testing",
             train, test);
    bool ok = data_digits(&p->train, seed, 0, train) && data_digits(&p->test, seed, train, test) &&
              ready(p, seed);
    if (!ok)
        pictures_free(p);
    return ok;
}

bool pictures_load(Pictures *p, const char *folder, uint64_t seed)
{
    char path[PATH];
    *p = (Pictures){0};
    bool mnist = has_half(folder, "train") || has_half(folder, "t10k");
    bool ok = false;
    if (mnist)
        ok = load_mnist(p, folder);
    else if (find(folder, "data_batch_1.bin", path))
        ok = load_cifar(p, folder);
    else
        tensor_fail("pictures_load: %s: found neither t10k-images-idx3-ubyte[.gz] nor "
                    "data_batch_1.bin; expected "
                    "MNIST's or CIFAR-10's files, which './gradus data mnist %s' downloads",
                    folder, folder);
    ok = ok && ready(p, seed);
    if (!ok)
        pictures_free(p);
    return ok;
}

bool pictures_open(Pictures *p, const char *folder, uint64_t seed)
{
    enum { DRAWN_TRAIN = 9000, DRAWN_TEST = 1000 };
    return folder ? pictures_load(p, folder, seed)
                  : pictures_drawn(p, DRAWN_TRAIN, DRAWN_TEST, seed);
}

void pictures_free(Pictures *p)
{
    data_images_free(&p->train);
    data_images_free(&p->test);
    order_free(&p->order);
}

int64_t pictures_size(const Pictures *p)
{
    return (int64_t)p->colours * p->side * p->side;
}

bool pictures_batch(Pictures *p, int64_t step, int B, real *x, int32_t *labels)
{
    if (B < 1 || B > p->train_count)
        return tensor_fail("pictures_batch: %d training images; expected at least one batch of %d",
                           p->train_count, B);
    p->order.batch = B;
    return data_images_pick(&p->train, order_batch(&p->order, step), B, x, labels);
}

/* One colour, (side, side): pixel (row, column) comes from (row - down, column - right). Pixels are
 * written in an order in which each is read before it is overwritten. */
static void shift_plane(real *plane, int side, int down, int right)
{
    for (int i = 0; i < side * side; i++) {
        int at = down > 0 || (down == 0 && right > 0) ? side * side - 1 - i : i;
        int row = at / side - down, column = at % side - right;
        bool inside = row >= 0 && row < side && column >= 0 && column < side;
        plane[at] = inside ? plane[row * side + column] : 0;
    }
}

void pictures_shift(const Pictures *p, real *x, int B, int most, uint64_t seed, int64_t step)
{
    Rng rng = {.seed = seed, .stream = (uint64_t)step};
    for (int i = 0; i < B; i++) {
        int down = (int)rng_below(&rng, 2 * (uint32_t)most + 1) - most;
        int right = (int)rng_below(&rng, 2 * (uint32_t)most + 1) - most;
        for (int c = 0; c < p->colours; c++)
            shift_plane(x + ((int64_t)i * p->colours + c) * p->side * p->side, p->side, down,
                        right);
    }
}

bool pictures_test(const Pictures *p, int first, int count, real *x, int32_t *labels)
{
    int64_t size = pictures_size(p);
    for (int i = 0; i < count; i++) {
        int which = p->test_first + first + i;
        if (!data_images_pick(&p->test, &which, 1, x + i * size, labels ? labels + i : NULL))
            return false;
    }
    return true;
}
