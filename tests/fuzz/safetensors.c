/* safetensors.c: safetensors_read. Every tensor of a file that is accepted has a valid shape and
 * readable elements. */
#include "tests/fuzz/fuzz.h"

#include "tensor/tensor.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    Safetensors file;
    bool ok = safetensors_read(fuzz_file(bytes, size), &file);
    double sum = 0;
    for (int i = 0; ok && i < file.count; i++) {
        const Tensor *t = file.tensors[i];
        FUZZ_REQUIRE(tensor_is_contiguous(t), "tensor %d", i);
        FUZZ_REQUIRE((size_t)tensor_size(t) <= size, "%lld elements of %zu bytes",
                     (long long)tensor_size(t), size);
        for (int64_t k = 0; k < tensor_size(t); k++)
            sum += t->ids ? t->ids[k] : (double)t->data[k];
        FUZZ_REQUIRE(safetensors_find(&file, t->name) != NULL, "'%s' is not found", t->name);
    }
    for (int i = 0; ok && i < 2 * file.metadata_count; i++)
        sum += (double)strlen(file.metadata[i]);
    (void)sum;
    fuzz_outcome(ok, "safetensors_read");
    if (ok)
        safetensors_free(&file);
    return 0;
}
