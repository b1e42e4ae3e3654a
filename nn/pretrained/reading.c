/* reading.c: the values of config.json. Each function takes the key, the limits and the default of
 * transformers; after the first error all return some valid value, so that a family's function need
 * not test after each line. Limits such as 1000 layers are far above every published model and far
 * below what overflows. */
#include "nn/pretrained/inside.h"

#include "tensor/memory.h"

#include <math.h>
#include <string.h>

int64_t read_whole_of(Reading *r, const JsonValue *v, const char *key, int64_t low, int64_t high,
                      int64_t otherwise)
{
    const bool absent = !v || v->kind == JSON_NULL, number = !absent && v->kind == JSON_NUMBER;
    const long long from = low, to = high;
    REFUSE_IF(r, absent && otherwise < low, "%s is missing; expected a number from %lld to %lld",
              key, from, to);
    REFUSE_IF(r, !absent && !number, "%s is no number; expected one from %lld to %lld", key, from,
              to);
    REFUSE_IF(r,
              number && !(v->number >= (double)low && v->number <= (double)high &&
                          v->number == floor(v->number)),
              "%s is %g; expected a whole number from %lld to %lld", key, v->number, from, to);
    return !r->ok ? low : absent ? otherwise : (int64_t)v->number;
}

int64_t read_whole(Reading *r, const char *key, int64_t low, int64_t high, int64_t otherwise)
{
    return read_whole_of(r, json_get(r->root, key), key, low, high, otherwise);
}

/* share: a number from 0 on and less than 1; else one above 0. */
static double read_number(Reading *r, const JsonValue *in, const char *key, double otherwise,
                          bool share)
{
    const char *expected = share ? "0 or more, and less than 1" : "a number above 0";
    const JsonValue *v = json_get(in, key);
    if (!v || v->kind == JSON_NULL)
        return otherwise;
    REFUSE_IF(r, v->kind != JSON_NUMBER, "%s is no number; expected %s", key, expected);
    REFUSE_IF(r, !(share ? v->number >= 0 && v->number < 1 : v->number > 0),
              "%s is %g; expected %s", key, v->number, expected);
    return v->number;
}

double read_positive(Reading *r, const JsonValue *in, const char *key, double otherwise)
{
    return read_number(r, in, key, otherwise, false);
}

double read_dropout(Reading *r, const char *key)
{
    return read_number(r, r->root, key, 0.1, true);
}

bool read_flag(Reading *r, const char *key, bool otherwise)
{
    const JsonValue *v = json_get(r->root, key);
    if (!v || v->kind == JSON_NULL)
        return otherwise;
    REFUSE_IF(r, v->kind != JSON_TRUE && v->kind != JSON_FALSE,
              "%s is neither true nor false; expected one of them", key);
    return v->kind == JSON_TRUE;
}

const char *read_text(Reading *r, const JsonValue *in, const char *key, const char *otherwise,
                      const char *shown, const char *expected)
{
    const JsonValue *v = json_get(in, key);
    if (!v || v->kind == JSON_NULL)
        return otherwise;
    REFUSE_IF(r, v->kind != JSON_STRING, "%s is no text; expected %s", shown, expected);
    return v->kind == JSON_STRING ? v->text : otherwise;
}

/* null counts as absent, because transformers writes it for what is not set. */
void read_only(Reading *r, const char *key, const char *text)
{
    const JsonValue *v = json_get(r->root, key);
    if (!r->ok || !v || v->kind == JSON_NULL)
        return;
    const char *found = v->kind == JSON_STRING  ? v->text
                        : v->kind == JSON_TRUE  ? "true"
                        : v->kind == JSON_FALSE ? "false"
                                                : "another value";
    REFUSE_IF(r, strcmp(found, text) != 0, "%s is %s; expected %s", key, found, text);
}

static const char activations[] = "gelu, gelu_new, gelu_pytorch_tanh, relu, tanh or silu";

/* The function of a name in config.json. gelu_new and gelu_pytorch_tanh are the same function under
 * two names. An unknown name is an error: another function would give other numbers. */
Activation read_activation_named(Reading *r, const char *key, const char *name)
{
    static const struct {
        const char *name;
        Activation is;
    } known[] = {{"gelu", ACTIVATION_GELU},          {"gelu_python", ACTIVATION_GELU},
                 {"gelu_new", ACTIVATION_GELU_TANH}, {"gelu_pytorch_tanh", ACTIVATION_GELU_TANH},
                 {"relu", ACTIVATION_RELU},          {"tanh", ACTIVATION_TANH},
                 {"silu", ACTIVATION_SILU},          {"swish", ACTIVATION_SILU}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].is;
    REFUSE_IF(r, true, "%s is '%s'; expected %s", key, name, activations);
    return ACTIVATION_GELU;
}

Activation read_activation(Reading *r, const char *key, const char *otherwise)
{
    return read_activation_named(r, key, read_text(r, r->root, key, otherwise, key, activations));
}

int read_end(Reading *r, PretrainedConfig *c, int otherwise)
{
    enum { MOST = (int)(sizeof c->ends / sizeof *c->ends) };
    const JsonValue *end = json_get(r->root, "eos_token_id");
    const JsonValue *list = end && end->kind == JSON_LIST ? end : NULL;
    end = list ? list->first : end;
    REFUSE_IF(r, list && list->count > MOST, "eos_token_id has %d tokens; expected at most %d",
              list->count, MOST);
    int n = 0;
    for (const JsonValue *m = list && r->ok && list->first ? list->first->next : NULL; m;
         m = m->next)
        c->ends[n++] = (int)read_whole_of(r, m, "eos_token_id", 0, 1 << 22, -1);
    c->ends[n] = -1;
    return (int)read_whole_of(r, end, "eos_token_id", -1, 1 << 22, otherwise);
}

/* Most families divide channels among heads. */
void read_sizes(Reading *r, PretrainedConfig *c, const char *layers, const char *channels,
                const char *heads, const char *hidden)
{
    c->layers = read_whole(r, layers, 1, 1000, 0);
    c->channels = read_whole(r, channels, 1, 1 << 17, 0);
    c->heads = c->kv_heads = (int)read_whole(r, heads, 1, 1 << 12, 0);
    REFUSE_IF(r, c->channels % c->heads != 0 && !family_has(c, ANY_HEAD_SIZE),
              "%s is %lld and %s %d; expected a multiple of the latter", channels,
              (long long)c->channels, heads, c->heads);
    c->head_size = r->ok ? c->channels / c->heads : 1;
    if (hidden)
        c->hidden = read_whole(r, hidden, 1, 1 << 20, 0);
    if (hidden && c->kind != PRETRAINED_VISION)
        c->words = read_whole(r, "vocab_size", 1, 1 << 22, 0);
}

/* Frequencies of Llama 3.1's longer texts: those that turn less than low_freq_factor times in the
 * original length are divided by factor, between low and high gradually. (The Llama 3 herd of
 * models, 2024; "rope_type": "llama3") A frequency f makes n f / (2 pi) turns in n tokens. */
static double scaled(Reading *r, const JsonValue *rope, double f)
{
    double factor = read_positive(r, rope, "factor", 8),
           low = read_positive(r, rope, "low_freq_factor", 1);
    double high = read_positive(r, rope, "high_freq_factor", 4);
    double turns = read_positive(r, rope, "original_max_position_embeddings", 8192) * f /
                   (2 * 3.14159265358979323846);
    REFUSE_IF(r, low >= high,
              "low_freq_factor is %g and high_freq_factor %g; expected the former to be smaller",
              low, high);
    double smooth = (turns - low) / (high - low);
    return turns < low ? f / factor : turns > high ? f : (1 - smooth) * f / factor + smooth * f;
}

/* Newer files keep the settings in rope_parameters, older ones in rope_scaling. */
const JsonValue *read_rope(const Reading *r)
{
    const JsonValue *rope = json_get(r->root, "rope_parameters"),
                    *old = json_get(r->root, "rope_scaling");
    return rope && rope->kind == JSON_OBJECT ? rope : old && old->kind == JSON_OBJECT ? old : NULL;
}

/* base^(-2 i / n) for pair i of n channels, scaled as the file says. */
double *read_rotary(Reading *r, const PretrainedConfig *c, const JsonValue *rope, double base)
{
    int64_t n = c->rotated;
    double *frequency = NULL;
    static const char shown[] = "rope_parameters.rope_type",
                      expected[] = "default, linear or llama3";
    const char *type = read_text(r, rope, "type", "default", shown, expected); /* the older key */
    type = read_text(r, rope, "rope_type", type, shown, expected);
    bool llama3 = strcmp(type, "llama3") == 0, linear = strcmp(type, "linear") == 0;
    base = read_positive(r, rope, "rope_theta", base);
    double factor = read_positive(r, rope, "factor", 1);
    REFUSE_IF(r, !llama3 && !linear && strcmp(type, "default") != 0, "%s is '%s'; expected %s",
              shown, type, expected);
    REFUSE_IF(r, n < 2 || n % 2 != 0,
              "%lld of the head_dim, %lld, are rotated; expected an even number from 2 on",
              (long long)n, (long long)c->head_size);
    r->ok = r->ok && (frequency = mem_alloc((size_t)n / 2 * sizeof *frequency));
    for (int64_t i = 0; r->ok && i < n / 2; i++) {
        double f = pow(base, -2 * (double)i / (double)n);
        frequency[i] = llama3 ? scaled(r, rope, f) : linear ? f / factor : f;
    }
    return frequency;
}

void read_local(Reading *r, PretrainedConfig *c, int64_t every, int64_t first)
{
    const JsonValue *list = json_get(r->root, "layer_types");
    bool there = list && list->kind == JSON_LIST;
    REFUSE_IF(r, there && list->count != c->layers,
              "layer_types has %d entries; expected %lld, one for each layer", list->count,
              (long long)c->layers);
    r->ok = r->ok && (c->local = mem_zeroed((size_t)c->layers * sizeof *c->local));
    const JsonValue *m = there ? list->first : NULL;
    for (int64_t i = 0; r->ok && i < c->layers; i++, m = m ? m->next : NULL) {
        bool full = m && m->text && strcmp(m->text, "full_attention") == 0;
        c->local[i] = there ? !full : (i + every - first) % every != 0;
        REFUSE_IF(r, there && !full && !(m->text && strcmp(m->text, "sliding_attention") == 0),
                  "layer_types[%lld] is '%s'; expected full_attention or sliding_attention",
                  (long long)i, m->text ? m->text : "no text");
    }
}
