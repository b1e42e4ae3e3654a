/* safetensors.c: safetensors_read, and tensors that stay in the file until they are asked for.
 * Every tensor of a file that is accepted has a valid shape and readable elements, the same numbers
 * whether they are read at once or row by row. */
#include "tests/fuzz/fuzz.h"

#include "tensor/io/safetensors.h"

#include <string.h>

/* The numbers of a tensor row by row are those that were read with the whole file. */
static void compare(const SafetensorsSource *s, const Tensor *t, const Tensor *whole)
{
    int64_t rows = t->shape.rank > 0 ? t->shape.dim[0] : 1, size = tensor_size(t);
    real *numbers = malloc((size_t)size * sizeof *numbers + 1);
    FUZZ_REQUIRE(numbers, "no memory");
    for (int64_t i = 0; i < rows; i++)
        FUZZ_REQUIRE(safetensors_rows(s, t, i, 1, numbers + i * (size / rows)), "%s",
                     tensor_error());
    FUZZ_REQUIRE(memcmp(numbers, whole->data, (size_t)size * sizeof *numbers) == 0,
                 "'%s' has other numbers", t->name);
    FUZZ_REQUIRE(!safetensors_rows(s, t, rows, 1, numbers), "a row after the last");
    tensor_clear_error();
    free(numbers);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    Safetensors file;
    SafetensorsSource s;
    const char *path = fuzz_file(bytes, size);
    bool ok = safetensors_read(path, &file);
    fuzz_outcome(ok, "safetensors_read");
    bool opened = safetensors_open(&s, path);
    fuzz_outcome(opened, "safetensors_open");
    FUZZ_REQUIRE(opened || !ok, "one accepts what the other refuses");
    for (int i = 0; ok && i < s.header.count; i++) {
        const Tensor *t = safetensors_find(&file, s.header.tensors[i]->name);
        FUZZ_REQUIRE(t && tensor_is_contiguous(t), "tensor %d", i);
        FUZZ_REQUIRE((size_t)tensor_size(t) <= size, "%lld elements of %zu bytes",
                     (long long)tensor_size(t), size);
        if (t->data)
            compare(&s, s.header.tensors[i], t);
    }
    size_t length = 0;
    for (int i = 0; ok && i < 2 * file.metadata_count; i++)
        length += strlen(file.metadata[i]);
    FUZZ_REQUIRE(length <= size, "%zu characters of metadata", length);
    if (ok)
        safetensors_free(&file);
    safetensors_close(&s);
    return 0;
}
