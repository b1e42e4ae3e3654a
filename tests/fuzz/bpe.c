/* bpe.c: data_bpe_from of merges of four bytes each, and data_bpe_train on the same bytes. Encoding
 * with either and decoding gives the bytes back. */
#include "tests/fuzz/fuzz.h"

#include "data/data.h"

#include <string.h>

static void round_trip(const Bpe *b, const uint8_t *bytes, size_t size)
{
    int64_t count = data_bpe_encode(b, bytes, size, NULL, 0);
    FUZZ_REQUIRE(count >= 0 && (size_t)count <= size, "%lld ids", (long long)count);
    int32_t *ids = malloc((size_t)count * sizeof *ids + 1);
    char *text = malloc(size + 1);
    FUZZ_REQUIRE(ids && text, "no memory");
    data_bpe_encode(b, bytes, size, ids, count);
    FUZZ_REQUIRE(data_bpe_decode(b, ids, count, text, size + 1) == size, "another length");
    FUZZ_REQUIRE(memcmp(text, bytes, size) == 0, "other bytes");
    free(ids);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    enum { MOST = 64 };
    Bpe b;
    Merge merge[MOST];
    int count = size / 4 < MOST ? (int)(size / 4) : MOST;
    for (int k = 0; k < count; k++) {
        const uint8_t *at = bytes + 4 * k;
        merge[k] = (Merge){at[0] | (at[1] & 1) << 8, at[2] | (at[3] & 1) << 8, 1};
    }
    bool ok = data_bpe_from(&b, merge, count);
    fuzz_outcome(ok, "data_bpe_from");
    if (ok)
        round_trip(&b, bytes, size);
    data_bpe_free(&b);
    FUZZ_REQUIRE(data_bpe_train(&b, bytes, size, 20), "%s", tensor_error());
    round_trip(&b, bytes, size);
    data_bpe_free(&b);
    return 0;
}
