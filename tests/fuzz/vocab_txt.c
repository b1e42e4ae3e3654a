/* vocab_txt.c: vocab.txt, BERT's vocabulary, and tokenizer_config.json: the first line, where it
 * begins with a brace. */
#include "tests/fuzz/tokenise.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const uint8_t *end = size > 0 && bytes[0] == '{' ? memchr(bytes, '\n', size) : NULL;
    size_t first = end ? (size_t)(end - bytes) + 1 : 0;
    fuzz_write("tokenizer_config.json", first ? bytes : (const uint8_t *)"{}", first ? first : 2);
    fuzz_write("config.json", "{\"model_type\": \"bert\"}", 22);
    fuzz_write("vocab.txt", bytes + first, size - first);
    fuzz_tokeniser(bytes, size);
    return 0;
}
