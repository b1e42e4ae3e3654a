/* test_pretrained_files.c: a model and its files: a model that is saved and read again, mapped weights that are written to or
 * quantised, memory that runs out while a folder is read. */
#include "tests/harness/runner.h"

#include "nn/decode/decode.h"
#include "nn/pretrained/inside.h"

#include <string.h>

/* A new classifier, saved and read again: the same logits. */
static void saved_and_read_again(void)
{
    static const char *const fixtures[] = {"bert-words", "roberta-classes", "distilbert-words"};
    static const char *const labels[] = {"good", "bad \"quoted\"", "other"};
    for (int i = 0; i < 3; i++) {
        Pretrained m, again;
        Tape *tape = tape_new(1);
        static const int ids[5] = {3, 7, 5, 4, 3};
        const char *path = source_path("tests/golden/pretrained/%s", fixtures[i]);
        REQUIRE(nn_pretrained_load(&m, path, (PretrainedOptions){.classes = 3, .trainable = true}),
                "%s", tensor_error());
        CHECK(nn_pretrained_save(&m, scratch_path("saved"), labels), "%s", tensor_error());
        REQUIRE(nn_pretrained_load(&again, scratch_path("saved"), (PretrainedOptions){0}), "%s",
                tensor_error());
        Tensor *one =
            nn_pretrained_classify(&m, nn_pretrained_run(&m, tape_ids(tape, ids, shape2(1, 5)),
                                                         NULL, NULL, NULL));
        Tensor *two = nn_pretrained_classify(
            &again, nn_pretrained_run(&again, tape_ids(tape, ids, shape2(1, 5)), NULL, NULL, NULL));
        CHECK_TENSOR(two, one, 0, 0);
        CHECK(again.config.labels == 3 && strcmp(again.label[1], labels[1]) == 0, "labels");
        nn_pretrained_free(&m);
        nn_pretrained_free(&again);
        tape_free(tape);
    }
}

/* What a program writes to mapped weights stays in its memory. */
static void written_to(void)
{
    Pretrained m, again;
    const char *path = source_path("tests/golden/pretrained/bert-words");
    REQUIRE(nn_pretrained_load(&m, path, (PretrainedOptions){.mapped = true}), "%s",
            tensor_error());
    real *first = m.words.weight->data, before = *first;
    *first = before + 1;
    REQUIRE(nn_pretrained_load(&again, path, (PretrainedOptions){.mapped = true}), "%s",
            tensor_error());
    CHECK(*first == before + 1 && again.words.weight->data[0] == before, "the file has %g, not %g",
          (double)again.words.weight->data[0], (double)before);
    nn_pretrained_free(&m);
    nn_pretrained_free(&again);
}

/* The rows of a weight that is stored as its transpose are quantised as those of its copy in memory. */
static void quantised(void)
{
    Pretrained mapped, read;
    const char *path = source_path("tests/golden/pretrained/gpt2");
    REQUIRE(nn_pretrained_load(&mapped, path, (PretrainedOptions){.mapped = true}), "%s",
            tensor_error());
    REQUIRE(nn_pretrained_load(&read, path, (PretrainedOptions){0}), "%s", tensor_error());
    QuantisedWeights *one = nn_quantise_weights(mapped.params, 8),
                     *two = nn_quantise_weights(read.params, 8);
    REQUIRE(one && two && one->count == two->count && one->count > 4, "%s", tensor_error());
    for (int64_t i = 0, k = 0; i < mapped.params->count; i++) {
        const Tensor *w = mapped.params->weight[i];
        if (w->shape.rank != 2)
            continue;
        const QuantisedMatrix *a = &one->matrix[k], *b = &two->matrix[k++];
        CHECK(memcmp(a->numbers, b->numbers, (size_t)tensor_size(w)) == 0 &&
                  memcmp(a->scale, b->scale, (size_t)w->shape.dim[0] * sizeof *a->scale) == 0,
              "%s", w->name);
    }
    nn_quantised_weights_free(one);
    nn_quantised_weights_free(two);
    nn_pretrained_free(&mapped);
    nn_pretrained_free(&read);
}

static bool load(void *context)
{
    Pretrained m;
    bool ok = nn_pretrained_load(&m, context, (PretrainedOptions){.trainable = true});
    nn_pretrained_free(&m);
    return ok;
}

static bool load_mapped(void *context)
{
    Pretrained m;
    bool ok = nn_pretrained_load(&m, context, (PretrainedOptions){.mapped = true});
    nn_pretrained_free(&m);
    return ok;
}

static void what_can_fail(void)
{
    char path[2000];
    snprintf(path, sizeof path, "%s", source_path("tests/golden/pretrained/bert-bare"));
    CHECK_OUT_OF_MEMORY(load, path);
    CHECK_OUT_OF_MEMORY(load_mapped, path);
}

static const TestCase cases[] = {
    {"saved and read again", saved_and_read_again},
    {"mapped weights that are written to", written_to},
    {"mapped weights are quantised", quantised},
    {"what can fail", what_can_fail},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("pretrained_files", cases, argc, argv);
}
