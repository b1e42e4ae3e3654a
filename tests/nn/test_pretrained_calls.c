/* test_pretrained_calls.c: wrong calls of the functions of pretrained.h, each refused with an error
 * that names the function, what was found and what was expected; and what a summary says. */
#include "tests/harness/runner.h"
#include "tests/nn/pretrained_folders.h"

#include "nn/pretrained/pretrained.h"

#include <stdlib.h>
#include <string.h>

static bool load(Pretrained *m, const char *name)
{
    return CHECK(nn_pretrained_load(fixture_path(name, NULL), m, (PretrainedOptions){0}), "%s",
                 tensor_error());
}

static Tape *tape;

static Tensor *ids_of(int64_t B, int64_t T)
{
    static const int32_t zeros[64];
    return tape_ids(tape, zeros, shape2(B, T));
}

/* The result is poison, the error is a refusal with this part, and the tape can be used again after
 * a reset. */
static void poison(const Tensor *y, const char *function, const char *part)
{
    CHECK(tensor_is_poison(y), "%s gave a result; expected: %s", function, part);
    CHECK_REFUSAL(function, part);
    tape_reset(tape);
}

#define REFUSED(call, function, part)                                     \
    do {                                                                  \
        CHECK(!(call), "%s gave a result; expected: %s", function, part); \
        CHECK_REFUSAL(function, part);                                    \
    } while (0)

/* ---- no model -------------------------------------------------------------------------------- */

static void no_model(void)
{
    Pretrained empty = {0};
    KVCache cache = {0};
    FILE *out = tmpfile();
    REQUIRE(out, "no file");
    tape = tape_new(1);
    for (int i = 0; i < 2; i++) {
        Pretrained *m = i ? &empty : NULL;
        const char *part = i ? "the model is not loaded; expected one that nn_pretrained_load has"
                             : "the model is NULL; expected one that nn_pretrained_load has";
        poison(nn_pretrained_run(m, ids_of(1, 2), NULL, NULL, NULL), "nn_pretrained_run", part);
        poison(nn_pretrained_run_images(m, tape_full(tape, 0, shape4(1, 3, 8, 8)), NULL),
               "nn_pretrained_run_images", part);
        poison(nn_pretrained_logits(m, tape_full(tape, 0, shape3(1, 2, 6))), "nn_pretrained_logits",
               part);
        poison(nn_pretrained_classify(m, tape_full(tape, 0, shape3(1, 2, 6))),
               "nn_pretrained_classify", part);
        poison(nn_pretrained_logits_cached(m, ids_of(1, 2), &cache), "nn_pretrained_logits_cached",
               part);
        REFUSED(nn_pretrained_cache(m, &cache, 1, 1), "nn_pretrained_cache", part);
        REFUSED(nn_pretrained_map_gradients(m, true), "nn_pretrained_map_gradients", part);
        nn_pretrained_summary(out, m);
        CHECK_REFUSAL("nn_pretrained_summary", part);
        CHECK(!nn_pretrained_continues_text(m) || i, "no model writes");
        CHECK(!nn_pretrained_reads_images(m), "no model looks");
    }
    CHECK(ftell(out) == 0 && !cache.keys_values, "something was written or allocated");
    nn_pretrained_free(NULL);
    CHECK_NO_ERROR();
    tape_free(tape);
    fclose(out);
}

static void no_folder(void)
{
    static char path[5000];
    Pretrained m;
    memset(path, 'a', sizeof path - 1);
    REFUSED(nn_pretrained_load("folder", NULL, (PretrainedOptions){0}), "nn_pretrained_load",
            "m is NULL; expected a Pretrained to fill");
    REFUSED(nn_pretrained_load(NULL, &m, (PretrainedOptions){0}), "nn_pretrained_load",
            "the folder is NULL; expected a path");
    REFUSED(nn_pretrained_load(path, &m, (PretrainedOptions){0}), "nn_pretrained_load",
            "a path of 4999 bytes; expected at most 4032");
    CHECK(!m.params && !m.folder, "something is left");
}

/* ---- texts and pictures ---------------------------------------------------------------------- */

static void inputs_of_texts(void)
{
    Pretrained m;
    int32_t number = 0;
    REQUIRE(load(&m, "bert-words"), "no model");
    tape = tape_new(1);
    Tensor *own = tensor_new(shape2(1, 2));
    static const char run[] = "nn_pretrained_run";
    poison(nn_pretrained_run(&m, NULL, NULL, NULL, NULL), run, "ids is NULL; expected ids (B, T)");
    poison(nn_pretrained_run(&m, tape_full(tape, 0, shape2(1, 2)), NULL, NULL, NULL), run,
           "ids are (1, 2)");
    poison(nn_pretrained_run(&m, tape_ids(tape, &number, shape1(1)), NULL, NULL, NULL), run,
           "ids are (1,)");
    poison(nn_pretrained_run(&m, own, NULL, NULL, NULL), run, "ids are (1, 2)");
    poison(nn_pretrained_run_images(&m, tape_full(tape, 0, shape4(1, 3, 8, 8)), NULL),
           "nn_pretrained_run_images",
           "a bert reads tokens, not pictures; expected nn_pretrained_run");
    poison(nn_pretrained_run(&m, ids_of(1, 13), NULL, NULL, NULL), run,
           "13 tokens; expected at most 12");
    poison(nn_pretrained_run(&m, ids_of(1, 2), ids_of(1, 1), NULL, NULL), run,
           "types are (1, 1); expected ids (1, 2) or none");
    poison(nn_pretrained_run(&m, ids_of(1, 2), NULL, ids_of(1, 3), NULL), run, "(1, 3)");
    CHECK(tensor_is_poison(nn_pretrained_run(&m, tensor_poison(), NULL, NULL, NULL)), "poison");
    CHECK_NO_ERROR(); /* the first error is the one that made it */
    tensor_free(own);
    nn_pretrained_free(&m);
    tape_free(tape);
}

static void inputs_of_pictures(void)
{
    Pretrained m;
    static const int32_t zeros[3 * 8 * 8];
    static const char look[] = "nn_pretrained_run_images";
    REQUIRE(load(&m, "vit-classes"), "no model");
    tape = tape_new(1);
    poison(nn_pretrained_run_images(&m, NULL, NULL), look,
           "pictures is NULL; expected pictures (B, 3, 8, 8)");
    poison(nn_pretrained_run(&m, ids_of(1, 3), NULL, NULL, NULL), "nn_pretrained_run",
           "reads pictures, not tokens");
    poison(nn_pretrained_run_images(&m, tape_full(tape, 0, shape4(1, 3, 9, 8)), NULL), look,
           "pictures are (1, 3, 9, 8)");
    poison(nn_pretrained_run_images(&m, tape_full(tape, 0, shape3(3, 8, 8)), NULL), look,
           "pictures are (3, 8, 8); expected (B, 3, 8, 8), as ");
    poison(nn_pretrained_run_images(&m, tape_ids(tape, zeros, shape4(1, 3, 8, 8)), NULL), look,
           " of whole numbers; expected (B, 3, 8, 8)");
    CHECK(tensor_is_poison(nn_pretrained_run_images(&m, tensor_poison(), NULL)), "poison");
    CHECK_NO_ERROR();
    nn_pretrained_free(&m);
    tape_free(tape);
}

static void heads(void)
{
    Pretrained words, classes, deit;
    REQUIRE(load(&words, "bert-words") && load(&classes, "bert-classes") &&
                load(&deit, "deit-teacher"),
            "no models");
    tape = tape_new(1);
    const int64_t D = classes.config.channels, E = deit.config.channels;
    poison(nn_pretrained_logits(&classes, tape_full(tape, 0, shape3(1, 2, D))),
           "nn_pretrained_logits", "bert-classes has no language-model head; expected");
    poison(nn_pretrained_logits(&words, NULL), "nn_pretrained_logits", "x is NULL; expected");
    poison(nn_pretrained_classify(&words, tape_full(tape, 0, shape3(1, 3, words.config.channels))),
           "nn_pretrained_classify", "has no classifier");
    poison(nn_pretrained_classify(&classes, tape_full(tape, 0, shape3(1, 2, D + 1))),
           "nn_pretrained_classify", "x is (1, 2, 5)");
    poison(nn_pretrained_classify(&classes, tape_full(tape, 0, shape3(1, 0, D))),
           "nn_pretrained_classify", "x has 0 tokens; expected at least 1");
    poison(nn_pretrained_classify(&deit, tape_full(tape, 0, shape3(1, 1, E))),
           "nn_pretrained_classify", "x has 1 tokens; expected at least 2");
    nn_pretrained_free(&words);
    nn_pretrained_free(&classes);
    nn_pretrained_free(&deit);
    tape_free(tape);
}

/* ---- token by token -------------------------------------------------------------------------- */

static void caches(void)
{
    Pretrained bert, gpt2, llama;
    KVCache cache = {0}, none = {0};
    static const char init[] = "nn_pretrained_cache", cached[] = "nn_pretrained_logits_cached";
    REQUIRE(load(&bert, "bert-words") && load(&gpt2, "gpt2") && load(&llama, "llama"), "no models");
    tape = tape_new(1);
    tape->no_grad = true;
    REFUSED(nn_pretrained_cache(&gpt2, NULL, 1, 1), init,
            "the cache is NULL; expected a KVCache to fill");
    REFUSED(nn_pretrained_cache(&bert, &cache, 1, 1), init,
            "a bert does not write texts; expected a decoder, as gpt2, llama or t5");
    REFUSED(nn_pretrained_cache(&gpt2, &cache, 1, 209), init,
            "209 tokens; expected at most 208, as ");
    REFUSED(nn_pretrained_cache(&gpt2, &cache, 0, 8), init, "0 sequences");
    REFUSED(nn_pretrained_cache(&gpt2, &cache, 1, 0), init, "0 tokens");
    CHECK(!cache.keys_values && !cache.length, "a refused cache has memory");
    REQUIRE(nn_pretrained_cache(&gpt2, &cache, 1, 4), "%s", tensor_error());
    poison(nn_pretrained_logits_cached(&gpt2, ids_of(1, 2), NULL), cached,
           "the cache is NULL or empty");
    poison(nn_pretrained_logits_cached(&llama, ids_of(1, 2), &none), cached,
           "the cache is NULL or empty");
    poison(nn_pretrained_logits_cached(&bert, ids_of(1, 2), &cache), cached,
           "a bert does not write texts; expected a decoder, as gpt2, llama or t5");
    poison(nn_pretrained_logits_cached(&gpt2, ids_of(1, 5), &cache), cached,
           "5 new tokens after 0");
    poison(nn_pretrained_logits_cached(&gpt2, ids_of(2, 2), &cache), cached,
           "x is (2, 2, 4), with 1 heads; expected (1, T, 4)");
    poison(nn_pretrained_logits_cached(&gpt2, ids_of(1, 0), &cache), cached,
           "0 tokens; expected 1 or more");
    poison(nn_pretrained_logits_cached(&llama, ids_of(1, 2), &cache), cached,
           "x is (1, 2, 12), with 1 heads; expected (1, T, 4)");
    nn_cache_free(&cache);
    nn_pretrained_free(&bert);
    nn_pretrained_free(&gpt2);
    nn_pretrained_free(&llama);
    tape_free(tape);
}

/* An encoder-decoder writes only after it has read, and a model without a decoder does neither. */
static void encoder_decoders(void)
{
    Pretrained t5, bert;
    KVCache cache = {0};
    static const char decode[] = "nn_pretrained_decode", read[] = "nn_pretrained_read";
    const int too_long[] = {2, 4};
    REQUIRE(load(&t5, "t5") && load(&bert, "bert-words"), "no models");
    tape = tape_new(1);
    Tensor *memory = tape_full(tape, 0, shape3(1, 3, t5.config.channels));
    poison(nn_pretrained_decode(&bert, ids_of(1, 2), memory, NULL, NULL), decode,
           "a bert has no decoder beside an encoder; expected t5, bart or marian");
    poison(nn_pretrained_decode(&t5, NULL, memory, NULL, NULL), decode, "ids is NULL");
    poison(nn_pretrained_decode(&t5, ids_of(1, 2), tape_full(tape, 0, shape3(1, 3, 4)), NULL, NULL),
           decode, "memory is (1, 3, 4)");
    tape_reset(tape);
    poison(nn_pretrained_decode(&t5, ids_of(1, 2), NULL, NULL, NULL), decode, "memory is NULL");
    tape_reset(tape);
    tape->no_grad = true;
    REFUSED(nn_pretrained_read(&bert, ids_of(1, 2), NULL), read, "a bert has no decoder");
    REFUSED(nn_pretrained_read(&t5, NULL, NULL), read, "ids is NULL");
    REFUSED(nn_pretrained_read(&t5, ids_of(2, 3), too_long), read,
            "4 tokens in row 1; expected 0 to 3");
    REQUIRE(nn_pretrained_cache(&t5, &cache, 1, 4), "%s", tensor_error());
    poison(nn_pretrained_logits_cached(&t5, ids_of(1, 1), &cache), "nn_pretrained_logits_cached",
           "no input was read; expected a call of nn_pretrained_read before it");
    CHECK(nn_pretrained_read(&t5, ids_of(1, 3), NULL), "%s", tensor_error());
    CHECK(!tensor_is_poison(nn_pretrained_logits_cached(&t5, ids_of(1, 1), &cache)), "%s",
          tensor_error());
    nn_cache_free(&cache);
    nn_pretrained_free(&t5);
    nn_pretrained_free(&bert);
    tape_free(tape);
}

/* ---- summaries ------------------------------------------------------------------------------- */

static void summary(const char *name, const char *expected)
{
    Pretrained m;
    char text[1000];
    FILE *out = tmpfile();
    REQUIRE(out && load(&m, name), "no file or no model");
    nn_pretrained_summary(NULL, &m);
    CHECK_REFUSAL("nn_pretrained_summary", "out is NULL; expected an open file");
    nn_pretrained_summary(out, &m);
    rewind(out);
    text[fread(text, 1, sizeof text - 1, out)] = 0;
    CHECK_TEXT(text, expected);
    fclose(out);
    nn_pretrained_free(&m);
}

/* The sizes are those of config.json. How many numbers model.safetensors has, its own header says:
 * 938 in 42 tensors, 1896 in 20, 2541 in 40; query, key and value of a layer are one weight
 * here. */
static void summaries(void)
{
    summary("bert-words",
            "bert: 2 layers of 3 heads, 6 channels, feed-forward of 7, 30 tokens, texts of at most "
            "12\n938 parameters in 34 weights; heads: language model\n");
    summary("llama",
            "llama: 2 layers of 2 heads, 12 channels, feed-forward of 9, 1 heads of keys and "
            "values, 27 tokens, texts of at most 208\n"
            "1896 parameters in 16 weights; heads: language model\n");
    summary("vit-classes",
            "vit: 2 layers of 3 heads, 12 channels, feed-forward of 9, pictures of 8 x 8 in "
            "patches of 4\n2541 parameters in 32 weights; heads: classifier\n");
}

static const TestCase cases[] = {
    {"no model", no_model},
    {"no folder", no_folder},
    {"inputs of texts", inputs_of_texts},
    {"inputs of pictures", inputs_of_pictures},
    {"heads", heads},
    {"caches", caches},
    {"encoder-decoders", encoder_decoders},
    {"summaries", summaries},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("pretrained_calls", cases, argc, argv);
}
