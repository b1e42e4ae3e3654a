/* vocab_merges.c: vocab.json, merges.txt and tokenizer_config.json, the files of byte-level BPE:
 * what stands before the first byte 0, before the second, and after it. The number of bytes chooses
 * the kind of model. */
#include "tests/fuzz/tokenise.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const uint8_t *end = size > 0 ? memchr(bytes, 0, size) : NULL;
    size_t first = end ? (size_t)(end - bytes) : size, second = end ? first + 1 : size;
    static const char *const types[] = {"gpt2", "roberta", "qwen2", "gpt_neox"};
    char type[64];
    const uint8_t *last = second < size ? memchr(bytes + second, 0, size - second) : NULL;
    size_t third = last ? (size_t)(last - bytes) : size;
    int n = snprintf(type, sizeof type, "{\"model_type\": \"%s\"}", types[size % 4]);
    fuzz_write("config.json", type, (size_t)n);
    fuzz_write_vocabulary("vocab.json", bytes, first);
    fuzz_write("merges.txt", bytes + second, third - second);
    fuzz_write("tokenizer_config.json", last ? last + 1 : (const uint8_t *)"{}",
               last ? size - third - 1 : 2);
    fuzz_tokeniser(bytes, size);
    return 0;
}
