/* store.c: the file of --load in the examples: its facts, and a model of them that is compared with
 * its tensors. */
#include "tests/fuzz/fuzz.h"

#include "examples/common/store.h"
#include "examples/common/vocabulary.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    int in = 0, out = 0;
    const char *words = NULL;
    const Fact facts[] = {{"in", &in, 1, 1 << 20, NULL},
                          {"out", &out, 1, 1 << 20, NULL},
                          {"words", NULL, 0, 0, &words},
                          {0}};
    Store s;
    Linear layer;
    Params *p = params_new(1);
    bool ok = store_open(&s, fuzz_file(bytes, size), "fuzz", facts, p);
    if (ok) {
        FUZZ_REQUIRE(in >= 1 && in <= 1 << 20 && out >= 1 && out <= 1 << 20, "%d, %d", in, out);
        Vocab v = {0};
        if (words)
            vocabulary_from(&v, words);
        data_vocab_free(&v);
        tensor_clear_error();
    }
    store_load(&s, ok && nn_linear_init(&layer, p, "fc", in, out, false));
    params_free(p);
    tensor_clear_error();
    return 0;
}
