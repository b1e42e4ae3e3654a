/* host.c: a program that gradus is a part of: its own allocator, files, random numbers and error
 * handling. Arguments: a folder to write into. Ends with 0 if all holds. */
#include <gradus.h>
#include <tensor/files.h>

#include "checks.h"

#include <stdlib.h>
#include <string.h>

static int64_t blocks; /* that the library holds */

static void *counted_alloc(size_t bytes, void *context)
{
    (void)context;
    blocks++;
    return malloc(bytes);
}

static void counted_free(void *block, void *context)
{
    (void)context;
    blocks -= block != NULL;
    free(block);
}

static void check_shapes(void)
{
    CHECK(shape_check(shape0(), "host"), "shape_check");
}

/* A tensor of its own: printed, compared and copied. */
static void check_tensor(void)
{
    Tensor *t = tensor_from((real[]){1, 2}, shape1(2)), *copy = tensor_clone(t);
    tensor_set_name(t, "pair.%d", 1);
    CHECK(strstr(tensor_describe(t), "pair.1"), "tensor_describe");
    CHECK(tensor_is_contiguous(t) && !tensor_difference(t, copy, 0, 0), "tensor_difference");
    tensor_set_contiguous(copy, shape2(2, 1));
    CHECK(copy->stride[0] == 1, "tensor_set_contiguous");
    tensor_free(copy);
    tensor_free(t);
}

/* Written under one folder and read again. */
static void check_files(const char *folder)
{
    char path[512];
    Tensor *t = tensor_from((real[]){3, 4}, shape1(2));
    tensor_set_name(t, "t");
    snprintf(path, sizeof path, "%s/host.safetensors", folder);
    Safetensors file;
    CHECK(safetensors_write(path, &t, 1, NULL, 0) && safetensors_read(path, &file), "safetensors");
    CHECK(safetensors_find(&file, "t") && !tensor_difference(safetensors_find(&file, "t"), t, 0, 0),
          "safetensors_find");
    safetensors_free(&file);
    snprintf(path, sizeof path, "%s/host.npy", folder);
    CHECK(tensor_npy_write(path, t), "tensor_npy_write");
    AtomicFile *half = tensor_file_open(path);
    CHECK(half && fputs("half", tensor_file_stream(half)) >= 0, "tensor_file_open");
    tensor_file_discard(half); /* the file stays as it was */
    Tensor *again = data_array_read(path, NULL);
    CHECK(again && !tensor_difference(again, t, 0, 0), "data_array_read");
    tensor_free(again);
    tensor_free(t);
}

/* A data set in MNIST's format: two images of 1 x 2. */
static void check_images(const char *folder)
{
    static const unsigned char idx[] = {0, 0, 8, 3, 0, 0, 0, 2,  0,   0,
                                        0, 1, 0, 0, 0, 2, 0, 51, 102, 255};
    char path[512];
    snprintf(path, sizeof path, "%s/host.idx", folder);
    FILE *out = fopen(path, "wb");
    CHECK(out && fwrite(idx, 1, sizeof idx, out) == sizeof idx && fclose(out) == 0, "an IDX file");
    Images images;
    CHECK(data_idx_read(path, &images), "data_idx_read");
    Tensor *t = data_images_real(&images);
    CHECK(t && shape_equal(t->shape, shape3(2, 1, 2)), "data_images_real");
    CHECK_NEAR(t->data[1], 0.2, "a pixel of 51");
    tensor_free(t);
    data_images_free(&images);
}

static void check_chance(void)
{
    CHECK(rng_bits(&(Rng){.seed = 1}) == rng_bits(&(Rng){.seed = 1}), "rng_bits");
}

static void check_memory(void)
{
    CHECK(!tensor_set_kernels("none") && strstr(tensor_error(), "none"), "tensor_set_kernels");
    tensor_clear_error();
    CHECK(!tensor_failed(), "tensor_clear_error");
}

int main(int argc, char **argv)
{
    const TensorAllocator counted = {counted_alloc, counted_free, NULL};
    tensor_set_allocator(&counted);
    check_shapes();
    check_tensor();
    if (argc > 1)
        check_files(argv[1]), check_images(argv[1]);
    check_chance();
    check_memory();
    CHECK(blocks == 0, "every block is returned to the allocator");
    return wrong != 0;
}
