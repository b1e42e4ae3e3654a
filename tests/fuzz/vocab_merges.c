/* vocab_merges.c: vocab.json and merges.txt, the files of byte-level BPE: what stands before the
 * first byte 0, and what stands after it. */
#include "tests/fuzz/tokenise.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const uint8_t *end = size > 0 ? memchr(bytes, 0, size) : NULL;
    size_t first = end ? (size_t)(end - bytes) : size, second = end ? first + 1 : size;
    fuzz_write_vocabulary("vocab.json", bytes, first);
    fuzz_write("merges.txt", bytes + second, size - second);
    fuzz_tokeniser(bytes, size);
    return 0;
}
