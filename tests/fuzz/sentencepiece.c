/* sentencepiece.c: spiece.model, a message of protocol buffers, with a trie for its normalisation;
 * the number of bytes chooses the kind of model. */
#include "tests/fuzz/tokenise.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const types[] = {"{}", "{\"model_type\": \"t5\"}",
                                        "{\"model_type\": \"gemma\"}",
                                        "{\"model_type\": \"llama\"}"};
    fuzz_write("config.json", types[size % 4], strlen(types[size % 4]));
    fuzz_write("spiece.model", bytes, size);
    fuzz_tokeniser(bytes, size);
    return 0;
}
