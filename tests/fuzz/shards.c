/* shards.c: model.safetensors.index.json, beside three files of weights of which "a" is the
 * model's, "b" the same once more, and "c" another model's. Only an index that names "a" alone
 * gives the model. */
#undef GRADUS_INSIDE /* each error names the public function */
#include "tests/fuzz/fuzz.h"

#include "nn/pretrained/pretrained.h"

static void put_files(void)
{
    fuzz_link("config.json", "pretrained/bert-bare/config.json");
    fuzz_link("a", "pretrained/bert-bare/model.safetensors");
    fuzz_link("b", "pretrained/bert-bare/model.safetensors");
    fuzz_link("c", "pretrained/gpt2/model.safetensors");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static bool put;
    static int64_t numbers;
    Pretrained m;
    if (!put)
        put_files();
    put = true;
    fuzz_write("model.safetensors.index.json", bytes, size);
    bool ok = nn_pretrained_load(fuzz_folder(), &m);
    fuzz_outcome(ok, "nn_pretrained_load");
    if (ok) {
        FUZZ_REQUIRE(numbers == 0 || numbers == params_size(m.params), "another model");
        numbers = params_size(m.params);
    }
    nn_pretrained_free(&m);
    return 0;
}
