/* test_pretrained_files.c: a model and its files: tensors without a use, mapped weights that are
 * written to, memory that runs out while a folder is read. */
#include "tests/harness/runner.h"
#include "tests/nn/pretrained_folders.h"

#include "nn/pretrained/pretrained.h"

#include <string.h>

/* Tensors that transformers' older versions wrote and that nothing is computed with. */
static void tensors_without_use(void)
{
    Tensor *more[] = {tensor_new(shape4(1, 1, 4, 4)), tensor_new(shape0())};
    char text[1000];
    Pretrained m, plain;
    FILE *out = tmpfile();
    REQUIRE(out && more[0] && more[1], "no memory");
    tensor_set_name(more[0], "transformer.h.0.attn.bias");
    tensor_set_name(more[1], "h.11.attn.masked_bias");
    REQUIRE(nn_pretrained_load(changed_weights("gpt2", NULL, more, 2), &m, (PretrainedOptions){0}),
            "%s", tensor_error());
    REQUIRE(nn_pretrained_load(fixture_path("gpt2", NULL), &plain, (PretrainedOptions){0}), "%s",
            tensor_error());
    for (int i = 0; i < plain.params->count; i++)
        CHECK_TENSOR(m.params->weight[i], plain.params->weight[i], 0, 0);
    CHECK(m.params->count == plain.params->count && m.unused == 2 && plain.unused == 0,
          "%d and %d tensors without use", m.unused, plain.unused);
    nn_pretrained_summary(out, &m);
    rewind(out);
    text[fread(text, 1, sizeof text - 1, out)] = 0;
    CHECK(strstr(text, "\nnot used: h.11.attn.masked_bias, transformer.h.0.attn.bias\n") ||
              strstr(text, "\nnot used: transformer.h.0.attn.bias, h.11.attn.masked_bias\n"),
          "%s", text);
    fclose(out);
    nn_pretrained_free(&m);
    nn_pretrained_free(&plain);
    tensor_free(more[0]);
    tensor_free(more[1]);
}

/* The rotary table has the wanted positions only; longer texts are refused. */
static void fewer_positions(void)
{
    static const int32_t ids[17];
    Pretrained m, all;
    Tape *tape = tape_new(1);
    REQUIRE(nn_pretrained_load(fixture_path("llama", NULL), &m,
                               (PretrainedOptions){.positions = 16}),
            "%s", tensor_error());
    REQUIRE(nn_pretrained_load(fixture_path("llama", NULL), &all, (PretrainedOptions){0}), "%s",
            tensor_error());
    CHECK(m.config.positions == 16 && all.config.positions == 208, "positions");
    CHECK_TENSOR(nn_pretrained_run(&m, tape_ids(tape, ids, shape2(1, 16)), NULL, NULL, NULL),
                 nn_pretrained_run(&all, tape_ids(tape, ids, shape2(1, 16)), NULL, NULL, NULL), 0,
                 0);
    CHECK(tensor_is_poison(
              nn_pretrained_run(&m, tape_ids(tape, ids, shape2(1, 17)), NULL, NULL, NULL)),
          "17 tokens");
    CHECK_REFUSAL("nn_pretrained_run", "17 tokens; expected at most 16");
    nn_pretrained_free(&m);
    nn_pretrained_free(&all);
    tape_free(tape);
}

static bool load_labels(void *context)
{
    Pretrained m;
    bool ok = nn_pretrained_load(context, &m, (PretrainedOptions){0});
    for (int i = 0; ok && i < 3; i++)
        CHECK(m.label && m.label[i], "loaded without label %d", i);
    nn_pretrained_free(&m);
    return ok;
}

/* What a program writes to mapped weights stays in its memory. */
static void written_to(void)
{
    Pretrained m, again;
    const char *path = source_path("tests/golden/pretrained/bert-words");
    REQUIRE(nn_pretrained_load(path, &m, (PretrainedOptions){.mapped = true}), "%s",
            tensor_error());
    real *first = m.words.weight->data, before = *first;
    *first = before + 1;
    REQUIRE(nn_pretrained_load(path, &again, (PretrainedOptions){.mapped = true}), "%s",
            tensor_error());
    CHECK(*first == before + 1 && again.words.weight->data[0] == before, "the file has %g, not %g",
          (double)again.words.weight->data[0], (double)before);
    nn_pretrained_free(&m);
    nn_pretrained_free(&again);
}

static bool load(void *context)
{
    Pretrained m;
    bool ok = nn_pretrained_load(context, &m, (PretrainedOptions){.trainable = true});
    nn_pretrained_free(&m);
    return ok;
}

static bool load_mapped(void *context)
{
    Pretrained m;
    bool ok = nn_pretrained_load(context, &m, (PretrainedOptions){.mapped = true});
    nn_pretrained_free(&m);
    return ok;
}

static void what_can_fail(void)
{
    char path[2000];
    snprintf(path, sizeof path, "%s", source_path("tests/golden/pretrained/bert-bare"));
    CHECK_OUT_OF_MEMORY(load, path);
    CHECK_OUT_OF_MEMORY(load_mapped, path);
    snprintf(path, sizeof path, "%s", source_path("tests/golden/pretrained/bert-classes"));
    CHECK_OUT_OF_MEMORY(load_labels, path);
}

/* A program may register weights of its own in the params of a loaded model, a head for example:
 * they have numbers and gradients, as those of any model. */
static void own_weights(void)
{
    for (int mapped = 0; mapped < 2; mapped++) {
        Pretrained m;
        Linear head;
        REQUIRE(nn_pretrained_load(source_path("tests/golden/pretrained/bert-words"), &m,
                                   (PretrainedOptions){.trainable = !mapped, .mapped = mapped}),
                "%s", tensor_error());
        CHECK(nn_linear_init(&head, m.params, "own", m.config.channels, 2, true), "%s",
              tensor_error());
        REQUIRE(head.weight && head.weight->data && head.weight->grad, "no memory");
        CHECK(head.weight->data[0] != 0 && head.weight->needs_grad, "%g",
              (double)head.weight->data[0]);
        nn_pretrained_free(&m);
    }
}

static const TestCase cases[] = {
    {"weights of the program's own", own_weights},
    {"tensors without use", tensors_without_use},
    {"fewer positions", fewer_positions},
    {"mapped weights that are written to", written_to},
    {"what can fail", what_can_fail},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("pretrained_files", cases, argc, argv);
}
