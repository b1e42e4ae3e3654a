/* config.c: config.json of a pretrained model, beside the weights of a small model of the family
 * that it names. What is accepted runs. */
#undef GRADUS_INSIDE /* each error names the public function */
#include "tests/fuzz/fuzz.h"

#include "nn/pretrained/pretrained.h"

#include <string.h>

/* A model_type, and the folder of tests/golden/pretrained with such a model. */
static const char *const models[][2] = {
    {"\"roberta\"", "roberta-words"},
    {"\"distilbert\"", "distilbert-words"},
    {"\"gpt2\"", "gpt2"},
    {"\"vit\"", "vit-no-bias"},
    {"\"deit\"", "deit-classes"},
    {"\"llama\"", "llama"},
    {"\"mistral\"", "mistral"},
    {"\"qwen2\"", "qwen2"},
    {"\"BertForMaskedLM\"", "bert-words"},
    {"", "bert-classes"},
};

static void choose_weights(const uint8_t *bytes, size_t size)
{
    static size_t current = sizeof models;
    char text[4097], golden[128];
    size_t i = 0, used = size < sizeof text - 1 ? size : sizeof text - 1;
    memcpy(text, bytes, used);
    text[used] = 0;
    while (!strstr(text, models[i][0]))
        i++;
    if (i == current)
        return;
    current = i;
    snprintf(golden, sizeof golden, "pretrained/%s/model.safetensors", models[i][1]);
    fuzz_link("model.safetensors", golden);
}

static void run(const Pretrained *m)
{
    const PretrainedConfig *c = &m->config;
    Tape *tape = tape_new(1);
    const int32_t ids[2] = {0, (int32_t)c->words - 1};
    Tensor *y =
        m->config.kind == PRETRAINED_VISION
            ? nn_pretrained_run(m, tape_full(tape, 1, shape4(1, c->colours, c->image, c->image)),
                                NULL, NULL, NULL)
            : nn_pretrained_run(m, tape_ids(tape, ids, shape2(1, 2)), NULL, NULL, NULL);
    FUZZ_REQUIRE(tensor_is_poison(y) || (y->shape.rank == 3 && y->shape.dim[2] == c->channels),
                 "%s", shape_str(y->shape));
    FUZZ_REQUIRE(tensor_is_poison(y) == tensor_failed(), "%s", tensor_error());
    tensor_clear_error();
    tape_free(tape);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    Pretrained m;
    choose_weights(bytes, size);
    fuzz_write("config.json", bytes, size);
    bool ok = nn_pretrained_load(fuzz_folder(), &m);
    fuzz_outcome(ok, "nn_pretrained_load");
    if (ok)
        run(&m);
    nn_pretrained_free(&m);
    return 0;
}
