/* npy.c: the reader of .npy. An array that is accepted is no larger than the file. */
#include "tests/fuzz/fuzz.h"

#include "data/data.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[128];
    fuzz_write("a.npy", bytes, size);
    snprintf(path, sizeof path, "%s/a.npy", fuzz_folder());
    Tensor *t = data_array_read(path, NULL);
    fuzz_outcome(t != NULL, "data_array_read");
    FUZZ_REQUIRE(!t || tensor_size(t) <= (int64_t)size, "%s", shape_str(t->shape));
    tensor_free(t);
    return 0;
}
