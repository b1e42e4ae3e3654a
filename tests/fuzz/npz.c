/* npz.c: archives of arrays (data/npz.c). Every array of an accepted archive has a name and is
 * refused, or read and lies in the file. */
#include "tests/fuzz/fuzz.h"

#include "data/array.h"
#include "tensor/memory.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    Npz z;
    bool ok = npz_open(&z, "npz_open", fuzz_file(bytes, size));
    fuzz_outcome(ok, "npz_open");
    for (int i = 0; ok && i < z.count; i++) {
        const NpzArray *a = &z.arrays[i];
        FUZZ_REQUIRE(memchr(a->name, 0, sizeof a->name), "a name without an end: array %d", i);
        unsigned char *array = npz_bytes(&z, a);
        fuzz_outcome(array != NULL, "npz_open");
        FUZZ_REQUIRE(!array || (a->at >= 0 && a->packed >= 0 && a->packed <= (int64_t)size),
                     "array %d: %lld bytes at %lld of %zu", i, (long long)a->packed,
                     (long long)a->at, size);
        mem_free(array);
    }
    npz_close(&z);
    return 0;
}
