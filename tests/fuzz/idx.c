/* idx.c: data_idx_read and data_idx_labelled on one file of images and labels, plain or
 * compressed. */
#include "tests/fuzz/fuzz.h"

#include "data/data.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    Images m;
    const char *path = fuzz_file(bytes, size);
    bool ok = data_idx_read(path, &m);
    fuzz_outcome(ok, "data_idx_read");
    if (ok) {
        Tensor *t = data_images_real(&m);
        FUZZ_REQUIRE(t && shape_equal(t->shape, m.shape), "%s", tensor_error());
        tensor_free(t);
        data_images_free(&m);
    }
    ok = data_idx_labelled(path, path, &m, 256); /* succeeds for rank 1 alone */
    FUZZ_REQUIRE(!ok || (m.shape.rank == 1 && m.labels), "rank %d", m.shape.rank);
    fuzz_outcome(ok, "data_idx_labelled");
    data_images_free(&m);
    return 0;
}
