/* utf8.c: utf8_read and utf8_write. Writing the symbols of any bytes gives the bytes back. */
#include "tests/fuzz/fuzz.h"

#include "tensor/io/utf8.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    for (size_t at = 0, length; at < size; at += length) {
        int32_t symbol;
        unsigned char again[UTF8_MAX_BYTES];
        length = utf8_read(bytes + at, size - at, &symbol);
        FUZZ_REQUIRE(length >= 1 && length <= size - at, "%zu bytes of %zu", length, size - at);
        FUZZ_REQUIRE(symbol >= 0 && symbol < UTF8_SYMBOLS, "symbol %d", (int)symbol);
        FUZZ_REQUIRE(utf8_write(symbol, again) == length, "another length");
        FUZZ_REQUIRE(memcmp(again, bytes + at, length) == 0, "other bytes");
    }
    return 0;
}
