/* test_pretrained_names.c: the names of weights that others' programs changed: wrappers around a
 * model, tied weights that are stored once, and a name that is missing. */
#include "tests/harness/runner.h"
#include "tests/nn/pretrained_folders.h"

#include "nn/pretrained/pretrained.h"

#include <string.h>

/* Does the folder load, with the weights of the fixture? */
static void same_weights(const char *folder, const char *fixture, const char *wrapper)
{
    char text[1000], said[100] = "";
    Pretrained m, plain;
    FILE *out = tmpfile();
    REQUIRE(out, "no file");
    REQUIRE(nn_pretrained_load(folder, &m, (PretrainedOptions){0}), "%s", tensor_error());
    REQUIRE(nn_pretrained_load(fixture_path(fixture, NULL), &plain, (PretrainedOptions){0}), "%s",
            tensor_error());
    REQUIRE(m.params->count == plain.params->count, "%d weights", m.params->count);
    for (int i = 0; i < plain.params->count; i++)
        CHECK_TENSOR(m.params->weight[i], plain.params->weight[i], 0, 0);
    nn_pretrained_summary(out, &m);
    rewind(out);
    text[fread(text, 1, sizeof text - 1, out)] = 0;
    if (*wrapper)
        snprintf(said, sizeof said, "names of weights are read without '%s'\n", wrapper);
    CHECK(*wrapper ? strstr(text, said) != NULL : !strstr(text, "names of weights"), "%s", text);
    fclose(out);
    nn_pretrained_free(&m);
    nn_pretrained_free(&plain);
}

/* torch.compile, DistributedDataParallel and PEFT put their own names in front. */
static void names_of_wrappers(void)
{
    same_weights(renamed_weights("bert-words", "bert.", "_orig_mod.bert.", NULL), "bert-words",
                 "_orig_mod.");
    same_weights(renamed_weights("gpt2", "transformer.", "module._orig_mod.transformer.", NULL),
                 "gpt2", "_orig_mod.");
    same_weights(renamed_weights("llama", "model.layers.", "model._orig_mod.layers.", NULL),
                 "llama", "_orig_mod.");
    same_weights(renamed_weights("t5", "encoder.", "base_model.model.encoder.", NULL), "t5",
                 "base_model.model.");
    same_weights(fixture_path("gpt2", NULL), "gpt2", "");
}

/* Two tensors that have one name without a wrapper are never taken for one another. */
static void names_that_collide(void)
{
    Pretrained m;
    Tensor *more = tensor_new(shape1(6));
    tensor_set_name(more, "module.transformer.ln_f.bias");
    CHECK(!nn_pretrained_load(changed_weights("gpt2", NULL, &more, 1), &m, (PretrainedOptions){0}),
          "loaded");
    CHECK_REFUSAL("nn_pretrained_load", "the tensor 'transformer.ln_f.bias' is in ");
    tensor_free(more);
}

/* save_model of safetensors stores tied weights once, and the other names in __metadata__. */
static void tied_weights(void)
{
    static const struct {
        const char *fixture, *from, *tied[2];
    } files[] = {
        {"bart",
         "model.shared.weight",
         {"model.shared.weight", "model.decoder.embed_tokens.weight"}},
        {"t5", "shared.weight", {"shared.weight", "lm_head.weight"}},
        {"gpt2", "transformer.wte.weight", {"transformer.wte.weight", "lm_head.weight"}},
        {"llama", "model.embed_tokens.weight", {"model.embed_tokens.weight", "lm_head.weight"}},
        {"gpt2", "transformer.wte.weight", {"transformer.wte.weight", "module.lm_head.weight"}},
    };
    for (int i = 0; i < 5; i++)
        same_weights(renamed_weights(files[i].fixture, files[i].from, files[i].tied[1],
                                     files[i].tied),
                     files[i].fixture, i < 4 ? "" : "module.");
}

/* Where a name is missing, the error names the one that is most like it. */
static void nearest_name(void)
{
    Pretrained m;
    CHECK(!nn_pretrained_load(renamed_weights("gpt2", "h.1.mlp.c_fc.weight", "h.1.mlp.cfc.weight",
                                              NULL),
                              &m, (PretrainedOptions){0}),
          "loaded");
    CHECK_REFUSAL("nn_pretrained_load",
                  "config.json (the nearest name is 'transformer.h.1.mlp.cfc.weight')");
}

static const TestCase cases[] = {
    {"names of wrappers", names_of_wrappers},
    {"names that collide", names_that_collide},
    {"tied weights that are stored once", tied_weights},
    {"the nearest name", nearest_name},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("pretrained_names", cases, argc, argv);
}
