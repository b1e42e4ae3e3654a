/* test_pretrained_files.c: a model and its files: a model that is saved and read again, mapped
 * weights that are written to, memory that runs out while a folder is read. */
#include "tests/harness/runner.h"
#include "tests/nn/pretrained_folders.h"

#include "nn/decode/decode.h"
#include "nn/pretrained/inside.h"

#include <string.h>
#include <unistd.h>

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
        REQUIRE(nn_pretrained_load(path, &m, (PretrainedOptions){.classes = 3, .trainable = true}),
                "%s", tensor_error());
        CHECK(nn_pretrained_save(scratch_path("saved"), &m, labels), "%s", tensor_error());
        REQUIRE(nn_pretrained_load(scratch_path("saved"), &again, (PretrainedOptions){0}), "%s",
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

/* ---- what a saved folder has ----------------------------------------------------------------- */

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

/* Is it the same value, but for these members of the outermost object? */
static bool same(const JsonValue *a, const JsonValue *b, const char *const *but)
{
    if (!a || !b || a->kind != b->kind || (a->kind == JSON_NUMBER && a->number != b->number) ||
        (a->kind == JSON_STRING && strcmp(a->text, b->text) != 0))
        return a == b;
    const JsonValue *in_b = b->first;
    for (const JsonValue *m = a->first; m; m = m->next) {
        bool left_out = false;
        for (const char *const *k = but; k && *k; k++)
            left_out = left_out || strcmp(m->key, *k) == 0;
        if (!left_out && !same(m, m->key ? json_get(b, m->key) : in_b, NULL))
            return CHECK(false, "%s differs", m->key ? m->key : "a member of a list");
        in_b = m->key || !in_b ? in_b : in_b->next;
    }
    return a->kind != JSON_LIST || !in_b;
}

/* Members that the library does not read are kept, of every kind. */
static void configuration(void)
{
    static const char *const replaced[] = {"architectures", "id2label", "label2id", "dtype", NULL};
    Pretrained m;
    JsonTree before, after;
    char path[2000], text[20000] = "";
    const char *folder =
        changed_config("bert-words", "\"is_decoder\": false",
                       "\"is_decoder\": false, \"task\": {\"list\": [1, -2.5e-7, "
                       "\"a\\tb\\u0001\\\"\\\\\", [], {}], "
                       "\"none\": null, \"yes\": true, \"\\u00e9\": {\"deep\": [[0.1]]}}");
    REQUIRE(nn_pretrained_load(folder, &m, (PretrainedOptions){.classes = 2}), "%s",
            tensor_error());
    CHECK(nn_pretrained_save(scratch_path("saved"), &m, NULL), "%s", tensor_error());
    snprintf(path, sizeof path, "%s/config.json", folder);
    CHECK(json_tree_read(&before, "test", path), "%s", tensor_error());
    CHECK(json_tree_read(&after, "test", scratch_path("saved/config.json")), "%s", tensor_error());
    CHECK(json_get(before.root, "task") && same(before.root, after.root, replaced), "another file");
    scratch_read(scratch_path("saved/config.json"), text, sizeof text - 1);
    CHECK(strstr(text, "[1, -2.5e-07, "), "a number has more digits than it was given");
    const JsonValue *names = json_get(after.root, "id2label"),
                    *numbers = json_get(after.root, "label2id");
    CHECK_TEXT(json_get_text(names, "1"), "LABEL_1");
    CHECK(names && names->count == 2 && json_get(numbers, "LABEL_1") &&
              json_get(numbers, "LABEL_1")->number == 1,
          "labels");
    json_tree_free(&before);
    json_tree_free(&after);
    nn_pretrained_free(&m);
    scratch_clear(scratch_path("saved"));
}

/* ---- saving that is refused, or fails -------------------------------------------------------- */

/* Refused with this error, and the file that is there already stays. */
static void not_saved(const Pretrained *m, const char *folder, const char *const *labels,
                      const char *part)
{
    char path[2000], old[16] = "";
    tensor_make_directory(folder);
    snprintf(path, sizeof path, "%s/config.json", folder);
    bool own = strcmp(folder, m->folder) == 0;
    CHECK(own || scratch_write(path, "old", 3), "cannot write");
    CHECK(!nn_pretrained_save(folder, m, labels), "saved; expected: %s", part);
    CHECK_REFUSAL("nn_pretrained_save", part);
    CHECK(own || (scratch_read(path, old, sizeof old - 1) == 3 && strcmp(old, "old") == 0 &&
                  scratch_files(folder) == 1),
          "the folder is changed: %s", old);
}

static void refused(void)
{
    static const char *const hole[] = {"a", NULL, "c"}, *const twice[] = {"a", "b", "a"},
                             *const good[] = {"a", "b", "c"};
    Pretrained bert, words, vit;
    const char *folder = changed_config("bert-classes", "\"LABEL_2\"", "\"LABEL_0\"");
    REQUIRE(nn_pretrained_load(folder, &bert, (PretrainedOptions){0}), "%s", tensor_error());
    REQUIRE(nn_pretrained_load(fixture_path("bert-words", NULL), &words, (PretrainedOptions){0}),
            "%s", tensor_error());
    REQUIRE(nn_pretrained_load(fixture_path("vit-classes", NULL), &vit, (PretrainedOptions){0}),
            "%s", tensor_error());
    const char *to = scratch_path("refused");
    CHECK(!nn_pretrained_save(to, &bert, twice) && access(to, F_OK) != 0, "a folder is made");
    CHECK_REFUSAL("nn_pretrained_save", "labels 0 and 2 are both 'a'");
    not_saved(&words, to, NULL, "a bert without a classifier of texts; expected bert, roberta or");
    not_saved(&vit, to, NULL, "a vit without a classifier of texts; expected bert, roberta or");
    not_saved(&bert, folder, good, "it is the folder that the model comes from; expected another");
    not_saved(&bert, to, hole, "label 1 is NULL; expected 3 labels that differ");
    not_saved(&bert, to, twice, "labels 0 and 2 are both 'a'; expected 3 labels that differ");
    not_saved(&bert, to, NULL, "labels 0 and 2 are both 'LABEL_0'; expected 3 labels that differ");
    nn_pretrained_free(&bert);
    nn_pretrained_free(&words);
    nn_pretrained_free(&vit);
    scratch_clear(to);
}

/* Loading with a new classifier, with labels and a tensor without use, and saving. */
static bool load_and_save(void *context)
{
    Pretrained m;
    bool ok = nn_pretrained_load(context, &m, (PretrainedOptions){.classes = 2}) &&
              nn_pretrained_save(scratch_path("pretrained-to"), &m, NULL);
    nn_pretrained_free(&m);
    return ok;
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

static const char old_words[] = "old words", new_words[] = "[UNK]\n[CLS]\n[SEP]\n";

static void old_folder(void *context)
{
    (void)context;
    scratch_clear(scratch_path("pretrained-to"));
    tensor_make_directory(scratch_path("pretrained-to"));
    CHECK(scratch_write(scratch_path("pretrained-to/vocab.txt"), old_words, strlen(old_words)),
          "cannot write");
}

/* The old file or the new one, as a whole; after success the new one and all others. */
static bool whole_files(void *context, bool ok)
{
    (void)context;
    char text[100] = "";
    long n = scratch_read(scratch_path("pretrained-to/vocab.txt"), text, sizeof text - 1);
    bool old = n == (long)strlen(old_words) && strncmp(text, old_words, (size_t)n) == 0;
    bool new = n == (long)strlen(new_words) && strncmp(text, new_words, (size_t)n) == 0;
    if (ok)
        return new &&scratch_files(scratch_path("pretrained-to")) == 3;
    return (old || new) &&
           (trial_kept_a_file() || scratch_files(scratch_path("pretrained-to")) <= 3);
}

static void saving_can_fail(void)
{
    Tensor *more = tensor_new(shape2(1, 12));
    REQUIRE(more, "no memory");
    tensor_set_name(more, "embeddings.position_ids");
    char folder[1000], path[1100], scratch[1000];
    snprintf(folder, sizeof folder, "%s", changed_weights("bert-classes", NULL, &more, 1));
    tensor_free(more);
    snprintf(path, sizeof path, "%s/vocab.txt", folder);
    snprintf(scratch, sizeof scratch, "%s", scratch_path(""));
    CHECK(scratch_write(path, new_words, strlen(new_words)), "cannot write");
    Attempt trial = {load_and_save, old_folder, whole_files, folder, scratch};
    CHECK_TRIAL_MEMORY(&trial);
    CHECK_TRIAL_DISK(&trial);
    CHECK_OUT_OF_MEMORY(load_labels, folder);
    scratch_clear(folder);
    scratch_clear(scratch_path("pretrained-to"));
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
    {"saved and read again", saved_and_read_again},
    {"tensors without use", tensors_without_use},
    {"fewer positions", fewer_positions},
    {"the configuration of a saved model", configuration},
    {"saving that is refused", refused},
    {"saving that fails", saving_can_fail},
    {"mapped weights that are written to", written_to},
    {"what can fail", what_can_fail},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("pretrained_files", cases, argc, argv);
}
