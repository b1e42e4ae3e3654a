/* store.c: the file of --load in the examples: its facts, and a model of them that is compared with
 * its tensors. */
#include "tests/fuzz/fuzz.h"

#include "examples/common/store.h"

typedef struct {
    int in, out;
    const char *words;
} Config;

static const Fact facts[] = {{"in", offsetof(Config, in), 1, 1 << 20},
                             {"out", offsetof(Config, out), 1, 1 << 20},
                             {"words", offsetof(Config, words), 0, 0},
                             {0}};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    Config c = {0};
    Store s;
    Linear layer;
    Params *p = params_new(1);
    bool ok = store_open(&s, fuzz_file(bytes, size), "fuzz", facts, &c, p);
    if (ok) {
        FUZZ_REQUIRE(c.in >= 1 && c.in <= 1 << 20 && c.out >= 1 && c.out <= 1 << 20, "%d, %d", c.in,
                     c.out);
        Vocab v = {0};
        if (c.words)
            vocabulary_from(&v, c.words);
        data_vocab_free(&v);
        tensor_clear_error();
    }
    store_load(&s, ok && nn_linear_init(&layer, p, "fc", c.in, c.out, false));
    params_free(p);
    tensor_clear_error();
    return 0;
}
