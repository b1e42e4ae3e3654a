/* tokenizer_json.c: tokenizer.json of a pretrained model, which says every step of its
 * tokeniser. */
#include "tests/fuzz/tokenise.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_write_vocabulary("tokenizer.json", bytes, size);
    fuzz_tokeniser(bytes, size);
    return 0;
}
