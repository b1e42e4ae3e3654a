/* config.c: what each family is, and its config.json in the terms of this library. Every family has
 * its own keys; a value that would change what is computed and is not built here is an error
 * (reading.c). */
#include "nn/pretrained/inside.h"

#include "tensor/memory.h"

#include <math.h>
#include <string.h>

/* The sizes under the keys of most families. */
static void read_usual_sizes(Reading *r, PretrainedConfig *c)
{
    read_sizes(r, c, "num_hidden_layers", "hidden_size", "num_attention_heads",
               "intermediate_size");
}

/* Devlin et al., "BERT" (2019); Liu et al., "RoBERTa" (2019), whose positions begin after the id of
 * padding. */
static void read_bert(Reading *r, PretrainedConfig *c)
{
    read_usual_sizes(r, c);
    c->positions = read_whole(r, "max_position_embeddings", 1, 1 << 20, 0);
    c->types = read_whole(r, "type_vocab_size", 1, 1 << 10, 2);
    c->activation = read_activation(r, "hidden_act", "gelu");
    c->epsilon = read_positive(r, r->root, "layer_norm_eps", 1e-12);
    c->dropout = read_dropout(r, "hidden_dropout_prob");
    bool after_pad = family_has(c, POSITIONS_AFTER_PAD);
    c->pad = (int)read_whole(r, "pad_token_id", 0, 1 << 22, after_pad ? 1 : 0);
    read_only(r, "position_embedding_type", "absolute");
    read_only(r, "is_decoder", "false");
    read_only(r, "add_cross_attention", "false");
    if (after_pad)
        c->position_offset = c->pad + 1;
    REFUSE_IF(r, c->position_offset >= c->positions,
              "max_position_embeddings is %lld; expected more than %lld, where "
              "RoBERTa's positions begin",
              (long long)c->positions, (long long)c->position_offset);
}

/* Sanh et al., "DistilBERT" (2019): no types, no pooler, and an epsilon that is not in the file. */
static void read_distilbert(Reading *r, PretrainedConfig *c)
{
    read_sizes(r, c, "n_layers", "dim", "n_heads", "hidden_dim");
    c->positions = read_whole(r, "max_position_embeddings", 1, 1 << 20, 0);
    c->activation = read_activation(r, "activation", "gelu");
    c->epsilon = 1e-12;
    c->dropout = read_dropout(r, "dropout");
    c->pad = (int)read_whole(r, "pad_token_id", 0, 1 << 22, 0);
}

/* Radford et al., "Language models are unsupervised multitask learners" (2019). n_inner null means
 * 4 n_embd. */
static void read_gpt2(Reading *r, PretrainedConfig *c)
{
    read_sizes(r, c, "n_layer", "n_embd", "n_head", NULL);
    c->hidden = read_whole(r, "n_inner", 1, 1 << 20, 4 * c->channels);
    c->words = read_whole(r, "vocab_size", 1, 1 << 22, 50257);
    c->positions = read_whole(r, "n_positions", 1, 1 << 20, 1024);
    c->activation = read_activation(r, "activation_function", "gelu_new");
    c->epsilon = read_positive(r, r->root, "layer_norm_epsilon", 1e-5);
    c->end = read_end(r, c, json_get(r->root, "eos_token_id") ? -1 : 50256);
    read_only(r, "scale_attn_weights", "true");
    read_only(r, "scale_attn_by_inverse_layer_idx", "false");
    read_only(r, "add_cross_attention", "false");
}

/* Dosovitskiy et al., "An image is worth 16x16 words" (2021); Touvron et al., "DeiT" (2021). */
static void read_vit(Reading *r, PretrainedConfig *c)
{
    read_usual_sizes(r, c);
    c->image = read_whole(r, "image_size", 1, 1 << 14, 224);
    c->patch = read_whole(r, "patch_size", 1, 1 << 10, 16);
    c->colours = read_whole(r, "num_channels", 1, 64, 3);
    c->activation = read_activation(r, "hidden_act", "gelu");
    c->epsilon = read_positive(r, r->root, "layer_norm_eps", 1e-12);
    c->no_bias = read_flag(r, "qkv_bias", true) ? 0 : NO_BIAS_IN;
    read_only(r, "pooler_act", "tanh");
    REFUSE_IF(r, c->image < c->patch, "image_size is %lld; expected at least the patch_size, %lld",
              (long long)c->image, (long long)c->patch);
}

/* Touvron et al., "LLaMA" (2023); Mistral and Qwen 2 differ in key heads, biases and a window. */
static void read_llama(Reading *r, PretrainedConfig *c)
{
    bool qwen2 = strcmp(c->type, "qwen2") == 0, qwen = qwen2 || strcmp(c->type, "qwen3") == 0;
    read_usual_sizes(r, c);
    c->kv_heads = (int)read_whole(r, "num_key_value_heads", 1, 1 << 12, c->heads);
    c->head_size = read_whole(r, "head_dim", 1, 1 << 12, c->head_size);
    c->positions = read_whole(r, "max_position_embeddings", 1, 1 << 24, 2048);
    c->activation = read_activation(r, "hidden_act", "silu");
    c->gated = true;
    c->epsilon = read_positive(r, r->root, "rms_norm_eps", 1e-6);
    if (strcmp(c->type, "qwen3") == 0)
        c->qk_epsilon = c->epsilon;
    bool attention = read_flag(r, "attention_bias", false);
    c->no_bias = (qwen2 || attention ? 0 : NO_BIAS_IN) | (attention ? 0 : NO_BIAS_OUT) |
                 (read_flag(r, "mlp_bias", false) ? 0 : NO_BIAS_FEEDFORWARD);
    c->end =
        read_end(r, c, json_get(r->root, "eos_token_id") || qwen ? -1 : 2); /* as transformers */
    REFUSE_IF(r, c->heads % c->kv_heads != 0,
              "num_attention_heads is %d and num_key_value_heads %d; expected a multiple of the "
              "latter",
              c->heads, c->kv_heads);
    /* A window of keys is as good as none while texts are no longer; longer ones are refused. */
    if (qwen ? read_flag(r, "use_sliding_window", false) : strcmp(c->type, "mistral") == 0) {
        int64_t window = read_whole(r, "sliding_window", 1, 1 << 24, c->positions);
        c->positions = window < c->positions ? window : c->positions;
    }
    c->rotated = c->head_size;
    c->frequency = read_rotary(r, c, read_rope(r), read_positive(r, r->root, "rope_theta", 10000));
}

/* Gemma team, "Gemma 3" (2025): its layers look at a window but every sixth, and normalise queries,
 * keys and the output of each branch. */
static void read_gemma3(Reading *r, PretrainedConfig *c)
{
    read_llama(r, c);
    c->end = read_end(r, c, 1);
    c->activation =
        read_activation(r, "hidden_activation",
                        c->activation == ACTIVATION_GELU ? "gelu" : "gelu_pytorch_tanh");
    c->embedding_scale = sqrt((double)c->channels);
    read_only(r, "use_bidirectional_attention", "false");
    read_only(r, "attn_logit_softcapping", "none");
    read_only(r, "final_logit_softcapping", "none");
    c->qk_epsilon = c->epsilon;
    c->branch_norms = true;
    c->query_scale = 1 / sqrt(read_positive(r, r->root, "query_pre_attn_scalar", 256));
    c->window = (int)read_whole(r, "sliding_window", 2, 1 << 24, 4096) - 1; /* without itself */
    read_local(r, c, read_whole(r, "sliding_window_pattern", 1, 1000, 6),
               read_whole(r, "sliding_window_pattern", 1, 1000, 6) - 1);
    const JsonValue *rope = json_get(r->root, "rope_parameters");
    mem_free(c->frequency);
    c->frequency = read_rotary(r, c, json_get(rope, "full_attention"),
                               read_positive(r, r->root, "rope_theta", 1e6));
    c->local_frequency = read_rotary(r, c, json_get(rope, "sliding_attention"),
                                     read_positive(r, r->root, "rope_local_base_freq", 10000));
}

/* Black et al., "GPT-NeoX-20B" (2022); Pythia's models: branches beside each other, and a quarter
 * of each head is rotated. */
static void read_neox(Reading *r, PretrainedConfig *c)
{
    read_usual_sizes(r, c);
    c->positions = read_whole(r, "max_position_embeddings", 1, 1 << 24, 2048);
    c->activation = read_activation(r, "hidden_act", "gelu");
    c->epsilon = read_positive(r, r->root, "layer_norm_eps", 1e-5);
    c->no_bias = read_flag(r, "attention_bias", true) ? 0 : NO_BIAS_IN | NO_BIAS_OUT;
    c->parallel = read_flag(r, "use_parallel_residual", true);
    c->end = read_end(r, c, 2);
    double part = read_positive(r, read_rope(r), "partial_rotary_factor",
                                read_positive(r, r->root, "rotary_pct", 0.25));
    REFUSE_IF(r, part > 1, "rotary_pct is %g; expected at most 1", part);
    c->rotated = r->ok ? (int64_t)((double)c->head_size * part) : 2;
    c->frequency =
        read_rotary(r, c, read_rope(r), read_positive(r, r->root, "rotary_emb_base", 10000));
}

/* Warner et al., "Smarter, better, faster, longer" (2024): pre-norm, rotary, gated, and only every
 * third layer looks at all tokens. */
static void read_modernbert(Reading *r, PretrainedConfig *c)
{
    read_usual_sizes(r, c);
    c->positions = read_whole(r, "max_position_embeddings", 1, 1 << 20, 8192);
    c->activation = read_activation(r, "hidden_activation", "gelu");
    c->gated = true;
    c->epsilon = read_positive(r, r->root, "norm_eps", 1e-5);
    c->dropout = read_dropout(r, "classifier_dropout");
    c->pad = (int)read_whole(r, "pad_token_id", 0, 1 << 22, 50283);
    c->no_bias = (read_flag(r, "attention_bias", false) ? 0 : NO_BIAS_IN | NO_BIAS_OUT) |
                 (read_flag(r, "mlp_bias", false) ? 0 : NO_BIAS_FEEDFORWARD) |
                 (read_flag(r, "norm_bias", false) ? 0 : NO_BIAS_NORM);
    read_only(r, "classifier_activation", "gelu");
    read_only(r, "classifier_bias", "false");
    read_only(r, "decoder_bias", "true");
    c->window = (int)read_whole(r, "local_attention", 2, 1 << 24, 128) / 2;
    read_local(r, c, read_whole(r, "global_attn_every_n_layers", 1, 1000, 3), 0);
    const JsonValue *rope = json_get(r->root, "rope_parameters");
    c->rotated = c->head_size;
    c->frequency = read_rotary(r, c, json_get(rope, "full_attention"),
                               read_positive(r, r->root, "global_rope_theta", 160000));
    c->local_frequency = read_rotary(r, c, json_get(rope, "sliding_attention"),
                                     read_positive(r, r->root, "local_rope_theta", 10000));
}

/* Raffel et al., "Exploring the limits of transfer learning" (2020). Version 1.1 has a gate, and an
 * output of its own whose input is not scaled. Distances have no limit, so texts have none. */
static void read_t5(Reading *r, PretrainedConfig *c)
{
    read_sizes(r, c, "num_layers", "d_model", "num_heads", "d_ff");
    c->decoder_layers = read_whole(r, "num_decoder_layers", 1, 1000, c->layers);
    c->head_size = read_whole(r, "d_kv", 1, 1 << 12, 64);
    c->positions = 1 << 20;
    c->ranges = read_whole(r, "relative_attention_num_buckets", 4, 1 << 16, 32);
    c->farthest = read_whole(r, "relative_attention_max_distance", 1, 1 << 24, 128);
    REFUSE_IF(r, c->ranges % 4 != 0 || c->farthest <= c->ranges / 2,
              "relative_attention_num_buckets is %lld and relative_attention_max_distance %lld; "
              "expected a multiple of 4, and a distance above half of it",
              (long long)c->ranges, (long long)c->farthest);
    c->epsilon = read_positive(r, r->root, "layer_norm_epsilon", 1e-6);
    c->dropout = read_dropout(r, "dropout_rate");
    c->no_bias = NO_BIAS;
    c->query_scale = 1;
    c->end = read_end(r, c, 1);
    c->pad = (int)read_whole(r, "pad_token_id", 0, 1 << 22, 0);
    c->start = (int)read_whole(r, "decoder_start_token_id", 0, 1 << 22, c->pad);
    const char *f = read_text(r, r->root, "feed_forward_proj", "relu", "feed_forward_proj",
                              "a function's name, perhaps with gated- before it");
    c->gated = strncmp(f, "gated-", 6) == 0;
    f += c->gated ? 6 : 0;
    if (c->gated && strcmp(f, "gelu") == 0)
        f = "gelu_new"; /* as transformers reads it */
    c->activation = read_activation_named(r, "feed_forward_proj", f);
    bool scaled = read_flag(r, "scale_decoder_outputs", c->tied);
    c->tied = c->tied && scaled;
    c->output_scale = scaled ? 1 / sqrt((double)c->channels) : 0;
}

/* Lewis et al., "BART" (2020); Junczys-Dowmunt et al., "Marian" (2018), with sinusoids. */
static void read_bart(Reading *r, PretrainedConfig *c)
{
    bool marian = family_has(c, SINUSOIDS);
    read_sizes(r, c, "encoder_layers", "d_model", "encoder_attention_heads", "encoder_ffn_dim");
    c->decoder_layers = read_whole(r, "decoder_layers", 1, 1000, 0);
    c->position_offset = marian ? 0 : 2;
    c->positions = read_whole(r, "max_position_embeddings", 1, 1 << 20, 1024) + c->position_offset;
    c->activation = read_activation(r, "activation_function", "gelu");
    c->epsilon = 1e-5;
    c->dropout = read_dropout(r, "dropout");
    c->embedding_scale = read_flag(r, "scale_embedding", false) ? sqrt((double)c->channels) : 0;
    c->end = read_end(r, c, marian ? 0 : 2);
    c->pad = (int)read_whole(r, "pad_token_id", 0, 1 << 22, 1);
    c->start = (int)read_whole(r, "decoder_start_token_id", 0, 1 << 22, c->end < 0 ? 0 : c->end);
    c->first = (int)read_whole(r, "forced_bos_token_id", -1, 1 << 22, -1);
    c->last = (int)read_whole(r, "forced_eos_token_id", -1, 1 << 22, -1);
    read_only(r, "share_encoder_decoder_embeddings", "true");
    read_only(r, "normalize_before", "false");
    read_only(r, "add_final_layer_norm", "false");
    int64_t heads = read_whole(r, "decoder_attention_heads", 1, 1 << 12, c->heads);
    int64_t hidden = read_whole(r, "decoder_ffn_dim", 1, 1 << 20, c->hidden);
    REFUSE_IF(
        r, heads != c->heads || hidden != c->hidden,
        "decoder_attention_heads is %lld and decoder_ffn_dim %lld; expected the encoder's, %d "
        "and %lld",
        (long long)heads, (long long)hidden, c->heads, (long long)c->hidden);
}

/* ---- the families ---------------------------------------------------------------------------- */

/* A list of names, closed by NULL. */
#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
static const FamilyRules families[] = {
    {NAMES("bert"), read_bert, "bert.", names_bert, PRETRAINED_ENCODER,
     CLASSIFIES | POST_NORM | EMBEDDING_NORM},
    {NAMES("roberta", "xlm-roberta", "camembert"), read_bert, "roberta.", names_roberta,
     PRETRAINED_ENCODER,
     CLASSIFIES | POST_NORM | EMBEDDING_NORM | POSITIONS_AFTER_PAD | TRANSFORM_GELU},
    {NAMES("distilbert"), read_distilbert, "distilbert.", names_distilbert, PRETRAINED_ENCODER,
     CLASSIFIES | POST_NORM | EMBEDDING_NORM | RELU_POOLER},
    {NAMES("modernbert"), read_modernbert, "model.", names_modernbert, PRETRAINED_ENCODER,
     EMBEDDING_NORM | FIRST_IS_NORMED | TRANSFORM_GELU | TRANSFORM_PLAIN},
    {NAMES("gpt2"), read_gpt2, "transformer.", names_gpt2, PRETRAINED_DECODER, 0},
    {NAMES("gpt_neox"), read_neox, "gpt_neox.", names_neox, PRETRAINED_DECODER, UNTIED},
    {NAMES("llama", "mistral", "qwen2", "qwen3"), read_llama, "model.", names_llama,
     PRETRAINED_DECODER, ANY_HEAD_SIZE | RMS_NORM | UNTIED},
    {NAMES("gemma3_text"), read_gemma3, "model.", names_gemma3, PRETRAINED_DECODER,
     ANY_HEAD_SIZE | RMS_NORM},
    {NAMES("t5", "mt5"), read_t5, "", names_t5, PRETRAINED_TRANSLATOR, ANY_HEAD_SIZE | RMS_NORM},
    {NAMES("bart"), read_bart, "model.", names_bart, PRETRAINED_TRANSLATOR,
     POST_NORM | EMBEDDING_NORM},
    {NAMES("marian"), read_bart, "model.", names_bart, PRETRAINED_TRANSLATOR,
     POST_NORM | SINUSOIDS},
    {NAMES("vit"), read_vit, "vit.", names_vit, PRETRAINED_VISION, 0},
    {NAMES("deit"), read_vit, "deit.", names_deit, PRETRAINED_VISION, DISTILLED},
};

bool pretrained_family(PretrainedConfig *c, const char *type, const char *path)
{
    for (size_t i = 0; type && i < sizeof families / sizeof *families; i++)
        for (const char *const *t = families[i].types; *t; t++)
            if (strcmp(*t, type) == 0) {
                c->type = *t;
                c->family = &families[i];
                c->kind = families[i].kind;
                return true;
            }
    return PRETRAINED_FAIL(
        path,
        "model_type is %s; expected bert, roberta, xlm-roberta, camembert, distilbert, "
        "modernbert, gpt2, gpt_neox, llama, mistral, qwen2, qwen3, gemma3_text, t5, mt5, bart, "
        "marian, vit or deit",
        type ? type : "missing");
}

/* id2label maps "0", "1", ... to names; a number without a name becomes its own name. */
bool pretrained_labels(const JsonValue *root, int *count, char ***labels)
{
    const JsonValue *map = json_get(root, "id2label");
    *count = map && map->kind == JSON_OBJECT && map->count <= 1 << 20 ? map->count : 0;
    char **label = *labels = *count > 0 ? mem_zeroed((size_t)*count * sizeof *label) : NULL;
    bool ok = label || *count == 0;
    for (int i = 0; ok && i < *count; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", i);
        const char *text = json_get_text(map, key);
        label[i] = mem_strdup(text ? text : key);
        ok = label[i] != NULL;
    }
    return ok;
}

bool pretrained_config(PretrainedConfig *c, const JsonValue *root, const char *path)
{
    Reading r = {root, path, PRETRAINED_WHO, true};
    *c = (PretrainedConfig){.end = -1, .ends = {-1}, .start = -1, .first = -1, .last = -1};
    if (!pretrained_family(c, json_get_text(root, "model_type"), path))
        return false;
    c->tied = read_flag(&r, "tie_word_embeddings", !family_has(c, UNTIED));
    c->family->read(&r, c);
    const char *problem = read_text(&r, root, "problem_type", "", "problem_type", "a text");
    c->several = strcmp(problem, "multi_label_classification") == 0;
    return r.ok;
}
