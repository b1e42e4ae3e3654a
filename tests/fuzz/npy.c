/* npy.c: the reader of .npy. What is accepted and written again reads as the same tensor. */
#include "tests/fuzz/fuzz.h"

#include "tensor/io/npy.h"
#include "tensor/tensor.h"

static Tensor *read_npy(const char *path)
{
    Input in;
    Tensor *t = input_open(&in, "npy", path) ? npy_take(&in) : NULL;
    input_close(&in);
    return t;
}

static void round_trip(const Tensor *t)
{
    char path[128];
    snprintf(path, sizeof path, "%s/again.npy", fuzz_folder());
    FUZZ_REQUIRE(tensor_npy_write(path, t), "%s", tensor_error());
    Tensor *again = read_npy(path);
    FUZZ_REQUIRE(again && !again->ids == !t->ids, "%s", tensor_error());
    const char *difference = tensor_difference(again, t, 0, 0);
    FUZZ_REQUIRE(!difference, "%s", difference);
    tensor_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    Tensor *t = read_npy(fuzz_file(bytes, size));
    fuzz_outcome(t != NULL, "npy");
    if (t)
        round_trip(t);
    tensor_free(t);
    return 0;
}
