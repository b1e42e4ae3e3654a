/* array_read.c: an array out of a file of another program, whatever its format and type.
 *
 *   .npy           one array                            tensor/io/npy_read.c
 *   .npz           arrays with names                    tensor/io/npz_read.c
 *   .safetensors   arrays with names                    tensor/io/safetensors_read.c
 *
 * Of a file with several arrays only the one that is named is read. */
#include "tensor/io/npy.h"
#include "tensor/io/safetensors.h"

#include <string.h>

static const char who[] = "tensor_array_read";

/* The arrays of a file, whatever its format; entry i has this name and, where it is known without
 * reading the numbers, a shape. */
typedef struct {
    const char *path;
    int count;
    const Npz *npz;
    const SafetensorsSource *source;
} Arrays;

static const char *name_at(const Arrays *a, int i)
{
    return a->npz ? a->npz->arrays[i].name : a->source->header.tensors[i]->name;
}

/* Tells what a file holds. Always -1. */
static int fail_with_list(const Arrays *a, const char *expected)
{
    char list[512] = "";
    int i = 0;
    for (; i < a->count && strlen(list) + strlen(name_at(a, i)) + 120 < sizeof list; i++) {
        const char *shape = a->source ? shape_str(a->source->header.tensors[i]->shape) : "";
        size_t n = strlen(list);
        snprintf(list + n, sizeof list - n, "%s%s%s%s", i ? ", " : "", name_at(a, i),
                 *shape ? " " : "", shape);
    }
    if (i < a->count)
        snprintf(list + strlen(list), sizeof list - strlen(list), " and %d more", a->count - i);
    tensor_fail("%s: %s holds %d array%s%s%s; expected %s", who, a->path, a->count,
                a->count == 1 ? "" : "s", a->count ? ": " : "", list, expected);
    return -1;
}

/* The index of the array that is meant: the only one, where no name is given. -1, with an error. */
static int find(const Arrays *a, const char *name)
{
    char expected[TENSOR_NAME_MAX + 32];
    if (!name && a->count == 1)
        return 0;
    for (int i = 0; name && i < a->count; i++)
        if (strcmp(name, name_at(a, i)) == 0)
            return i;
    if (!name)
        return fail_with_list(a, "the name of one");
    snprintf(expected, sizeof expected, "one with the name %.100s", name);
    return fail_with_list(a, expected);
}

static Tensor *read_npz(const char *path, const char *name, double **doubles)
{
    Npz z;
    int i;
    Tensor *t = NULL;
    if (npz_open(&z, who, path) &&
        (i = find(&(Arrays){.path = path, .count = z.count, .npz = &z}, name)) >= 0) {
        z.in.as_real = true;
        z.in.doubles = doubles;
        t = npz_take(&z, &z.arrays[i]);
    }
    npz_close(&z);
    return t;
}

static Tensor *read_safetensors(const char *path, const char *name, double **doubles)
{
    SafetensorsSource s;
    Tensor *t = NULL;
    if (!safetensors_open(&s, path))
        return NULL;
    int i = find(&(Arrays){.path = path, .count = s.header.count, .source = &s}, name);
    if (i >= 0)
        t = safetensors_take(&s, s.header.tensors[i], doubles);
    safetensors_close(&s);
    return t;
}

static Tensor *read_npy(const char *path, const char *name, double **doubles)
{
    Input in;
    Tensor *t = NULL;
    if (name)
        tensor_fail("%s: %s holds one array, which has no name; expected no name, found %s", who,
                    path, name);
    else if (input_open(&in, who, path)) {
        in.as_real = true;
        in.doubles = doubles;
        t = npy_take(&in);
    }
    if (!name)
        input_close(&in);
    return t;
}

static bool ends_in(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n > m && strcmp(path + n - m, end) == 0;
}

Tensor *array_read(const char *path, const char *name, double **doubles)
{
    Tensor *t = NULL;
    if (doubles)
        *doubles = NULL;
    if (!path)
        tensor_fail("%s: path is NULL; expected a file's name", who);
    else if (ends_in(path, ".npy"))
        t = read_npy(path, name, doubles);
    else if (ends_in(path, ".npz"))
        t = read_npz(path, name, doubles);
    else if (ends_in(path, ".safetensors"))
        t = read_safetensors(path, name, doubles);
    else
        tensor_fail("%s: %s; expected a file that ends in .npy, .npz or .safetensors", who, path);
    return t;
}

Tensor *tensor_array_read(const char *path, const char *name)
{
    return array_read(path, name, NULL);
}
