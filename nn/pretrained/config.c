/* config.c: config.json into the terms of this library. Every family has its own keys; a value that
 * would change what is computed and is not built here is an error. Each function that reads a value
 * takes the key, the limits and the default of transformers; after the first error they return some
 * valid value, so that a family's function need not test after each line. Limits such as 1000
 * layers are far above every published model and far below what overflows. */
#include "nn/pretrained/inside.h"

#include "tensor/memory.h"

#include <math.h>
#include <string.h>

/* config.json while it is read; ok becomes false at the first error, which is recorded. */
struct Reading {
    const JsonValue *root;
    const char *path;
    bool ok;
};

/* The first wrong value is the error; after it, nothing is tested. */
#define REFUSE_IF(r, wrong, ...) \
    ((r)->ok = (r)->ok && (!(wrong) || PRETRAINED_FAIL((r)->path, __VA_ARGS__)))

/* A whole number from low to high; `otherwise` where v is missing or null, which is an error where
 * that is below low. */
static int64_t whole_of(Reading *r, const JsonValue *v, const char *key, int64_t low, int64_t high,
                        int64_t otherwise)
{
    if (!r->ok)
        return low;
    if (!v || v->kind == JSON_NULL) {
        if (otherwise < low)
            r->ok = PRETRAINED_FAIL(r->path, "%s is missing; expected a number from %lld to %lld",
                                    key, (long long)low, (long long)high);
        return otherwise < low ? low : otherwise;
    }
    if (v->kind == JSON_NUMBER && v->number >= (double)low && v->number <= (double)high &&
        v->number == floor(v->number))
        return (int64_t)v->number;
    if (v->kind == JSON_NUMBER)
        r->ok = PRETRAINED_FAIL(r->path, "%s is %g; expected a whole number from %lld to %lld", key,
                                v->number, (long long)low, (long long)high);
    else
        r->ok = PRETRAINED_FAIL(r->path, "%s is no number; expected one from %lld to %lld", key,
                                (long long)low, (long long)high);
    return low;
}

static int64_t whole(Reading *r, const char *key, int64_t low, int64_t high, int64_t otherwise)
{
    return whole_of(r, json_get(r->root, key), key, low, high, otherwise);
}

/* A number above 0; `otherwise` where the key is missing or null. */
static double positive(Reading *r, const JsonValue *in, const char *key, double otherwise)
{
    const JsonValue *v = json_get(in, key);
    if (!v || v->kind == JSON_NULL)
        return otherwise;
    REFUSE_IF(r, v->kind != JSON_NUMBER, "%s is no number; expected one above 0", key);
    REFUSE_IF(r, !(v->number > 0), "%s is %g; expected a number above 0", key, v->number);
    return v->number;
}

/* The probability of dropout. Only training uses it. 0.1 where the key is missing or null. */
static double dropout(Reading *r, const char *key)
{
    const JsonValue *v = json_get(r->root, key);
    if (!v || v->kind == JSON_NULL)
        return 0.1;
    REFUSE_IF(r, v->kind != JSON_NUMBER, "%s is no number; expected 0 or more, and less than 1",
              key);
    REFUSE_IF(r, !(v->number >= 0 && v->number < 1),
              "%s is %g; expected 0 or more, and less than 1", key, v->number);
    return v->number;
}

/* true or false; `otherwise` where the key is missing or null. */
static bool flag(Reading *r, const char *key, bool otherwise)
{
    const JsonValue *v = json_get(r->root, key);
    if (!v || v->kind == JSON_NULL)
        return otherwise;
    REFUSE_IF(r, v->kind != JSON_TRUE && v->kind != JSON_FALSE,
              "%s is neither true nor false; expected one of them", key);
    return v->kind == JSON_TRUE;
}

/* A text; `otherwise` where the key is missing or null. `expected` is part of the error. */
static const char *text_of(Reading *r, const JsonValue *in, const char *key, const char *otherwise,
                           const char *shown, const char *expected)
{
    const JsonValue *v = json_get(in, key);
    if (!v || v->kind == JSON_NULL)
        return otherwise;
    REFUSE_IF(r, v->kind != JSON_STRING, "%s is no text; expected %s", shown, expected);
    return v->kind == JSON_STRING ? v->text : otherwise;
}

/* This key must be absent, null, or have this text or truth; anything else would be another
 * computation. null counts as absent, because transformers writes it for what is not set. */
static void only(Reading *r, const char *key, const char *text)
{
    const JsonValue *v = json_get(r->root, key);
    if (!r->ok || !v || v->kind == JSON_NULL)
        return;
    const char *found = v->kind == JSON_STRING  ? v->text
                        : v->kind == JSON_TRUE  ? "true"
                        : v->kind == JSON_FALSE ? "false"
                                                : "another value";
    if (strcmp(found, text) != 0)
        r->ok = PRETRAINED_FAIL(r->path, "%s is %s; expected %s", key, found, text);
}

/* The function of a name in config.json. gelu_new and gelu_pytorch_tanh are the same function under
 * two names. An unknown name is an error: another function would give other numbers. */
static Activation activation(Reading *r, const char *key, const char *otherwise)
{
    static const struct {
        const char *name;
        Activation is;
    } known[] = {{"gelu", ACTIVATION_GELU},          {"gelu_python", ACTIVATION_GELU},
                 {"gelu_new", ACTIVATION_GELU_TANH}, {"gelu_pytorch_tanh", ACTIVATION_GELU_TANH},
                 {"relu", ACTIVATION_RELU},          {"tanh", ACTIVATION_TANH},
                 {"silu", ACTIVATION_SILU},          {"swish", ACTIVATION_SILU}};
    static const char expected[] = "gelu, gelu_new, gelu_pytorch_tanh, relu, tanh or silu";
    const char *name = text_of(r, r->root, key, otherwise, key, expected);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].is;
    if (r->ok)
        r->ok = PRETRAINED_FAIL(r->path, "%s is '%s'; expected %s", key, name, expected);
    return ACTIVATION_GELU;
}

/* Layers, channels and heads, under the family's keys. Most divide channels among heads. */
static void sizes(Reading *r, PretrainedConfig *c, const char *layers, const char *channels,
                  const char *heads)
{
    c->layers = whole(r, layers, 1, 1000, 0);
    c->channels = whole(r, channels, 1, 1 << 17, 0);
    c->heads = c->kv_heads = (int)whole(r, heads, 1, 1 << 12, 0);
    REFUSE_IF(r, c->channels % c->heads != 0 && !pretrained_families[c->family].any_head_size,
              "%s is %lld and %s %d; expected a multiple of the latter", channels,
              (long long)c->channels, heads, c->heads);
    c->head_size = r->ok ? c->channels / c->heads : 1;
}

/* Devlin et al., "BERT" (2019); Liu et al., "RoBERTa" (2019), whose positions begin after the id of
 * padding. */
void pretrained_read_bert(Reading *r, PretrainedConfig *c)
{
    sizes(r, c, "num_hidden_layers", "hidden_size", "num_attention_heads");
    c->hidden = whole(r, "intermediate_size", 1, 1 << 20, 0);
    c->words = whole(r, "vocab_size", 1, 1 << 22, 0);
    c->positions = whole(r, "max_position_embeddings", 1, 1 << 20, 0);
    c->types = whole(r, "type_vocab_size", 1, 1 << 10, 2);
    c->activation = activation(r, "hidden_act", "gelu");
    c->epsilon = positive(r, r->root, "layer_norm_eps", 1e-12);
    c->dropout = dropout(r, "hidden_dropout_prob");
    bool after_pad = pretrained_families[c->family].positions_after_pad;
    c->pad = (int)whole(r, "pad_token_id", 0, 1 << 22, after_pad ? 1 : 0);
    only(r, "position_embedding_type", "absolute");
    only(r, "is_decoder", "false");
    only(r, "add_cross_attention", "false");
    if (after_pad)
        c->position_offset = c->pad + 1;
    REFUSE_IF(r, c->position_offset >= c->positions,
              "max_position_embeddings is %lld; expected more than %lld, where "
              "RoBERTa's positions begin",
              (long long)c->positions, (long long)c->position_offset);
    c->tied = flag(r, "tie_word_embeddings", true);
}

/* Sanh et al., "DistilBERT" (2019): no types, no pooler, and an epsilon that is not in the file. */
void pretrained_read_distilbert(Reading *r, PretrainedConfig *c)
{
    sizes(r, c, "n_layers", "dim", "n_heads");
    c->hidden = whole(r, "hidden_dim", 1, 1 << 20, 0);
    c->words = whole(r, "vocab_size", 1, 1 << 22, 0);
    c->positions = whole(r, "max_position_embeddings", 1, 1 << 20, 0);
    c->activation = activation(r, "activation", "gelu");
    c->epsilon = 1e-12;
    c->dropout = dropout(r, "dropout");
    c->pad = (int)whole(r, "pad_token_id", 0, 1 << 22, 0);
    c->tied = flag(r, "tie_word_embeddings", true);
}

/* Radford et al., "Language models are unsupervised multitask learners" (2019). n_inner null means
 * 4 n_embd. */
void pretrained_read_gpt2(Reading *r, PretrainedConfig *c)
{
    sizes(r, c, "n_layer", "n_embd", "n_head");
    c->hidden = whole(r, "n_inner", 1, 1 << 20, 4 * c->channels);
    c->words = whole(r, "vocab_size", 1, 1 << 22, 50257);
    c->positions = whole(r, "n_positions", 1, 1 << 20, 1024);
    c->activation = activation(r, "activation_function", "gelu_new");
    c->epsilon = positive(r, r->root, "layer_norm_epsilon", 1e-5);
    c->end =
        (int)whole(r, "eos_token_id", -1, 1 << 22, json_get(r->root, "eos_token_id") ? -1 : 50256);
    c->tied = flag(r, "tie_word_embeddings", true);
    only(r, "scale_attn_weights", "true");
    only(r, "scale_attn_by_inverse_layer_idx", "false");
    only(r, "add_cross_attention", "false");
}

/* Dosovitskiy et al., "An image is worth 16x16 words" (2021); Touvron et al., "DeiT" (2021). */
void pretrained_read_vit(Reading *r, PretrainedConfig *c)
{
    sizes(r, c, "num_hidden_layers", "hidden_size", "num_attention_heads");
    c->hidden = whole(r, "intermediate_size", 1, 1 << 20, 0);
    c->image = whole(r, "image_size", 1, 1 << 14, 224);
    c->patch = whole(r, "patch_size", 1, 1 << 10, 16);
    c->colours = whole(r, "num_channels", 1, 64, 3);
    c->activation = activation(r, "hidden_act", "gelu");
    c->epsilon = positive(r, r->root, "layer_norm_eps", 1e-12);
    c->no_bias = flag(r, "qkv_bias", true) ? 0 : NO_BIAS_IN;
    only(r, "pooler_act", "tanh");
    REFUSE_IF(r, c->image < c->patch, "image_size is %lld; expected at least the patch_size, %lld",
              (long long)c->image, (long long)c->patch);
}

/* Frequencies of Llama 3.1's longer texts: those that turn less than low_freq_factor times in the
 * original length are divided by factor, between low and high gradually. (The Llama 3 herd of
 * models, 2024; "rope_type": "llama3") A frequency f makes n f / (2 pi) turns in n tokens. */
static double scaled(Reading *r, const JsonValue *rope, double f)
{
    double factor = positive(r, rope, "factor", 8), low = positive(r, rope, "low_freq_factor", 1);
    double high = positive(r, rope, "high_freq_factor", 4);
    double turns = positive(r, rope, "original_max_position_embeddings", 8192) * f /
                   (2 * 3.14159265358979323846);
    REFUSE_IF(r, low >= high,
              "low_freq_factor is %g and high_freq_factor %g; expected the former to be smaller",
              low, high);
    double smooth = (turns - low) / (high - low);
    return turns < low ? f / factor : turns > high ? f : (1 - smooth) * f / factor + smooth * f;
}

/* The frequencies base^(-2 i / d) of the rotary encoding, scaled as the file says. Newer files
 * keep them in rope_parameters, older ones in rope_theta and rope_scaling. c owns the array. */
static void rotary(Reading *r, PretrainedConfig *c)
{
    const JsonValue *rope = json_get(r->root, "rope_parameters"),
                    *old = json_get(r->root, "rope_scaling");
    rope = rope && rope->kind == JSON_OBJECT ? rope : old && old->kind == JSON_OBJECT ? old : NULL;
    static const char shown[] = "rope_parameters.rope_type",
                      expected[] = "default, linear or llama3";
    const char *type = text_of(r, rope, "type", "default", shown, expected); /* the older key */
    type = text_of(r, rope, "rope_type", type, shown, expected);
    bool llama3 = strcmp(type, "llama3") == 0, linear = strcmp(type, "linear") == 0;
    double base = positive(r, rope, "rope_theta", positive(r, r->root, "rope_theta", 10000));
    double factor = positive(r, rope, "factor", 1);
    REFUSE_IF(r, !llama3 && !linear && strcmp(type, "default") != 0, "%s is '%s'; expected %s",
              shown, type, expected);
    REFUSE_IF(r, c->head_size % 2 != 0,
              "head_dim is %lld; expected an even one for the rotary encoding",
              (long long)c->head_size);
    r->ok = r->ok && (c->frequency = mem_alloc((size_t)c->head_size / 2 * sizeof *c->frequency));
    if (!r->ok)
        return;
    for (int64_t i = 0; i < c->head_size / 2; i++) {
        double f = pow(base, -2 * (double)i / (double)c->head_size);
        c->frequency[i] = llama3 ? scaled(r, rope, f) : linear ? f / factor : f;
    }
}

/* Touvron et al., "LLaMA" (2023); Mistral and Qwen 2 differ in key heads, biases and a window. */
void pretrained_read_llama(Reading *r, PretrainedConfig *c)
{
    bool qwen = strcmp(c->type, "qwen2") == 0;
    sizes(r, c, "num_hidden_layers", "hidden_size", "num_attention_heads");
    c->kv_heads = (int)whole(r, "num_key_value_heads", 1, 1 << 12, c->heads);
    c->head_size = whole(r, "head_dim", 1, 1 << 12, c->head_size);
    c->hidden = whole(r, "intermediate_size", 1, 1 << 20, 0);
    c->words = whole(r, "vocab_size", 1, 1 << 22, 0);
    c->positions = whole(r, "max_position_embeddings", 1, 1 << 24, 2048);
    c->activation = activation(r, "hidden_act", "silu");
    c->epsilon = positive(r, r->root, "rms_norm_eps", 1e-6);
    bool attention = flag(r, "attention_bias", false);
    c->no_bias = (qwen || attention ? 0 : NO_BIAS_IN) | (attention ? 0 : NO_BIAS_OUT) |
                 (flag(r, "mlp_bias", false) ? 0 : NO_BIAS_FEEDFORWARD);
    c->tied = flag(r, "tie_word_embeddings", false);
    const JsonValue *end = json_get(r->root, "eos_token_id");
    const int missing = end || qwen ? -1 : 2; /* as in transformers */
    if (end && end->kind == JSON_LIST)        /* the first of several */
        end = end->first;
    c->end = (int)whole_of(r, end, "eos_token_id", -1, 1 << 22, missing);
    REFUSE_IF(r, c->heads % c->kv_heads != 0,
              "num_attention_heads is %d and num_key_value_heads %d; expected a multiple of the "
              "latter",
              c->heads, c->kv_heads);
    /* A window of keys is as good as none while texts are no longer; longer ones are refused. */
    if (qwen ? flag(r, "use_sliding_window", false) : strcmp(c->type, "mistral") == 0) {
        int64_t window = whole(r, "sliding_window", 1, 1 << 24, c->positions);
        c->positions = window < c->positions ? window : c->positions;
    }
    rotary(r, c);
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
    Reading r = {root, path, true};
    const char *type = json_get_text(root, "model_type");
    *c = (PretrainedConfig){.family = PRETRAINED_FAMILIES, .end = -1, .pad = 0};
    if (!type)
        return PRETRAINED_FAIL(
            path, "%s", "model_type is missing; expected the name of a family, such as \"bert\"");
    for (int f = 0; f < PRETRAINED_FAMILIES; f++)
        for (const char *const *t = pretrained_families[f].types; *t; t++)
            if (strcmp(*t, type) == 0)
                c->family = (PretrainedFamily)f;
    if (c->family == PRETRAINED_FAMILIES)
        return PRETRAINED_FAIL(
            path,
            "model_type is '%s'; expected bert, roberta, xlm-roberta, camembert, distilbert, "
            "gpt2, vit, deit, llama, mistral or qwen2",
            type);
    snprintf(c->type, sizeof c->type, "%s", type);
    pretrained_families[c->family].read(&r, c);
    return r.ok;
}
