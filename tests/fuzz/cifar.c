/* cifar.c: data_cifar_read. All labels of a file that is accepted are below 10. */
#include "tests/fuzz/fuzz.h"

#include "data/data.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    Images m;
    bool ok = data_cifar_read(fuzz_file(bytes, size), &m);
    for (int64_t i = 0; ok && i < m.shape.dim[0]; i++)
        FUZZ_REQUIRE(m.labels[i] >= 0 && m.labels[i] < 10, "label %d", (int)m.labels[i]);
    fuzz_outcome(ok, "data_cifar_read");
    data_images_free(&m);
    return 0;
}
