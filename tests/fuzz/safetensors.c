/* safetensors.c: safetensors_read. Every tensor of a file that is accepted has a valid shape and
 * readable elements; those that stay in the file until they are asked for are the same, row by
 * row. */
#include "tests/fuzz/fuzz.h"

#include "tensor/io/safetensors.h"

#include <math.h>
#include <string.h>

/* The numbers of a tensor row by row. */
static void compare(const SafetensorsSource *s, const Tensor *t, const Tensor *whole)
{
    int64_t rows = t->shape.rank > 0 ? t->shape.dim[0] : 1, size = tensor_size(t);
    real *numbers = malloc((size_t)size * sizeof *numbers + 1);
    FUZZ_REQUIRE(numbers, "no memory");
    for (int64_t i = 0; i < rows; i++)
        FUZZ_REQUIRE(safetensors_rows(s, t, i, 1, numbers + i * (size / rows)), "%s",
                     tensor_error());
    for (int64_t i = 0; i < size; i++)
        FUZZ_REQUIRE(numbers[i] == whole->data[i] || (isnan(numbers[i]) && isnan(whole->data[i])),
                     "'%s' has %g and %g", t->name, (double)numbers[i], (double)whole->data[i]);
    FUZZ_REQUIRE(!safetensors_rows(s, t, rows, 1, numbers), "a row after the last");
    tensor_clear_error();
    free(numbers);
}

static void check(const Safetensors *file, const SafetensorsSource *s, size_t size)
{
    double sum = 0;
    for (int i = 0; i < file->count; i++) {
        const Tensor *t = file->tensors[i];
        FUZZ_REQUIRE(tensor_is_contiguous(t), "tensor %d", i);
        FUZZ_REQUIRE((size_t)tensor_size(t) <= size, "%lld elements of %zu bytes",
                     (long long)tensor_size(t), size);
        FUZZ_REQUIRE(safetensors_find(file, t->name) != NULL, "'%s' is not found", t->name);
        for (int64_t k = 0; t->ids && k < tensor_size(t); k++)
            sum += t->ids[k];
        if (t->data)
            compare(s, safetensors_find(&s->header, t->name), t);
    }
    for (int i = 0; i < 2 * file->metadata_count; i++)
        sum += (double)strlen(file->metadata[i]);
    (void)sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    SafetensorsSource s;
    Safetensors file;
    const char *path = fuzz_file(bytes, size);
    bool ok = safetensors_read(path, &file);
    fuzz_outcome(ok, "safetensors_read");
    bool opened = safetensors_open(&s, "safetensors_open", path);
    fuzz_outcome(opened, "safetensors_open");
    FUZZ_REQUIRE(opened || !ok, "one accepts what the other refuses");
    if (ok)
        check(&file, &s, size);
    safetensors_free(&file);
    safetensors_close(&s);
    return 0;
}
