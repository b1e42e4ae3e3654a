/* test_pretrained_errors.c: folders of pretrained models that are refused, each with an error that
 * names file and key. The folders are copies of golden/pretrained with one change. */
#include "tests/harness/test.h"
#include "tests/nn/pretrained_folders.h"

#include "nn/pretrained/pretrained.h"
#include "tensor/io/disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *fixture, *from, *to, *error;
} bad[] = {
    {"bert-words", "\"model_type\": \"bert\"", "\"model_type\": \"xlnet\"",
     "config.json: model_type is xlnet; expected bert"},
    {"t5-gated", "\"gated-gelu\"", "\"gated-mish\"",
     "feed_forward_proj is 'mish'; expected gelu, gelu_new"},
    {"t5", "\"relative_attention_num_buckets\": 8", "\"relative_attention_num_buckets\": 6",
     "config.json: relative_attention_num_buckets is 6 and relative_attention_max_distance 5; "
     "expected a multiple of 4, and a distance above half of it"},
    {"t5", "\"relative_attention_max_distance\": 5", "\"relative_attention_max_distance\": 4",
     "relative_attention_num_buckets is 8 and relative_attention_max_distance 4; expected"},
    {"t5", "\"relative_attention_max_distance\": 5", "\"relative_attention_max_distance\": 0",
     "relative_attention_max_distance is 0; expected a whole number from 1 to 16777216"},
    {"t5", "\"relative_attention_max_distance\": 5",
     "\"relative_attention_max_distance\": 16777217",
     "relative_attention_max_distance is 1.67772e+07; expected a whole number from 1 to 16777216"},
    {"bart", "\"decoder_ffn_dim\": 4", "\"decoder_ffn_dim\": 5", "expected the encoder's"},
    {"marian", "\"share_encoder_decoder_embeddings\": true",
     "\"share_encoder_decoder_embeddings\": false",
     "share_encoder_decoder_embeddings is false; expected true"},
    {"gpt-neox", "\"partial_rotary_factor\": ", "\"partial_rotary_factor\": 1", "rotary_pct is 1"},
    {"gemma3", "\"attn_logit_softcapping\": null", "\"attn_logit_softcapping\": 50",
     "attn_logit_softcapping is another value; expected none"},
    {"gemma3", "\"full_attention\"]", "\"chunked_attention\"]",
     "layer_types[1] is 'chunked_attention'; expected full_attention or sliding_attention"},
    {"modernbert-words", "\"classifier_bias\": false", "\"classifier_bias\": true",
     "classifier_bias is true; expected false"},
    {"bert-words", "\"model_type\": \"bert\"", "\"model\": \"bert\"",
     "config.json: model_type is missing"},
    {"bert-words", "\"model_type\": \"bert\"", "\"model_type\": \"distilbert\"",
     "config.json: n_layers is missing"},
    {"bert-words", "\"hidden_act\": \"gelu\"", "\"hidden_act\": \"mish\"",
     "config.json: hidden_act is 'mish'; expected gelu"},
    {"bert-words", "\"is_decoder\": false", "\"is_decoder\": true",
     "config.json: is_decoder is true; expected false"},
    {"bert-words", "\"is_decoder\": false", "\"position_embedding_type\": \"relative_key\"",
     "position_embedding_type is relative_key; expected absolute"},
    {"bert-words", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3",
     "has no 'bert.encoder.layer.2.attention.self.query.weight' (6, 6); expected it, with"},
    {"bert-words", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1",
     "has 'bert.encoder.layer.1.attention.output.LayerNorm.bias'; expected tensors of a bert with"},
    {"bert-words", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1.5",
     "num_hidden_layers is 1.5; expected a whole"},
    {"bert-words", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": -2",
     "num_hidden_layers is -2; expected a whole"},
    {"bert-words", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": \"2\"",
     "num_hidden_layers is no number"},
    {"bert-words", "\"vocab_size\": ", "\"vocab_size\": 4000000, \"x\": ",
     "'bert.embeddings.word_embeddings.weight' is (30, 6), with "},
    {"marian",
     "\"d_model\": ", "\"d_model\": 131072, \"x\": ", "'model.shared.weight' is (13, 4), with "},
    {"llama", "\"eos_token_id\": ", "\"eos_token_id\": 1e300, \"x\": ",
     "config.json: eos_token_id is 1e+300; expected a whole number from -1"},
    {"bert-words", "\"max_position_embeddings\": 12", "\"max_position_embeddings\": 13",
     "'bert.embeddings.position_embeddings.weight' is (12,"},
    {"bert-words", "\"layer_norm_eps\"", "\"layer_norm_eps\": 0, \"x\"",
     "layer_norm_eps is 0; expected a number above 0"},
    {"gpt2", "\"scale_attn_weights\": true", "\"scale_attn_weights\": false",
     "scale_attn_weights is false"},
    {"llama", "\"rope_type\": \"default\"", "\"rope_type\": \"yarn\"",
     "rope_parameters.rope_type is 'yarn'"},
    {"vit-classes", "\"image_size\": 8", "\"image_size\": 12",
     "'vit.embeddings.position_embeddings' is (1,"},
    {"vit-classes", "\"image_size\": 8", "\"image_size\": 3",
     "config.json: image_size is 3; expected at least the patch_size, 4"},
    {"bert-words", "\"num_attention_heads\": 3", "\"num_attention_heads\": 4",
     "hidden_size is 6 and num_attention_heads 4; expected a multiple of the latter"},
    {"roberta-classes", "\"max_position_embeddings\": 12", "\"max_position_embeddings\": 2",
     "max_position_embeddings is 2; expected more than 2, where RoBERTa's positions begin"},
    {"llama", "\"head_dim\": 6", "\"head_dim\": 5",
     "5 of the head_dim, 5, are rotated; expected an even number from 2 on"},
    {"llama", "\"num_key_value_heads\": 1", "\"num_key_value_heads\": 3",
     "num_attention_heads is 2 and num_key_value_heads 3; expected a multiple of the latter"},
    {"llama", "\"eos_token_id\": 2", "\"eos_token_id\": [\"a\", 2]",
     "eos_token_id is no number; expected one from -1"},
    {"llama-biased", "\"low_freq_factor\": 1.0", "\"low_freq_factor\": 4.0",
     "low_freq_factor is 4 and high_freq_factor 4; expected the former to be smaller"},
    {"bert-words", "\"hidden_dropout_prob\": 0.1", "\"hidden_dropout_prob\": 1",
     "hidden_dropout_prob is 1; expected 0 or more, and less than 1"},
    {"bert-words", "\"hidden_dropout_prob\": 0.1", "\"hidden_dropout_prob\": -0.5",
     "hidden_dropout_prob is -0.5; expected 0 or more, and less than 1"},
    {"distilbert-words", "\"dropout\": 0.1", "\"dropout\": \"no\"",
     "dropout is no number; expected 0 or more, and less than 1"},
    {"bert-words", "\"layer_norm_eps\"", "\"layer_norm_eps\": \"small\", \"x\"",
     "layer_norm_eps is no number; expected a number above 0"},
    {"bert-words", "\"hidden_act\": \"gelu\"", "\"hidden_act\": 5",
     "hidden_act is no text; expected gelu"},
    {"bert-words", "\"tie_word_embeddings\": true", "\"tie_word_embeddings\": \"false\"",
     "tie_word_embeddings is neither true nor false; expected one of them"},
    {"llama", "\"rope_type\": \"default\"", "\"rope_type\": 5",
     "rope_parameters.rope_type is no text; expected default, linear or llama3"},
};

TEST(refused)
{
    Pretrained m;
    const char *shorter =
        changed_config("t5", "\"relative_attention_max_distance\": 5", "\"x\": 5");
    CHECK(nn_pretrained_load(shorter, &m) && m.config.farthest == 128, "%lld: %s",
          (long long)m.config.farthest, tensor_error());
    nn_pretrained_free(&m);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *folder = changed_config(bad[i].fixture, bad[i].from, bad[i].to);
        REFUSES(nn_pretrained_load, bad[i].error, folder, &m);
        CHECK(!m.params && !m.encoder.blocks, "something is left");
    }
    const char *broken =
        changed_config("bert-words", "\"is_decoder\": false,", "\"is_decoder\": false");
    CHECK(!nn_pretrained_load(broken, &m), "a comma is missing");
    CHECK_ERROR("config.json: byte");
    CHECK(!nn_pretrained_load(scratch_path("absent"), &m), "no folder");
    CHECK_ERROR("absent/config.json: cannot open");
}

/* Values that transformers' configurations take, and what they mean there. */
TEST(accepted)
{
    static const struct {
        const char *fixture, *from, *to;
        double dropout;
        int end;
    } good[] = {
        {"bert-words", "\"hidden_dropout_prob\": 0.1", "\"hidden_dropout_prob\": 0.0", 0, -1},
        {"bert-words", "\"hidden_dropout_prob\": 0.1", "\"x\": 0.0", 0.1, -1},
        {"distilbert-words", "\"dropout\": 0.1", "\"dropout\": 0.25", 0.25, -1},
        {"gpt2", "\"eos_token_id\": 0", "\"eos_token_id\": 7", 0, 7},
        {"gpt2", "\"eos_token_id\": 0", "\"eos_token_id\": null", 0, -1},
        {"gpt2", "\"eos_token_id\": 0", "\"x\": 0", 0, 50256},
        {"llama", "\"eos_token_id\": 2", "\"eos_token_id\": [5, 2]", 0, 5},
        {"llama", "\"eos_token_id\": 2", "\"eos_token_id\": null", 0, -1},
        {"llama", "\"eos_token_id\": 2", "\"x\": 2", 0, 2},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        Pretrained m;
        const char *folder = changed_config(good[i].fixture, good[i].from, good[i].to);
        if (!CHECK(nn_pretrained_load(folder, &m), "%s", tensor_error()))
            continue;
        CHECK(m.config.dropout == good[i].dropout, "%s: a dropout of %g", good[i].to,
              m.config.dropout);
        CHECK(m.config.end == good[i].end, "%s: the end is %d", good[i].to, m.config.end);
        nn_pretrained_free(&m);
    }
}

static void *no_map(int file, size_t bytes)
{
    (void)file, (void)bytes;
    errno = ENODEV;
    return NULL;
}

/* A file system without mappings: the numbers are read. */
TEST(files_that_cannot_be_mapped)
{
    Disk disk = disk_system;
    Pretrained mapped, read;
    disk.map = no_map;
    disk_use(&disk);
    bool ok = nn_pretrained_load(fixture_path("gpt2", NULL), &read);
    disk_use(NULL);
    REQUIRE(ok && nn_pretrained_load(fixture_path("gpt2", NULL), &mapped), "%s", tensor_error());
    for (int i = 0; i < mapped.params->count; i++)
        CHECK_TENSOR(mapped.params->weight[i], read.params->weight[i], 0, 0);
    nn_pretrained_free(&mapped);
    nn_pretrained_free(&read);
}

TEST(weights_that_are_none)
{
    static char text[400000];
    char path[2000];
    Pretrained m;
    const char *folder =
        changed_config("bert-words", "\"is_decoder\": false", "\"is_decoder\": false");
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    long n = scratch_read(path, text, sizeof text);
    CHECK(scratch_write(path, text, (size_t)n - 4), "cannot write");
    REFUSES(nn_pretrained_load, "model.safetensors: tensor '", folder, &m);
    remove(path);
    REFUSES(nn_pretrained_load, "found no weights; expected model.safetensors", folder, &m);
    static const struct {
        const char *index, *error;
    } indexes[] = {
        {"{\"weight_map\":{\"a\":\"../model.safetensors\"}}",
         "gives 'a' the file '../model.safetensors'"},
        {"{\"weight_map\":{\"a\":\"..\"}}", "gives 'a' the file '..'"},
        {"{\"weight_map\":{\"a\":\"b\\\\c\"}}", "gives 'a' the file 'b\\c'"},
        {"{\"weight_map\":{\"a\":5}}", "gives 'a' the file '?'"},
        {"{\"weight_map\":{}}", "weight_map is no object, or empty; expected an object"},
        {"{\"weight_map\":[]}", "weight_map is no object, or empty; expected an object"},
        {"{}", "weight_map is missing"},
        {"{\"weight_map\":{\"a\":\"b.safetensors\"}}", "b.safetensors: cannot open"},
    };
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
        snprintf(path, sizeof path, "%s/model.safetensors.index.json", folder);
        CHECK(scratch_write(path, indexes[i].index, strlen(indexes[i].index)), "cannot write");
        CHECK(!nn_pretrained_load(folder, &m), "%s is taken", indexes[i].index);
        CHECK_ERROR(indexes[i].error);
    }
    /* A link to itself cannot be looked up, and is not taken for a file that is missing. */
    static const char *const files[] = {"model.safetensors.index.json", "model.safetensors",
                                        "pytorch_model.bin"};
    for (int i = 0; i < 3; i++) {
        char error[100];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        snprintf(error, sizeof error, "/%s: ", files[i]);
        remove(path);
        CHECK(symlink(files[i], path) == 0, "no link");
        CHECK(!nn_pretrained_load(folder, &m), "%s is taken", files[i]);
        CHECK_ERROR(error);
        remove(path);
    }
}

/* Tensors that belong to another model, and heads that are not built. */
TEST(strange_weights)
{
    static const char *const strange[] = {"transformer.h.x.attn.bias", "h..attn.bias",
                                          "transformer.h.0.attn.bia", "rotary_emb.inv_freq"};
    Pretrained m;
    char part[200];
    for (int i = 0; i < 4; i++) {
        Tensor *t = tensor_new(shape2(2, 2));
        tensor_set_name(t, "%s", strange[i]);
        const char *folder = changed_weights("gpt2", NULL, &t, 1);
        snprintf(part, sizeof part, "has '%s'; expected tensors of a gpt2 with ", strange[i]);
        REFUSES(nn_pretrained_load, part, folder, &m);
        tensor_free(t);
    }
    REFUSES(nn_pretrained_load,
            "has no 'model.layers.0.self_attn.q_proj.weight' (12, 12); expected",
            changed_weights("llama", "q_proj", NULL, 0), &m);
    const char *folder = changed_weights("bert-classes", "pooler", NULL, 0);
    REFUSES(nn_pretrained_load, "config.json: a classifier of single tokens", folder, &m);
    CHECK(!m.params && !m.files, "something is left");
}
