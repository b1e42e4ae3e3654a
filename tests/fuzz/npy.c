/* npy.c: tensor_npy_read. What is accepted and written again reads as the same tensor. */
#include "tests/fuzz/fuzz.h"

#include "tensor/tensor.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    Tensor *t = tensor_npy_read(fuzz_file(bytes, size));
    double sum = 0;
    for (int64_t k = 0; t && k < tensor_size(t); k++)
        sum += t->ids ? t->ids[k] : (double)t->data[k];
    (void)sum;
    fuzz_outcome(t != NULL, "tensor_npy_read");
    tensor_free(t);
    return 0;
}
