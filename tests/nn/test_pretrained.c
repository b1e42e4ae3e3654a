/* test_pretrained.c: models of every family against transformers (golden/pretrained, made by pretrained/make_models.py):
 * hidden states, attention maps, logits, all gradients, 200 greedy tokens. GRADUS_MODELS=DIR: those of another folder.
 * And folders that are refused, each with an error that names file and key. */
#include "tests/harness/runner.h"

#include "nn/decode/decode.h"
#include "nn/pretrained/inside.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative to the largest number of a tensor. In double some ten thousand roundings of 1e-16, and what the scaled weights
 * of deviation 0.3 make of them; in float the same with 6e-8, of which PyTorch's own floats need a half to two thirds. */
#define CLOSE (sizeof(real) == 8 ? 1e-11 : 3e-5)

typedef struct {
    Pretrained m;
    Safetensors want;
    Tape *tape;
    const char *name;
} Case;

static const char *folder_of_all(void)
{
    static char path[1000];
    const char *given = getenv("GRADUS_MODELS"), *source = getenv("GRADUS_SOURCE");
    snprintf(path, sizeof path, "%s%s",
             given    ? given
             : source ? source
                      : ".",
             given ? "" : "/tests/golden/pretrained");
    return path;
}

static void compare(const Case *c, const Tensor *got, const char *name)
{
    const Tensor *want = safetensors_find(&c->want, name);
    if (!CHECK(want && !tensor_is_poison(got), "%s: %s is missing: %s", c->name, name,
               tensor_error()))
        return;
    Tensor *numbers = tensor_clone(got);
    /* A gradient that is 0 but for rounding (a key's bias) is a sum of numbers as large as the other gradients. */
    double largest = strncmp(name, "grad.", 5) == 0 ? 0.1 : 1e-3, off = 0;
    bool fits = numbers && tensor_size(numbers) == tensor_size(want);
    CHECK(fits, "%s: %s is %s, not %s", c->name, name, numbers ? shape_str(numbers->shape) : "?",
          shape_str(want->shape));
    for (int64_t i = 0; fits && i < tensor_size(want); i++) {
        double gap = fabs((double)numbers->data[i] - (double)want->data[i]);
        largest = fmax(largest, fabs((double)want->data[i]));
        off = !(gap <= off) ? gap : off;
    }
    CHECK(fits && off <= CLOSE * largest, "%s: %s is off by %g of %g", c->name, name, off, largest);
    tensor_free(numbers);
}

/* Our gradients in their names, parts and layout. */
static void gradients(const Case *c)
{
    const NameRule *rule = pretrained_families[c->m.config.family].rules;
    int compared = 0;
    for (; rule->ours; rule++)
        for (int64_t layer = 0; layer < (pretrained_is_layered(rule) ? c->m.config.layers : 1);
             layer++)
            for (int e = 0; e < (rule->ends ? 2 : 1); e++) {
                char name[PRETRAINED_NAME], key[PRETRAINED_NAME + 8];
                const char *ending = e ? "bias" : "weight";
                Tensor *w = pretrained_weight(&c->m, rule, layer, ending);
                pretrained_name(&c->m, rule, layer, ending, name);
                snprintf(key, sizeof key, "grad.%s", name);
                if (!w || !safetensors_find(&c->want, key))
                    continue;
                int64_t first, count;
                pretrained_rows(&c->m, rule, w, &first, &count);
                Tensor t = {.data = w->grad};
                tensor_set_contiguous(&t, w->shape);
                t.data += first * t.stride[0];
                t.shape.dim[0] = count;
                if (rule->form == TRANSPOSED && w->shape.rank == 2) {
                    t.shape = shape2(w->shape.dim[1], w->shape.dim[0]);
                    t.stride[0] = w->stride[1];
                    t.stride[1] = w->stride[0];
                }
                compare(c, &t, key);
                compared++;
            }
    int there = 0;
    for (int i = 0; i < c->want.count; i++)
        there += strncmp(c->want.tensors[i]->name, "grad.", 5) == 0;
    CHECK(compared == there && there > 0, "%s: %d gradients of %d", c->name, compared, there);
}

static Tensor *ids_of(const Case *c, const char *name)
{
    const Tensor *t = safetensors_find(&c->want, name);
    return t ? tape_ids(c->tape, t->ids, t->shape) : NULL;
}

static Tensor *run(Case *c, Tensor **hidden)
{
    const Tensor *pixels = safetensors_find(&c->want, "pixels");
    return pixels
               ? nn_pretrained_look(&c->m, tape_input(c->tape, pixels->data, pixels->shape), hidden)
               : nn_pretrained_run(&c->m, ids_of(c, "ids"), ids_of(c, "types"),
                                   ids_of(c, "lengths"), hidden);
}

/* What transformers calls the model's logits. */
static Tensor *logits(Case *c, Tensor *x)
{
    return c->m.classifier.weight ? nn_pretrained_classify(&c->m, x)
           : c->m.output.weight   ? nn_pretrained_words(&c->m, x)
                                  : x;
}

static void forward_and_back(Case *c, bool maps)
{
    Tensor *hidden[8];
    char name[64];
    tape_reset(c->tape);
    params_zero_grad(c->m.params);
    c->tape->keep_maps = maps;
    Tensor *x = run(c, hidden), *y = logits(c, x);
    for (int i = 0; i <= c->m.config.layers; i++) {
        if (i == c->m.config.layers && nn_pretrained_looks(&c->m))
            break; /* theirs comes before the last norm */
        snprintf(name, sizeof name, "hidden.%d", i);
        compare(c, hidden[i], name);
    }
    for (int i = 0; maps && i < c->m.config.layers; i++) {
        char ours[64];
        snprintf(name, sizeof name, "maps.%d", i);
        snprintf(ours, sizeof ours, "blocks.%d.attn.A", i);
        compare(c, tape_find(c->tape, ours), name);
    }
    compare(c, y, "logits");
    int64_t n = tensor_size(y);
    real *upstream = malloc((size_t)n * sizeof *upstream);
    for (int64_t i = 0; upstream && i < n; i++)
        upstream[i] = (real)cos((double)i);
    CHECK(upstream && ag_backward_from(y, upstream), "%s: %s", c->name, tensor_error());
    gradients(c);
    free(upstream);
}

static void greedy(Case *c)
{
    const Tensor *prompt = safetensors_find(&c->want, "prompt"),
                 *want = safetensors_find(&c->want, "greedy");
    if (!prompt)
        return;
    int64_t B = prompt->shape.dim[0], T = prompt->shape.dim[1], N = want->shape.dim[1];
    int32_t *out = malloc((size_t)(B * N) * sizeof *out);
    KVCache cache;
    for (int last = 0; last < 2; last++) {
        c->m.last_only = last;
        Decoder d = {.logits = nn_pretrained_cached, .model = &c->m, .cache = &cache, .end = -1};
        CHECK(nn_pretrained_cache(&c->m, &cache, B, T + N) &&
                  nn_generate(c->tape, &d, prompt->ids, NULL, T, out, N),
              "%s: %s", c->name, tensor_error());
        int64_t same = 0;
        while (same < B * N && out[same] == want->ids[same])
            same++;
        CHECK(same == B * N, "%s: token %d of sequence %d is another", c->name, (int)(same % N),
              (int)(same / N));
        nn_cache_free(&cache);
    }
    free(out);
}

static void compare_model(const char *folder, const char *name)
{
    char path[2000];
    Case c = {.name = name, .tape = tape_new(1)};
    snprintf(path, sizeof path, "%s/%s/expected.safetensors", folder, name);
    bool ok = safetensors_read(&c.want, path);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    ok = ok && nn_pretrained_load(&c.m, path, (PretrainedOptions){.trainable = true});
    if (CHECK(ok, "%s: %s", name, tensor_error())) {
        forward_and_back(&c, true);
        forward_and_back(&c, false);
        greedy(&c);
        CHECK_NO_ERROR();
    }
    nn_pretrained_free(&c.m);
    safetensors_free(&c.want);
    tape_free(c.tape);
}

static void as_transformers(void)
{
    const char *folder = folder_of_all();
    DIR *d = opendir(folder);
    int models = 0;
    REQUIRE(d, "%s is missing", folder);
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.') {
            compare_model(folder, e->d_name);
            models++;
        }
    closedir(d);
    CHECK(models >= 18, "%d models", models);
}

/* ---- folders that are refused ------------------------------------------------------------------------------------ */

/* A copy of a fixture's config.json, with `from` replaced by `to`, beside its weights. */
static const char *changed(const char *name, const char *from, const char *to)
{
    static char text[20000], out[20000], weights[400000];
    char path[2000];
    const char *folder = scratch_path("model");
    tensor_make_directory(folder);
    snprintf(path, sizeof path, "%s/tests/golden/pretrained/%s/config.json",
             getenv("GRADUS_SOURCE"), name);
    long n = scratch_read(path, text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    char *at = strstr(text, from);
    CHECK(n > 0 && at, "%s has no %s", path, from);
    snprintf(out, sizeof out, "%.*s%s%s", (int)(at ? at - text : 0), text, to,
             at ? at + strlen(from) : "");
    snprintf(path, sizeof path, "%s/config.json", folder);
    CHECK(scratch_write(path, out, strlen(out)), "cannot write");
    snprintf(path, sizeof path, "%s/tests/golden/pretrained/%s/model.safetensors",
             getenv("GRADUS_SOURCE"), name);
    n = scratch_read(path, weights, sizeof weights);
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    CHECK(n > 0 && scratch_write(path, weights, (size_t)n), "cannot write");
    return folder;
}

static const struct {
    const char *fixture, *from, *to, *error;
} bad[] = {
    {"bert-words", "\"model_type\": \"bert\"", "\"model_type\": \"t5\"",
     "config.json: model_type is 't5'; built are bert"},
    {"bert-words", "\"model_type\": \"bert\"", "\"model\": \"bert\"",
     "config.json: model_type is missing"},
    {"bert-words", "\"model_type\": \"bert\"", "\"model_type\": \"distilbert\"",
     "config.json: n_layers is missing"},
    {"bert-words", "\"hidden_act\": \"gelu\"", "\"hidden_act\": \"mish\"",
     "config.json: hidden_act is 'mish'; built are"},
    {"bert-words", "\"is_decoder\": false", "\"is_decoder\": true",
     "config.json: is_decoder is true; built is only false"},
    {"bert-words", "\"is_decoder\": false", "\"position_embedding_type\": \"relative_key\"",
     "position_embedding_type is relative_key; built is only absolute"},
    {"bert-words", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3",
     "has no 'bert.encoder.layer.2.attention.output.LayerNorm.weight'"},
    {"bert-words", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1",
     "has 'bert.encoder.layer.1.attention.output.LayerNorm.bias', for which a bert"},
    {"bert-words", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1.5",
     "num_hidden_layers is 1.5; expected a whole"},
    {"bert-words", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": -2",
     "num_hidden_layers is -2; expected a whole"},
    {"bert-words", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": \"2\"",
     "num_hidden_layers is no number"},
    {"bert-words", "\"vocab_size\": ", "\"vocab_size\": 4000000, \"x\": ",
     "config.json: describes a model of at least 24"},
    {"llama", "\"eos_token_id\": ", "\"eos_token_id\": 1e300, \"x\": ",
     "config.json: eos_token_id is 1e+300; expected a whole number from -1"},
    {"bert-words", "\"max_position_embeddings\": 12", "\"max_position_embeddings\": 13",
     "'bert.embeddings.position_embeddings.weight' is (12,"},
    {"bert-words", "\"layer_norm_eps\"", "\"layer_norm_eps\": 0, \"x\"",
     "layer_norm_eps is 0; expected a number above 0"},
    {"bert-words", "\"is_decoder\": false,", "\"is_decoder\": false", "config.json: byte"},
    {"gpt2", "\"scale_attn_weights\": true", "\"scale_attn_weights\": false",
     "scale_attn_weights is false"},
    {"llama", "\"rope_type\": \"default\"", "\"rope_type\": \"yarn\"",
     "rope_parameters.rope_type is 'yarn'"},
    {"vit-classes", "\"image_size\": 8", "\"image_size\": 12",
     "'vit.embeddings.position_embeddings' is (1,"},
};

static void refused(void)
{
    Pretrained m;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *folder = changed(bad[i].fixture, bad[i].from, bad[i].to);
        CHECK(!nn_pretrained_load(&m, folder, (PretrainedOptions){0}), "%s is taken", bad[i].to);
        CHECK_ERROR(bad[i].error);
        CHECK(!m.params && !m.block, "something is left");
    }
    CHECK(!nn_pretrained_load(&m, scratch_path("absent"), (PretrainedOptions){0}), "no folder");
    CHECK_ERROR("absent/config.json: cannot open");
}

static void weights_that_are_none(void)
{
    static char text[400000];
    char path[2000];
    Pretrained m;
    const char *folder = changed("bert-words", "\"is_decoder\": false", "\"is_decoder\": false");
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    long n = scratch_read(path, text, sizeof text);
    CHECK(scratch_write(path, text, (size_t)n - 4), "cannot write");
    CHECK(!nn_pretrained_load(&m, folder, (PretrainedOptions){0}), "truncated weights");
    CHECK_ERROR("model.safetensors: tensor '");
    remove(path);
    CHECK(!nn_pretrained_load(&m, folder, (PretrainedOptions){0}), "no weights");
    CHECK_ERROR("found no weights; expected model.safetensors");
    static const struct {
        const char *index, *error;
    } indexes[] = {
        {"{\"weight_map\":{\"a\":\"../model.safetensors\"}}",
         "gives 'a' the file '../model.safetensors'"},
        {"{\"weight_map\":{\"a\":\"..\"}}", "gives 'a' the file '..'"},
        {"{\"weight_map\":[]}", "weight_map is none"},
        {"{}", "weight_map is missing"},
        {"{\"weight_map\":{\"a\":\"b.safetensors\"}}", "b.safetensors: cannot open"},
    };
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/model.safetensors.index.json", folder);
        CHECK(scratch_write(path, indexes[i].index, strlen(indexes[i].index)), "cannot write");
        CHECK(!nn_pretrained_load(&m, folder, (PretrainedOptions){0}), "%s is taken",
              indexes[i].index);
        CHECK_ERROR(indexes[i].error);
    }
}

static void inputs_that_do_not_fit(void)
{
    char path[2000];
    Pretrained bert, vit;
    Tape *tape = tape_new(1);
    snprintf(path, sizeof path, "%s/tests/golden/pretrained/bert-words", getenv("GRADUS_SOURCE"));
    REQUIRE(nn_pretrained_load(&bert, path, (PretrainedOptions){0}), "%s", tensor_error());
    snprintf(path, sizeof path, "%s/tests/golden/pretrained/vit-classes", getenv("GRADUS_SOURCE"));
    REQUIRE(nn_pretrained_load(&vit, path, (PretrainedOptions){0}), "%s", tensor_error());
    static const int ids[13];
    CHECK(tensor_is_poison(
              nn_pretrained_run(&bert, tape_ids(tape, ids, shape2(1, 13)), NULL, NULL, NULL)),
          "13 tokens");
    CHECK_ERROR("nn_pretrained_run: 13 tokens; expected at most 12");
    tape_reset(tape);
    CHECK(tensor_is_poison(
              nn_pretrained_run(&vit, tape_ids(tape, ids, shape2(1, 3)), NULL, NULL, NULL)),
          "tokens");
    CHECK_ERROR("reads pictures, not tokens");
    tape_reset(tape);
    CHECK(tensor_is_poison(nn_pretrained_look(&vit, tape_full(tape, 0, shape4(1, 3, 9, 8)), NULL)),
          "another size");
    CHECK_ERROR("pictures are (1, 3, 9, 8)");
    tape_reset(tape);
    CHECK(tensor_is_poison(
              nn_pretrained_classify(&bert,
                                     tape_full(tape, 0, shape3(1, 3, bert.config.channels)))),
          "no head");
    CHECK_ERROR("has no classifier");
    nn_pretrained_free(&bert);
    nn_pretrained_free(&vit);
    tape_free(tape);
}

/* A new classifier, saved and read again: the same logits. */
static void saved_and_read_again(void)
{
    static const char *const fixtures[] = {"bert-words", "roberta-classes", "distilbert-words"};
    static const char *const labels[] = {"good", "bad \"quoted\"", "other"};
    for (int i = 0; i < 3; i++) {
        char path[2000];
        Pretrained m, again;
        Tape *tape = tape_new(1);
        static const int ids[5] = {3, 7, 5, 4, 3};
        snprintf(path, sizeof path, "%s/tests/golden/pretrained/%s", getenv("GRADUS_SOURCE"),
                 fixtures[i]);
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

static bool load(void *context)
{
    Pretrained m;
    bool ok = nn_pretrained_load(&m, context, (PretrainedOptions){.trainable = true});
    nn_pretrained_free(&m);
    return ok;
}

static void what_can_fail(void)
{
    char path[2000];
    snprintf(path, sizeof path, "%s/tests/golden/pretrained/bert-bare", getenv("GRADUS_SOURCE"));
    CHECK_OUT_OF_MEMORY(load, path);
}

static const TestCase cases[] = {
    {"as transformers", as_transformers},
    {"refused", refused},
    {"weights that are none", weights_that_are_none},
    {"inputs that do not fit", inputs_that_do_not_fit},
    {"saved and read again", saved_and_read_again},
    {"what can fail", what_can_fail},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("pretrained", cases, argc, argv);
}
