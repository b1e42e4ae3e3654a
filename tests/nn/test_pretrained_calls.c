/* test_pretrained_calls.c: wrong calls of the functions of pretrained.h, each refused with an error
 * that names the function, what was found and what was expected; and what a summary says. */
#include "tests/harness/test.h"
#include "tests/nn/pretrained_folders.h"

#include "nn/pretrained/pretrained.h"

#include <stdlib.h>
#include <string.h>

static bool load(Pretrained *m, const char *name)
{
    return CHECK(nn_pretrained_load(fixture_path(name, NULL), m), "%s", tensor_error());
}

static Tape *tape;

static Tensor *ids_of(int64_t B, int64_t T)
{
    static const int32_t zeros[64];
    return tape_ids(tape, zeros, shape2(B, T));
}

/* ---- no model -------------------------------------------------------------------------------- */

TEST(no_model_and_no_folder)
{
    static char path[5000];
    Pretrained m = {0};
    KVCache cache = {0};
    FILE *out = tmpfile();
    static const char part[] = "the model is not loaded; expected one that nn_pretrained_load has";
    REQUIRE(out, "no file");
    tape = tape_new(1);
    REFUSES_ON(tape, nn_pretrained_run, part, &m, ids_of(1, 2), NULL, NULL, NULL);
    REFUSES_ON(tape, nn_pretrained_logits, part, &m, tape_full(tape, 0, shape3(1, 2, 6)));
    REFUSES_ON(tape, nn_pretrained_classify, part, &m, tape_full(tape, 0, shape3(1, 2, 6)));
    REFUSES_ON(tape, nn_pretrained_logits_cached, part, &m, ids_of(1, 2), &cache);
    REFUSES(nn_pretrained_cache, part, &m, &cache, 1, 1);
    nn_pretrained_summary(out, &m);
    CHECK_REFUSAL("nn_pretrained_summary", part);
    CHECK(ftell(out) == 0 && !cache.keys_values, "something was written or allocated");
    memset(path, 'a', sizeof path - 1);
    CHECK(!nn_pretrained_load(path, &m), "a name of 4999 bytes");
    CHECK_ERROR("nn_pretrained_load: aaa");
    CHECK(!m.params && !m.folder, "something is left");
    tape_free(tape);
    fclose(out);
}

/* ---- texts and pictures ---------------------------------------------------------------------- */

TEST(inputs_of_texts)
{
    Pretrained m;
    int32_t number = 0;
    REQUIRE(load(&m, "bert-words"), "no model");
    tape = tape_new(1);
    Tensor *own = tensor_new(shape2(1, 2));
    REFUSES_ON(tape, nn_pretrained_run, "found (1, 2); expected ids (B, T) on a tape", &m,
               tape_full(tape, 0, shape2(1, 2)), NULL, NULL, NULL);
    REFUSES_ON(tape, nn_pretrained_run, "found (1,)", &m, tape_ids(tape, &number, shape1(1)), NULL,
               NULL, NULL);
    REFUSES_ON(tape, nn_pretrained_run, "found (1, 2)", &m, own, NULL, NULL, NULL);
    REFUSES_ON(tape, nn_pretrained_run, "13 tokens; expected at most 12", &m, ids_of(1, 13), NULL,
               NULL, NULL);
    REFUSES_ON(tape, nn_pretrained_run, "types are (1, 1); expected ids (1, 2) or none", &m,
               ids_of(1, 2), ids_of(1, 1), NULL, NULL);
    REFUSES_ON(tape, nn_pretrained_run, "(1, 3)", &m, ids_of(1, 2), NULL, ids_of(1, 3), NULL);
    CHECK(tensor_is_poison(nn_pretrained_run(&m, tensor_poison(), NULL, NULL, NULL)), "poison");
    CHECK_NO_ERROR(); /* the first error is the one that made it */
    tensor_free(own);
    nn_pretrained_free(&m);
    tape_free(tape);
}

TEST(inputs_of_pictures)
{
    Pretrained m;
    static const int32_t zeros[3 * 8 * 8];
    REQUIRE(load(&m, "vit-classes"), "no model");
    tape = tape_new(1);
    REFUSES_ON(tape, nn_pretrained_run, "found ids (1, 3); expected pictures (B, 3, 8, 8), as ", &m,
               ids_of(1, 3), NULL, NULL, NULL);
    REFUSES_ON(tape, nn_pretrained_run, "found (1, 3, 9, 8)", &m,
               tape_full(tape, 0, shape4(1, 3, 9, 8)), NULL, NULL, NULL);
    REFUSES_ON(tape, nn_pretrained_run, "found (3, 8, 8); expected pictures", &m,
               tape_full(tape, 0, shape3(3, 8, 8)), NULL, NULL, NULL);
    REFUSES_ON(tape, nn_pretrained_run, "found ids (1, 3, 8, 8)", &m,
               tape_ids(tape, zeros, shape4(1, 3, 8, 8)), NULL, NULL, NULL);
    REFUSES_ON(tape, nn_pretrained_run, "types or lengths of pictures; expected none", &m,
               tape_full(tape, 0, shape4(1, 3, 8, 8)), NULL, ids_of(1, 1), NULL);
    nn_pretrained_free(&m);
    tape_free(tape);
}

TEST(heads)
{
    Pretrained words, classes, deit;
    REQUIRE(load(&words, "bert-words") && load(&classes, "bert-classes") &&
                load(&deit, "deit-teacher"),
            "no models");
    tape = tape_new(1);
    const int64_t D = classes.config.channels, E = deit.config.channels;
    REFUSES_ON(tape, nn_pretrained_logits, "bert-classes has no language-model head; expected",
               &classes, tape_full(tape, 0, shape3(1, 2, D)));
    REFUSES_ON(tape, nn_pretrained_classify, "has no classifier", &words,
               tape_full(tape, 0, shape3(1, 3, words.config.channels)));
    REFUSES_ON(tape, nn_pretrained_classify, "x is (1, 2, 5)", &classes,
               tape_full(tape, 0, shape3(1, 2, D + 1)));
    REFUSES_ON(tape, nn_pretrained_classify, "x has 0 tokens; expected at least 1", &classes,
               tape_full(tape, 0, shape3(1, 0, D)));
    REFUSES_ON(tape, nn_pretrained_classify, "x has 1 tokens; expected at least 2", &deit,
               tape_full(tape, 0, shape3(1, 1, E)));
    nn_pretrained_free(&words);
    nn_pretrained_free(&classes);
    nn_pretrained_free(&deit);
    tape_free(tape);
}

/* ---- token by token -------------------------------------------------------------------------- */

TEST(caches)
{
    Pretrained bert, gpt2, llama;
    KVCache cache = {0}, none = {0};
    REQUIRE(load(&bert, "bert-words") && load(&gpt2, "gpt2") && load(&llama, "llama"), "no models");
    tape = tape_new(1);
    tape->no_grad = true;
    static const char encoder[] =
        "found a bert; expected one that writes texts, as gpt2, llama or t5";
    REFUSES(nn_pretrained_cache, encoder, &bert, &cache, 1, 1);
    REFUSES(nn_pretrained_cache, "209 tokens; expected at most 208, as ", &gpt2, &cache, 1, 209);
    REFUSES(nn_pretrained_cache, "0 sequences", &gpt2, &cache, 0, 8);
    REFUSES(nn_pretrained_cache, "0 tokens", &gpt2, &cache, 1, 0);
    CHECK(!cache.keys_values && !cache.length, "a refused cache has memory");
    REQUIRE(nn_pretrained_cache(&gpt2, &cache, 1, 4), "%s", tensor_error());
    REFUSES_ON(tape, nn_pretrained_logits_cached, "the cache is NULL or empty", &gpt2, ids_of(1, 2),
               NULL);
    REFUSES_ON(tape, nn_pretrained_logits_cached, "the cache is NULL or empty", &llama,
               ids_of(1, 2), &none);
    REFUSES_ON(tape, nn_pretrained_logits_cached, encoder, &bert, ids_of(1, 2), &cache);
    REFUSES_ON(tape, nn_pretrained_logits_cached, "5 new tokens after 0", &gpt2, ids_of(1, 5),
               &cache);
    REFUSES_ON(tape, nn_pretrained_logits_cached,
               "x is (2, 2, 4), with 1 heads; expected (1, T, 4)", &gpt2, ids_of(2, 2), &cache);
    REFUSES_ON(tape, nn_pretrained_logits_cached, "0 tokens; expected 1 or more", &gpt2,
               ids_of(1, 0), &cache);
    REFUSES_ON(tape, nn_pretrained_logits_cached,
               "x is (1, 2, 12), with 1 heads; expected (1, T, 4)", &llama, ids_of(1, 2), &cache);
    nn_cache_free(&cache);
    nn_pretrained_free(&bert);
    nn_pretrained_free(&gpt2);
    nn_pretrained_free(&llama);
    tape_free(tape);
}

/* An encoder-decoder writes only after it has read, and a model without a decoder does neither. */
TEST(encoder_decoders)
{
    Pretrained t5, bert;
    KVCache cache = {0};
    const int too_long[] = {2, 4};
    REQUIRE(load(&t5, "t5") && load(&bert, "bert-words"), "no models");
    tape = tape_new(1);
    REFUSES_ON(tape, nn_pretrained_decode,
               "found a bert; expected a model with an encoder and a decoder: t5, bart or marian",
               &bert, ids_of(1, 2), tape_full(tape, 0, shape3(1, 3, 4)), NULL, NULL);
    REFUSES_ON(tape, nn_pretrained_decode, "memory is (1, 3, 4)", &t5, ids_of(1, 2),
               tape_full(tape, 0, shape3(1, 3, 4)), NULL, NULL);
    tape_reset(tape);
    REFUSES(nn_pretrained_read, "the tape records gradients", &t5, ids_of(1, 2), NULL);
    tape_reset(tape);
    tape->no_grad = true;
    REFUSES(nn_pretrained_read, "found a bert", &bert, ids_of(1, 2), NULL);
    REFUSES(nn_pretrained_read, "length 4 of sequence 1; expected 0 to 3", &t5, ids_of(2, 3),
            too_long);
    REQUIRE(nn_pretrained_cache(&t5, &cache, 1, 4), "%s", tensor_error());
    REFUSES_ON(tape, nn_pretrained_logits_cached,
               "no input was read; expected a call of nn_pretrained_read before it", &t5,
               ids_of(1, 1), &cache);
    tape_reset(tape);
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
    REQUIRE(load(&m, name), "no model");
    CHECK_TEXT(summary_of(&m), expected);
    nn_pretrained_free(&m);
}

/* The sizes are those of config.json. How many numbers model.safetensors has, its own header says:
 * 938 in 42 tensors, 1896 in 20, 2541 in 40; query, key and value of a layer are one weight
 * here. */
TEST(summaries)
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
