/* sentencepiece.c: spiece.model, a message of protocol buffers, with a trie for its
 * normalisation. */
#include "tests/fuzz/tokenise.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_write("spiece.model", bytes, size);
    fuzz_tokeniser(bytes, size);
    return 0;
}
