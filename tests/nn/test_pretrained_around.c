/* test_pretrained_around.c: what stands in a folder around the weights: the tokens that end a text,
 * the pooling of a sentence encoder, the numbers of a picture. Expected numbers are worked by
 * hand. */
#include "tests/autograd/on_tape.h"
#include "tests/nn/pretrained_folders.h"

#include "nn/decode/decode.h"
#include "nn/pretrained/pretrained.h"

#include <math.h>
#include <string.h>

static const char *const modules =
    "[{\"type\": \"sentence_transformers.models.Transformer\", \"path\": \"\"},"
    " {\"type\": \"sentence_transformers.models.Pooling\", \"path\": \"1_Pooling\"}%s]";

/* Writes a file into the folder that changed_config made. */
static void put(const char *name, const char *text)
{
    char path[2000];
    snprintf(path, sizeof path, "%s/%s", scratch_path("model"), name);
    REQUIRE(scratch_write(path, text, strlen(text)), "%s", path);
}

static void reload(Pretrained *m)
{
    REQUIRE(nn_pretrained_load(scratch_path("model"), m), "%s", tensor_error());
}

static void load(Pretrained *m, const char *fixture)
{
    changed_config(fixture, "{", "{");
    reload(m);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

/* Where generation_config.json lies, it alone counts, as in transformers. */
TEST(tokens_of_generation)
{
    Pretrained m;
    changed_config("bart", "\"forced_eos_token_id\": 2", "\"forced_eos_token_id\": 2");
    put("generation_config.json", "{\"eos_token_id\": [4, 9, 7], \"decoder_start_token_id\": 3, "
                                  "\"forced_bos_token_id\": 1, \"forced_eos_token_id\": 9}");
    reload(&m);
    const PretrainedConfig *c = &m.config;
    CHECK(c->end == 4 && c->ends[0] == 9 && c->ends[1] == 7 && c->ends[2] == -1, "ends");
    CHECK(c->start == 3 && c->first == 1 && c->last == 9, "%d %d %d", c->start, c->first, c->last);
    nn_pretrained_free(&m);
    put("generation_config.json", "{}");
    reload(&m);
    CHECK(m.config.end == -1 && m.config.first == -1 && m.config.last == -1, "of config.json");
    nn_pretrained_free(&m);
    put("generation_config.json", "{\"eos_token_id\": [1, 2, 3, 4, 5, 6, 7, 8, 9]}");
    REFUSES(nn_pretrained_load,
            "generation_config.json: eos_token_id has 9 tokens; expected at most 8",
            scratch_path("model"), &m);
    put("generation_config.json", "{\"eos_token_id\": [1, -2]}");
    REFUSES(nn_pretrained_load, "eos_token_id is -2; expected a whole number from 0",
            scratch_path("model"), &m);
    put("generation_config.json", "{}");
}

/* The rules of generation_config.json, else those of config.json; what is not built is refused. */
TEST(rules_of_generation)
{
    static const char *const not_built[] = {"\"stop_strings\": [\"x\"]",
                                            "\"encoder_repetition_penalty\": 1.5",
                                            "\"suppress_tokens\": [3]",
                                            "\"min_new_tokens\": 2",
                                            "\"sequence_bias\": {}",
                                            "\"bad_words_ids\": [[3, 4]]"};
    Pretrained m;
    changed_config("bart", "\"forced_eos_token_id\": 2",
                   "\"forced_eos_token_id\": 2, \"no_repeat_ngram_size\": 3, \"min_length\": 56");
    char path[2000];
    snprintf(path, sizeof path, "%s/generation_config.json", scratch_path("model"));
    remove(path);
    reload(&m);
    const DecodeRules *r = nn_pretrained_decoder(&m, NULL).rules;
    CHECK(r->no_repeat == 3 && r->shortest == 56 && r->repetition == 1 && r->forbidden[0] == -1,
          "%d %lld %g", r->no_repeat, (long long)r->shortest, r->repetition);
    nn_pretrained_free(&m);
    put("generation_config.json",
        "{\"repetition_penalty\": 1.25, \"eos_token_id\": 2, \"bad_words_ids\": [[9], [2]], "
        "\"encoder_repetition_penalty\": 1.0, \"suppress_tokens\": null, \"do_sample\": true}");
    reload(&m);
    r = nn_pretrained_decoder(&m, NULL).rules;
    CHECK(r->no_repeat == 0 && r->shortest == 0 && r->repetition == 1.25, "%d %lld %g",
          r->no_repeat, (long long)r->shortest, r->repetition);
    CHECK(r->forbidden[0] == 9 && r->forbidden[1] == -1, "the end is no bad word");
    nn_pretrained_free(&m);
    for (size_t i = 0; i < sizeof not_built / sizeof *not_built; i++) {
        char text[80];
        snprintf(text, sizeof text, "{%s}", not_built[i]);
        put("generation_config.json", text);
        REFUSES(nn_pretrained_load, "generation_config.json: ", scratch_path("model"), &m);
    }
    put("generation_config.json", "{\"repetition_penalty\": 0}");
    REFUSES(nn_pretrained_load, "repetition_penalty is 0; expected a number above 0",
            scratch_path("model"), &m);
    put("generation_config.json", "{}");
}

/* A model whose likeliest token is one more than the last. */
static Tensor *counting(void *model, Tensor *ids, KVCache *cache)
{
    enum { WORDS = 12 };
    (void)model, (void)cache;
    int64_t n = ids->shape.dim[0], T = ids->shape.dim[1];
    real logits[64 * WORDS] = {0};
    for (int64_t i = 0; i < n * T; i++)
        logits[i * WORDS + (ids->ids[i] + 1) % WORDS] = 9;
    return tape_input(ids->tape, logits, shape3(n, T, WORDS));
}

/* Each of several tokens ends a sequence, in a batch and in a beam; then come the first of them. */
TEST_ON_TAPE(several_ends)
{
    static const int prompt[2] = {3, 6}, ends[] = {8, 5, -1},
                     want[2][4] = {{4, 5, 11, 11}, {7, 8, 11, 11}};
    int out[8];
    KVCache cache;
    BeamTree tree = {0};
    tape->no_grad = true;
    Decoder d = {.logits = counting, .cache = &cache, .end = 11, .ends = ends};
    REQUIRE(nn_cache_init(&cache, 1, 2, 8, 1, 2), "%s", tensor_error());
    REQUIRE(nn_generate(tape, &d, prompt, NULL, 1, out, 4), "%s", tensor_error());
    for (int i = 0; i < 8; i++)
        CHECK(out[i] == want[i / 4][i % 4], "token %d is %d", i, out[i]);
    REQUIRE(nn_beam(tape, &d, prompt, 1, out, 4, 1, &tree), "%s", tensor_error());
    for (int i = 0; i < 4; i++)
        CHECK(out[i] == want[0][i], "token %d of the beam is %d", i, out[i]);
    nn_beam_free(&tree);
    nn_cache_free(&cache);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Two texts of 2 and 1 tokens with 2 channels; 9 is padding, which must not count. */
static const real states[] = {1, -4, 3, 2, 5, 6, 9, 9};

static void pools(const char *mode, bool normalised, const real want[4])
{
    static const int lengths[] = {2, 1};
    char text[400], list[400];
    Pretrained m;
    PretrainedPooling p;
    Tape *tape = tape_new(1);
    load(&m, "bert-bare");
    snprintf(text, sizeof text, "{\"pooling_mode_mean_tokens\": false, \"%s\": true}", mode);
    if (strcmp(mode, "pooling_mode_mean_tokens") == 0)
        snprintf(text, sizeof text, "{}"); /* what the library takes then */
    snprintf(list, sizeof list, modules,
             normalised ? ", {\"type\": \"a.Normalize\", \"path\": \"2\"}" : "");
    char folder[2000];
    snprintf(folder, sizeof folder, "%s/1_Pooling", scratch_path("model"));
    tensor_make_directory(folder);
    put("1_Pooling/config.json", text);
    put("modules.json", list);
    REQUIRE(nn_pretrained_pooling(&m, &p), "%s", tensor_error());
    CHECK(p.named && p.normalised == normalised, "%s", mode);
    Tensor *e = nn_pretrained_embed(&p, tape_input(tape, states, shape3(2, 2, 2)), lengths);
    REQUIRE(!tensor_is_poison(e), "%s", tensor_error());
    for (int i = 0; i < 4; i++) /* a few roundings of numbers up to 6 */
        CHECK(fabs((double)e->data[i] - (double)want[i]) <=
                  6 * 4 * (sizeof(real) == 4 ? 0x1p-23 : 0x1p-52),
              "%s, %d: %g; expected %g", mode, i, (double)e->data[i], (double)want[i]);
    tape_free(tape);
    nn_pretrained_free(&m);
}

TEST(poolings)
{
    pools("pooling_mode_mean_tokens", false, (real[]){2, -1, 5, 6});
    pools("pooling_mode_cls_token", false, (real[]){1, -4, 5, 6});
    pools("pooling_mode_lasttoken", false, (real[]){3, 2, 5, 6});
    pools("pooling_mode_max_tokens", false, (real[]){3, 2, 5, 6});
    pools("pooling_mode_mean_tokens", true,
          (real[]){(real)(2 / sqrt(5)), (real)(-1 / sqrt(5)), (real)(5 / sqrt(61)),
                   (real)(6 / sqrt(61))});
}

TEST(poolings_refused)
{
    static const struct {
        const char *modules, *config, *error;
    } bad[] = {
        {"{}", "{}", "modules.json: no list; expected a list of modules"},
        {"[]", "{}", "modules.json: no Pooling; expected one behind the model"},
        {"[{\"type\": \"m.Dense\", \"path\": \"1_Pooling\"}]", "{}",
         "a module Dense, which is not built; expected Transformer, Pooling and Normalize"},
        {"[{\"path\": \"1_Pooling\"}]", "{}", "a module no type"},
        {"[{\"type\": \"m.Pooling\", \"path\": \"../1_Pooling\"}]", "{}",
         "a Pooling with the path '../1_Pooling'; expected a folder in the model's"},
        {"[{\"type\": \"m.Pooling\", \"path\": \"/etc\"}]", "{}", "a Pooling with the path '/etc'"},
        {"[{\"type\": \"m.Pooling\", \"path\": \"9\"}]", "{}", "9/config.json is missing"},
        {"[{\"type\": \"m.Pooling\", \"path\": \"1_Pooling\"}]",
         "{\"pooling_mode_mean_tokens\": false}", "0 modes of pooling; expected one of"},
        {"[{\"type\": \"m.Pooling\", \"path\": \"1_Pooling\"}]",
         "{\"pooling_mode_cls_token\": true}", "2 modes of pooling; expected one of"},
        {"[{\"type\": \"m.Pooling\", \"path\": \"1_Pooling\"}]",
         "{\"pooling_mode_weightedmean_tokens\": true}",
         "pooling_mode_weightedmean_tokens is not built"},
        {"[{\"type\": \"m.Pooling\", \"path\": \"1_Pooling\"}]", "{\"pooling_mode_cls_token\": 1}",
         "pooling_mode_cls_token is neither true nor false"},
    };
    Pretrained m;
    PretrainedPooling p;
    load(&m, "bert-bare");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put("modules.json", bad[i].modules);
        put("1_Pooling/config.json", bad[i].config);
        CHECK(!nn_pretrained_pooling(&m, &p), "%s", bad[i].error);
        CHECK_ERROR(bad[i].error);
    }
    nn_pretrained_free(&m);
    REFUSES(nn_pretrained_pooling, "expected one that nn_pretrained_load has loaded", &m, &p);
}

TEST_ON_TAPE(embeddings_refused)
{
    static const int lengths[] = {2, 3};
    PretrainedPooling p = {0};
    Tensor *x = tape_input(tape, states, shape3(2, 2, 2));
    REFUSES(nn_pretrained_embed, "expected a pooling, and texts of 1 to 2 tokens", &p, x, lengths);
}

/* ---- pictures -------------------------------------------------------------------------------- */

TEST(pixels)
{
    Pretrained m;
    PretrainedPixels p;
    load(&m, "vit-classes");
    REQUIRE(nn_pretrained_pixels(&m, &p), "%s", tensor_error());
    CHECK(p.factor == 1 / 255. && p.mean[2] == 0.5 && p.deviation[0] == 0.5, "ViT's own");
    put("preprocessor_config.json",
        "{\"image_mean\": [0.1, 0.2, 0.3], \"image_std\": [1, 2, 3], "
        "\"rescale_factor\": 0.25, \"size\": {\"height\": 8, \"width\": 8}}");
    REQUIRE(nn_pretrained_pixels(&m, &p), "%s", tensor_error());
    CHECK(p.factor == 0.25 && p.mean[1] == 0.2 && p.deviation[2] == 3, "the file's");
    put("preprocessor_config.json",
        "{\"do_normalize\": false, \"do_rescale\": false, \"size\": 256, "
        "\"do_center_crop\": true, \"crop_size\": {\"height\": 8, \"width\": 8}}");
    REQUIRE(nn_pretrained_pixels(&m, &p), "%s", tensor_error());
    CHECK(p.factor == 1 && p.mean[1] == 0 && p.deviation[2] == 1, "as they are");
    nn_pretrained_free(&m);
}

TEST(pixels_refused)
{
    static const char *const bad[][2] = {
        {"{\"size\": 9}", "size is 9 x 9; expected the image_size of config.json, 8"},
        {"{\"size\": {\"shortest_edge\": 9}}", "size is 9 x 9"},
        {"{\"do_center_crop\": true, \"crop_size\": {\"height\": 8, \"width\": 7}}",
         "crop_size is 8 x 7"},
        {"{\"image_mean\": [0.5]}", "image_mean has 1 numbers; expected 3, one for each colour"},
        {"{\"image_std\": [1, 1, 0]}", "image_std has 0; expected numbers above 0"},
        {"{\"image_std\": [1, 1, \"x\"]}", "image_std has what is no number; expected 3 numbers"},
        {"{\"rescale_factor\": -1}", "rescale_factor is -1; expected a number above 0"},
    };
    Pretrained m;
    PretrainedPixels p;
    load(&m, "vit-classes");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put("preprocessor_config.json", bad[i][0]);
        CHECK(!nn_pretrained_pixels(&m, &p), "%s", bad[i][1]);
        CHECK_ERROR(bad[i][1]);
    }
    nn_pretrained_free(&m);
    load(&m, "bert-bare");
    REFUSES(nn_pretrained_pixels, "a bert with pictures of 0 colours; expected a model of pictures",
            &m, &p);
    nn_pretrained_free(&m);
}
