/* memory.c: memory of the examples, and names of what modules compute: in a file of their own,
 * since the fuzz targets of their readers and the module in a page need nothing else of
 * example.c. */
#include "examples/common/example.h"

#include <stdio.h>
#include <stdlib.h>

void *example_take(size_t bytes, const char *function, const char *file, int line)
{
    void *block = calloc(bytes ? bytes : 1, 1);
    if (!block) {
        tensor_fail("%s: no memory for %zu bytes; expected more memory", function, bytes);
        tensor_place(NULL, file, line);
    }
    return block;
}

const char *example_name(const char *path, int layer, const char *part, char *name)
{
    int used = snprintf(name, TENSOR_NAME_MAX / 2, path, layer);
    snprintf(name + used, TENSOR_NAME_MAX / 2, ".%s", part);
    return name;
}

Tensor *example_find(Tape *tape, const char *path, int layer, const char *part, int pass)
{
    char name[TENSOR_NAME_MAX], numbered[24];
    snprintf(numbered, sizeof numbered, pass ? "%s#%d" : "%s", part, pass + 1);
    return tape_find(tape, example_name(path, layer, numbered, name));
}

bool example_maps(Tape *tape, const char *path, int layers, int pass, const Tensor **maps)
{
    for (int l = 0; l < layers; l++)
        if (tensor_is_poison(maps[l] = example_find(tape, path, l, "A", pass)))
            return false;
    return true;
}
