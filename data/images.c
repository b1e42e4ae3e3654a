/* images.c: images and labels in the file formats of MNIST and CIFAR-10.
 *
 *   IDX        00 00, type, rank r; r axis lengths of four bytes, big-endian; the data, row-major.
 *              MNIST: 00 00 08 03 for the images, 00 00 08 01 for the labels.
 *              yann.lecun.com/exdb/mnist
 *   CIFAR-10   records of 3,073 bytes: the label 0 .. 9, then 32 x 32 of red, of green, of blue.
 *              www.cs.toronto.edu/~kriz/cifar.html, the binary version
 *
 * A file is untrusted: its data must have the size that its header declares, and memory is
 * allocated only after that is known. A compressed file is therefore inflated twice, the first time
 * only to count its bytes. */
#include "data/data.h"
#include "data/gzip.h"
#include "data/null.h"
#include "tensor/memory.h"

#include <string.h>

/* ---- IDX ------------------------------------------------------------------------------------- */

enum { UNSIGNED_BYTE = 0x08, IDX_PREFIX = 4, IDX_HEAD = IDX_PREFIX + 4 * TENSOR_MAX_RANK };

/* The beginning of a file, uncompressed: the header, if the file has all of it. */
typedef struct {
    Input in; /* for errors */
    unsigned char head[IDX_HEAD];
    int64_t have; /* bytes of the file, up to IDX_HEAD */
} Idx;

static bool has(const Idx *f, int64_t at, int64_t count, const char *what)
{
    return at + count <= f->have || INPUT_FAIL(&f->in, "found %lld bytes of %s; expected %lld",
                                               (long long)(f->have - at), what, (long long)count);
}

static bool idx_magic(const Idx *f, int *rank)
{
    static const struct {
        int type;
        const char *name;
    } others[] = {{0x09, "signed bytes"},
                  {0x0B, "16-bit numbers"},
                  {0x0C, "32-bit numbers"},
                  {0x0D, "32-bit floating-point numbers"},
                  {0x0E, "64-bit floating-point numbers"}};
    const unsigned char *b = f->head;
    if (!has(f, 0, IDX_PREFIX, "magic number"))
        return false;
    for (size_t i = 0; b[0] == 0 && b[1] == 0 && i < sizeof others / sizeof others[0]; i++)
        if (b[2] == others[i].type)
            return INPUT_FAIL(&f->in, "found %s (type 0x%02X); expected unsigned bytes (0x08)",
                              others[i].name, b[2]);
    if (b[0] || b[1] || b[2] != UNSIGNED_BYTE)
        return INPUT_FAIL(&f->in,
                          "found the magic number %02X %02X %02X %02X; expected 00 00 08 %s", b[0],
                          b[1], b[2], b[3], "and the number of axes");
    *rank = b[3];
    return (*rank >= 1 && *rank <= TENSOR_MAX_RANK) ||
           INPUT_FAIL(&f->in, "found %d axes; expected 1 to %d", *rank, TENSOR_MAX_RANK);
}

/* Magic number and axis lengths; *bytes becomes the size of the data that they declare. */
static bool idx_header(const Idx *f, Shape *shape, int64_t *bytes)
{
    bool fits = true;
    *shape = shape0();
    *bytes = 1;
    if (!idx_magic(f, &shape->rank) || !has(f, IDX_PREFIX, 4 * shape->rank, "axis lengths"))
        return false;
    for (int i = 0; i < shape->rank; i++) {
        const unsigned char *p = f->head + IDX_PREFIX + 4 * i;
        shape->dim[i] = (int64_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
        fits = fits && shape->dim[i] > 0 && tensor_checked_mul(*bytes, shape->dim[i], bytes);
    }
    return fits || INPUT_FAIL(&f->in,
                              "found the shape %s; expected axes of at least 1 and "
                              "fewer than 2^63 bytes",
                              shape_str(*shape));
}

/* Is the size of the data as declared? Of a compressed file one byte more is counted, which shows
 * that there is more. */
static bool idx_count(const Idx *f, const unsigned char *file, int64_t count, bool gzip,
                      Shape shape, int64_t bytes)
{
    const int64_t begin = IDX_PREFIX + 4 * shape.rank;
    if (gzip && bytes / GZIP_RATIO > count)
        return INPUT_FAIL(&f->in,
                          "found %lld bytes declared for shape %s; expected at most %d times the "
                          "compressed file's %lld",
                          (long long)bytes, shape_str(shape), GZIP_RATIO, (long long)count);
    if (gzip && !gzip_inflate(&f->in, true, file, count, NULL, begin + bytes + 1, &count))
        return false;
    return count - begin == bytes ||
           INPUT_FAIL(&f->in, "found %s%lld bytes of data; expected %lld for shape %s",
                      gzip && count - begin > bytes ? "at least " : "", (long long)(count - begin),
                      (long long)bytes, shape_str(shape));
}

/* Takes the data out of the file's bytes, whose memory m keeps, also after an error. */
static bool idx_take(Images *m, Idx *f, int64_t count)
{
    const bool gzip = count >= 2 && m->bytes[0] == 0x1F && m->bytes[1] == 0x8B;
    unsigned char *packed = m->bytes;
    int64_t bytes;
    f->have = count < IDX_HEAD ? count : IDX_HEAD;
    memcpy(f->head, m->bytes, (size_t)f->have);
    if ((gzip && !gzip_inflate(&f->in, true, packed, count, f->head, IDX_HEAD, &f->have)) ||
        !idx_header(f, &m->shape, &bytes) || !idx_count(f, packed, count, gzip, m->shape, bytes))
        return false;
    const int64_t begin = IDX_PREFIX + 4 * m->shape.rank;
    if (gzip) {
        m->bytes = mem_alloc((size_t)(begin + bytes));
        bool ok =
            m->bytes && gzip_inflate(&f->in, true, packed, count, m->bytes, begin + bytes, &count);
        mem_free(packed);
        if (!ok)
            return false;
    }
    memmove(m->bytes, m->bytes + begin, (size_t)bytes);
    return true;
}

static bool read_file(Images *m, const char *path, const char *who)
{
    Idx f = {.in = {.who = who, .path = path}};
    size_t count;
    if (!m || !path)
        return null_fail(who, "images and a path");
    *m = (Images){0};
    m->bytes = (unsigned char *)input_whole(who, path, PTRDIFF_MAX - 1, &count);
    if (m->bytes && idx_take(m, &f, (int64_t)count))
        return true;
    data_images_free(m);
    return false;
}

bool data_idx_read(const char *path, Images *m)
{
    return read_file(m, path, "data_idx_read");
}

/* Takes the bytes of a file of labels as the images' labels. */
static bool take_labels(Images *m, const Images *labels, const char *path, int classes)
{
    const Shape *s = &labels->shape;
    if (s->rank != 1 || s->dim[0] != m->shape.dim[0])
        return tensor_fail("data_idx_labelled: %s: found shape %s; expected (%lld,), a label for "
                           "each image",
                           path, shape_str(*s), (long long)m->shape.dim[0]);
    for (int64_t i = 0; i < s->dim[0]; i++)
        if (labels->bytes[i] >= classes)
            return tensor_fail("data_idx_labelled: %s: found label %lld to be %d; expected 0 .. %d",
                               path, (long long)i, labels->bytes[i], classes - 1);
    m->labels = mem_alloc((size_t)s->dim[0] * sizeof *m->labels);
    for (int64_t i = 0; m->labels && i < s->dim[0]; i++)
        m->labels[i] = labels->bytes[i];
    return m->labels != NULL;
}

bool data_idx_labelled(const char *images, const char *labels, Images *m, int classes)
{
    Images read = {0};
    if (!m || !images || !labels)
        return null_fail("data_idx_labelled", "images and two paths");
    *m = (Images){0};
    if (classes < 1)
        return tensor_fail("data_idx_labelled: found %d classes; expected 1 or more", classes);
    if (!read_file(m, images, "data_idx_labelled"))
        return false;
    bool ok =
        read_file(&read, labels, "data_idx_labelled") && take_labels(m, &read, labels, classes);
    data_images_free(&read);
    if (!ok)
        data_images_free(m);
    return ok;
}

/* ---- CIFAR-10 -------------------------------------------------------------------------------- */

enum { CIFAR_CLASSES = 10, CIFAR_PICTURE = 3 * 32 * 32, CIFAR_RECORD = 1 + CIFAR_PICTURE };

static bool cifar_records(Images *m, const Input *in, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        unsigned char label;
        if (!input_read(in, i * CIFAR_RECORD, &label, 1) ||
            !input_read(in, i * CIFAR_RECORD + 1, m->bytes + i * CIFAR_PICTURE, CIFAR_PICTURE))
            return false;
        if (label >= CIFAR_CLASSES)
            return INPUT_FAIL(in, "found label %d in record %lld; expected 0 .. %d", label,
                              (long long)i, CIFAR_CLASSES - 1);
        m->labels[i] = label;
    }
    return true;
}

static bool cifar_read(Images *m, const Input *in)
{
    int64_t count = in->bytes / CIFAR_RECORD;
    if (count == 0 || in->bytes % CIFAR_RECORD)
        return INPUT_FAIL(in, "found %lld bytes; expected records of %d, at least one",
                          (long long)in->bytes, CIFAR_RECORD);
    m->shape = shape4(count, 3, 32, 32);
    m->bytes = mem_alloc((size_t)(count * CIFAR_PICTURE));
    m->labels = m->bytes ? mem_alloc((size_t)count * sizeof *m->labels) : NULL;
    return m->labels && cifar_records(m, in, count);
}

bool data_cifar_read(const char *path, Images *m)
{
    Input in;
    if (!m || !path)
        return null_fail("data_cifar_read", "images and a path");
    *m = (Images){0};
    bool ok = input_open(&in, "data_cifar_read", path) && cifar_read(m, &in);
    input_close(&in);
    if (!ok)
        data_images_free(m);
    return ok;
}

/* ---- use --------------------------------------------------------------------------------- */

void data_images_free(Images *m)
{
    if (!m)
        return;
    mem_free(m->bytes);
    mem_free(m->labels);
    *m = (Images){0};
}

/* May b be appended to a: both have images, of one shape, and both or neither have labels? */
static bool alike(const Images *a, const Images *b)
{
    Shape one = a->shape;
    one.dim[0] = b->shape.dim[0];
    return a->bytes && b->bytes && shape_equal(one, b->shape) && !a->labels == !b->labels;
}

/* Appends the images of b to those of a, which stay as they are where memory is out. */
static bool append(Images *a, const Images *b)
{
    const size_t first = (size_t)shape_size(a->shape), more = (size_t)shape_size(b->shape);
    const size_t n = (size_t)a->shape.dim[0], count = (size_t)b->shape.dim[0];
    uint8_t *bytes = mem_grow(a->bytes, first, first + more);
    if (!bytes)
        return false;
    a->bytes = bytes;
    memcpy(bytes + first, b->bytes, more);
    if (a->labels) {
        int32_t *labels = mem_grow(a->labels, n * sizeof *labels, (n + count) * sizeof *labels);
        if (!labels)
            return false;
        a->labels = labels;
        memcpy(labels + n, b->labels, count * sizeof *labels);
    }
    a->shape.dim[0] += b->shape.dim[0];
    return true;
}

bool data_images_join(Images *m, Images *more)
{
    bool ok = false;
    if (!m || !more) {
        data_images_free(more);
        return null_fail("data_images_join", "two sets of images");
    }
    if (m == more)
        return tensor_fail("data_images_join: found the same images twice; expected two sets");
    if (!m->bytes && more->bytes) {
        *m = *more;
        *more = (Images){0};
        return true;
    }
    if (alike(m, more))
        ok = append(m, more);
    else
        tensor_fail("data_images_join: found images of shape %s%s and %s%s; expected the same "
                    "shape but for the first axis",
                    shape_str(m->shape), m->labels ? " with labels" : "", shape_str(more->shape),
                    more->labels ? " with labels" : "");
    data_images_free(more);
    return ok;
}

static void to_real(const uint8_t *bytes, int64_t count, real *x)
{
    for (int64_t i = 0; i < count; i++)
        x[i] = (real)bytes[i] / 255;
}

Tensor *data_images_real(const Images *m)
{
    if (!m || !m->bytes) {
        tensor_fail("data_images_real: found no images; expected those of a successful call");
        return NULL;
    }
    Tensor *t = tensor_new(m->shape);
    if (t)
        to_real(m->bytes, tensor_size(t), t->data);
    return t;
}

bool data_images_pick(const Images *m, const int *which, int64_t count, real *x, int32_t *labels)
{
    if (!m || ((!which || !x) && count > 0))
        return null_fail("data_images_pick", "images, their numbers and x");
    if (count < 0)
        return tensor_fail("data_images_pick: found %lld images; expected 0 or more",
                           (long long)count);
    int64_t all = m->bytes ? m->shape.dim[0] : 0, size = all ? shape_size(m->shape) / all : 0;
    if (labels && !m->labels)
        return tensor_fail("data_images_pick: found images without labels; expected those of "
                           "data_idx_labelled or data_cifar_read");
    for (int64_t i = 0; i < count; i++)
        if (which[i] < 0 || which[i] >= all)
            return tensor_fail("data_images_pick: which[%lld] is %d; expected 0 .. %lld",
                               (long long)i, which[i], (long long)all - 1);
    for (int64_t i = 0; i < count; i++) {
        to_real(m->bytes + which[i] * size, size, x + i * size);
        if (labels)
            labels[i] = m->labels[which[i]];
    }
    return true;
}
