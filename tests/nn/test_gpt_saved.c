/* test_gpt_saved.c: a language model and its settings in one file (nn_gpt_save, nn_gpt_load). */
#include "tests/harness/runner.h"

#include "nn/nn.h"

#include <string.h>

enum { V = 5, T = 3 };

static const GptConfig config = {.words = V,
                                 .longest = 4,
                                 .channels = 6,
                                 .heads = 3,
                                 .layers = 2,
                                 .position = POSITION_LEARNED,
                                 .dropout = 0.1};

/* Every setting comes back, and with it the same numbers, under another seed. */
static void same_model(void)
{
    const char *path = scratch_path("gpt.safetensors"), *text;
    const int32_t ids[T] = {4, 0, 2};
    Params *p = params_new(1), *q = params_new(2);
    Tape *tape = tape_new(1);
    Gpt m, got;
    REQUIRE(nn_gpt_init(&m, p, "model", config), "%s", tensor_error());
    for (int causal = 0; causal < 2; causal++) {
        m.encoder.causal = causal;
        REQUIRE(nn_gpt_save(path, &m, p, causal ? "a b" : NULL), "%s", tensor_error());
        params_free(q);
        q = params_new(2);
        REQUIRE(nn_gpt_load(path, &got, q, &text), "%s", tensor_error());
        CHECK(causal ? text && strcmp(text, "a b") == 0 : !text, "the text is \"%s\"", text);
        CHECK(got.encoder.causal == causal && got.config.dropout == config.dropout &&
                  got.config.heads == config.heads && got.config.longest == config.longest,
              "other settings");
        CHECK(params_find(q, "model.blocks.1.ff.up.weight"), "other names");
        CHECK_TENSOR(nn_gpt(&got, tape_ids(tape, ids, shape2(1, T))),
                     nn_gpt(&m, tape_ids(tape, ids, shape2(1, T))), 0, 0);
    }
    tape_free(tape);
    params_free(p);
    params_free(q);
}

/* Files whose settings are none, or not those of their weights: nothing is left in p. */
static void refused(void)
{
    static const struct {
        const char *settings, *error;
    } bad[] = {
        {NULL, "found no metadata 'gpt'; expected a file that was saved with it"},
        {"5 4 6 3 2 1 1", "metadata 'gpt' is \"5 4 6 3 2 1 1\"; expected 8 whole numbers"},
        {"5 4 6 3 2 9 1 0", "found settings of no model; expected those of 28 tensors"},
        {"5 4 6 3 29 1 1 0", "found settings of no model"},
        {"5 4 6 4 2 1 1 0", "6 channels"},
        {"5 4 6 3 1 1 1 0", "'blocks.1."},
        {"5000000 4 6 3 2 1 1 0", "has 'embedding.weight' (5, 6); expected (5000000, 6)"},
        {"5 4 6 3 2 1 1 4611686018427387904", "the dropout probability is 2"},
    };
    const char *path = scratch_path("bad.safetensors");
    Params *p = params_new(1), *q = params_new(2);
    Gpt m, got;
    REQUIRE(nn_gpt_init(&m, p, "", config), "%s", tensor_error());
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *pair[] = {"gpt", bad[i].settings};
        REQUIRE(params_save(path, p, pair, bad[i].settings ? 1 : 0), "%s", tensor_error());
        CHECK(!nn_gpt_load(path, &got, q, NULL), "settings \"%s\"", bad[i].settings);
        CHECK_ERROR(bad[i].error);
        CHECK(q->count == 0 && !got.head.path, "%d weights are left", q->count);
        tensor_clear_error();
    }
    params_free(p);
    params_free(q);
}

static const TestCase cases[] = {
    {"the same model in another program", same_model},
    {"files that are refused", refused},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("gpt_saved", cases, argc, argv);
}
