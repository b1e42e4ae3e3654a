/* safetensors_open.c: tensors that stay in the file until they are asked for: safetensors_open
 * accepts what safetensors_read accepts, and every row is the same numbers there and here. */
#include "tests/fuzz/fuzz.h"

#include "tensor/io/safetensors.h"

#include <math.h>

static void same(real a, real b, const char *name)
{
    FUZZ_REQUIRE(a == b || (isnan(a) && isnan(b)), "'%s' has %g and %g", name, (double)a,
                 (double)b);
}

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
        same(numbers[i], whole->data[i], t->name);
    FUZZ_REQUIRE(!safetensors_rows(s, t, rows, 1, numbers), "a row after the last");
    tensor_clear_error();
    free(numbers);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    SafetensorsSource s;
    Safetensors file;
    const char *path = fuzz_file(bytes, size);
    bool ok = safetensors_open(&s, path);
    fuzz_outcome(ok, "safetensors_open");
    bool whole = safetensors_read(path, &file);
    fuzz_outcome(whole, "safetensors_read");
    FUZZ_REQUIRE(ok || !whole, "one accepts what the other refuses");
    for (int i = 0; ok && whole && i < s.header.count; i++) {
        const Tensor *t = safetensors_find(&file, s.header.tensors[i]->name);
        FUZZ_REQUIRE(t, "'%s' is not found", s.header.tensors[i]->name);
        if (t->data)
            compare(&s, s.header.tensors[i], t);
    }
    if (whole)
        safetensors_free(&file);
    safetensors_close(&s);
    return 0;
}
