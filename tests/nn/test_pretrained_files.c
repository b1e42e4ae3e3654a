/* test_pretrained_files.c: a model and its files: tensors without a use, mapped weights that are
 * written to, memory that runs out while a folder is read; names of weights that others' programs
 * changed. */
#include "tests/autograd/on_tape.h"
#include "tests/nn/pretrained_folders.h"

#include "nn/pretrained/pretrained.h"

#include <string.h>

#define WITHOUT "names of weights are read without "

/* Does the folder load, with the weights of the fixture, and does the summary end with this? */
static void same_weights(const char *folder, const char *fixture, const char *end)
{
    Pretrained m, plain;
    REQUIRE(nn_pretrained_load(folder, &m), "%s", tensor_error());
    REQUIRE(nn_pretrained_load(fixture_path(fixture, NULL), &plain), "%s", tensor_error());
    REQUIRE(m.params->count == plain.params->count, "%d weights", m.params->count);
    for (int i = 0; i < plain.params->count; i++)
        CHECK_TENSOR(m.params->weight[i], plain.params->weight[i], 0, 0);
    const char *text = summary_of(&m), *heads = strstr(text, "; heads: ");
    CHECK_TEXT(heads ? strchr(heads, '\n') + 1 : text, end);
    nn_pretrained_free(&m);
    nn_pretrained_free(&plain);
}

/* Tensors that transformers' older versions wrote and that nothing is computed with. */
TEST(tensors_without_use)
{
    Tensor *more[] = {tensor_new(shape4(1, 1, 4, 4)), tensor_new(shape0())};
    REQUIRE(more[0] && more[1], "no memory");
    tensor_set_name(more[0], "transformer.h.0.attn.bias");
    tensor_set_name(more[1], "transformer.h.1.attn.masked_bias");
    same_weights(changed_weights("gpt2", NULL, more, 2), "gpt2",
                 "not used: transformer.h.0.attn.bias, transformer.h.1.attn.masked_bias\n");
    tensor_free(more[0]);
    tensor_free(more[1]);
}

/* The rotary table has 4096 positions at most; longer texts are refused. */
TEST_ON_TAPE(fewer_positions)
{
    enum { MOST = 4096 };
    static const int32_t ids[MOST + 1];
    Pretrained m;
    REQUIRE(nn_pretrained_load(changed_config("llama", "\"max_position_embeddings\": 208",
                                              "\"max_position_embeddings\": 131072"),
                               &m),
            "%s", tensor_error());
    CHECK(m.config.positions == MOST, "%lld positions", (long long)m.config.positions);
    REFUSES(nn_pretrained_run, "4097 tokens; expected at most 4096", &m,
            tape_ids(tape, ids, shape2(1, MOST + 1)), NULL, NULL, NULL);
    nn_pretrained_free(&m);
}

TEST_OUT_OF_MEMORY(labels)
{
    Pretrained m;
    const char *path = source_path("tests/golden/pretrained/bert-classes");
    bool ok = nn_pretrained_load(path, &m);
    for (int i = 0; ok && i < 3; i++)
        CHECK(m.label && m.label[i], "loaded without label %d", i);
    nn_pretrained_free(&m);
    return ok;
}

/* What a program writes to mapped weights stays in its memory. */
TEST(written_to)
{
    Pretrained m, again;
    const char *path = source_path("tests/golden/pretrained/bert-words");
    REQUIRE(nn_pretrained_load(path, &m), "%s", tensor_error());
    real *first = m.words.weight->data, before = *first;
    *first = before + 1;
    REQUIRE(nn_pretrained_load(path, &again), "%s", tensor_error());
    CHECK(*first == before + 1 && again.words.weight->data[0] == before, "the file has %g, not %g",
          (double)again.words.weight->data[0], (double)before);
    nn_pretrained_free(&m);
    nn_pretrained_free(&again);
}

TEST_OUT_OF_MEMORY(what_can_fail)
{
    Pretrained m;
    bool ok = nn_pretrained_load(source_path("tests/golden/pretrained/bert-bare"), &m) &&
              params_freeze(m.params, "", false) == m.params->count;
    nn_pretrained_free(&m);
    return ok;
}

/* A program may register weights of its own in the params of a loaded model, a head for example:
 * they have numbers and gradients, as those of any model. */
TEST(own_weights)
{
    Pretrained m;
    Linear head;
    REQUIRE(nn_pretrained_load(source_path("tests/golden/pretrained/bert-words"), &m), "%s",
            tensor_error());
    CHECK(nn_linear_init(&head, m.params, "own", m.config.channels, 2, true), "%s", tensor_error());
    REQUIRE(head.weight && head.weight->data && head.weight->grad, "no memory");
    CHECK(head.weight->data[0] != 0 && head.weight->needs_grad, "%g", (double)head.weight->data[0]);
    nn_pretrained_free(&m);
}

/* ---- names that others' programs changed ----------------------------------------------------- */

/* torch.compile, DistributedDataParallel and PEFT put their own names in front. */
TEST(names_of_wrappers)
{
    same_weights(renamed_weights("bert-words", "bert.", "_orig_mod.bert.", NULL), "bert-words",
                 WITHOUT "'_orig_mod.'\n");
    same_weights(renamed_weights("gpt2", "transformer.", "module._orig_mod.transformer.", NULL),
                 "gpt2", WITHOUT "'_orig_mod.'\n");
    same_weights(renamed_weights("llama", "model.layers.", "model._orig_mod.layers.", NULL),
                 "llama", WITHOUT "'_orig_mod.'\n");
    same_weights(renamed_weights("t5", "encoder.", "base_model.model.encoder.", NULL), "t5",
                 WITHOUT "'base_model.model.'\n");
    same_weights(fixture_path("gpt2", NULL), "gpt2", "");
}

/* Two tensors that have one name without a wrapper are never taken for one another. */
TEST(names_that_collide)
{
    Pretrained m;
    Tensor *more = tensor_new(shape1(6));
    tensor_set_name(more, "module.transformer.ln_f.bias");
    REFUSES(nn_pretrained_load, "the tensor 'transformer.ln_f.bias' is in ",
            changed_weights("gpt2", NULL, &more, 1), &m);
    tensor_free(more);
}

/* save_model of safetensors stores tied weights once, and the other names in __metadata__. */
TEST(tied_weights)
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
                     files[i].fixture, i < 4 ? "" : WITHOUT "'module.'\n");
}

/* Where a name is missing, the error names the one that is most like it. */
TEST(nearest_name)
{
    Pretrained m;
    REFUSES(nn_pretrained_load,
            "config.json (the nearest name is 'transformer.h.1.mlp.cfc.weight')",
            renamed_weights("gpt2", "h.1.mlp.c_fc.weight", "h.1.mlp.cfc.weight", NULL), &m);
}
