/* build.c: a model of this library's modules, as config.json and the file's heads say. */
#include "nn/pretrained/inside.h"

#include <math.h>

bool pretrained_norm(Pretrained *m, const char *name, Norm *n, int64_t channels)
{
    NormKind kind = family_has(&m->config, RMS_NORM)   ? NORM_RMS
                    : m->config.no_bias & NO_BIAS_NORM ? NORM_LAYER_GAIN
                                                       : NORM_LAYER;
    return norm_init(n, m->params, name, channels, kind, m->config.epsilon, "nn_norm");
}

/* Marian's sinusoids have all sines before all cosines. */
static void sines_first(PositionalEncoding *e)
{
    const int64_t C = e->weight->shape.dim[1], sines = (C + 1) / 2;
    for (int64_t i = 0; i < tensor_size(e->weight); i++) {
        int64_t t = i / C, c = i % C, pair = c % sines;
        double angle = (double)t / pow(10000, (double)(2 * pair) / (double)C);
        e->weight->data[i] = (real)(c < sines ? sin(angle) : cos(angle));
    }
}

/* What tells positions apart in the encoder or in the decoder, unless it is one of the tables
 * below; of some families types and a norm. */
static bool stack_input(Pretrained *m, bool decoder)
{
    const PretrainedConfig *c = &m->config;
    Params *p = m->params;
    PretrainedStack *s = decoder ? &m->decoder : &m->encoder;
    const char *of = decoder ? "decoder_" : "";
    return (c->frequency || c->ranges > 0 || family_has(c, SINUSOIDS) ||
            nn_position_init(&s->position, p, params_path(p, "%sposition", of), POSITION_LEARNED,
                             c->positions, c->channels)) &&
           (decoder || c->types == 0 ||
            nn_embedding_init(&m->types, p, "types", c->types, c->channels)) &&
           (c->ranges == 0 ||
            (s->distance_bias = params_add(p, params_path(p, "%sbias.weight", of),
                                           shape2(c->ranges, c->heads), nn_constant(0)))) &&
           (!family_has(c, EMBEDDING_NORM) ||
            pretrained_norm(m, params_path(p, "%sembedding_norm", of), &s->embedding_norm,
                            c->channels));
}

bool pretrained_tables(Pretrained *m)
{
    const PretrainedConfig *c = &m->config;
    PretrainedStack *const stacks[] = {&m->encoder, &m->decoder};
    for (int i = 0; i < 2; i++) {
        PositionalEncoding *e = &stacks[i]->position;
        if (family_has(c, SINUSOIDS)) {
            if (!nn_position_init(e, m->params, i ? "decoder_position" : "position",
                                  POSITION_SINUSOIDAL, c->positions, c->channels))
                return false;
            sines_first(e);
        }
        e->offset = c->position_offset;
    }
    return (!c->frequency ||
            nn_rotary_from(&m->rotary, m->params, c->positions, c->frequency, c->rotated / 2)) &&
           (!c->local_frequency || nn_rotary_from(&m->local_rotary, m->params, c->positions,
                                                  c->local_frequency, c->rotated / 2));
}

/* Pictures: weight (C, colours, patch, patch), a class token, perhaps one for distillation,
 * positions of all. Tokens: side^2 patches and the extra ones, each with a learned position. */
static bool picture_input(Pretrained *m)
{
    const PretrainedConfig *c = &m->config;
    Params *p = m->params;
    int64_t C = c->channels, side = c->image / c->patch, tokens = side * side + 1;
    if (family_has(c, DISTILLED)) {
        tokens++;
        m->distillation_token =
            params_add(p, "distillation_token", shape3(1, 1, C), nn_constant(0));
    }
    m->class_token = params_add(p, "class_token", shape3(1, 1, C), nn_constant(0));
    m->picture_position = params_add(p, "picture_position", shape3(1, tokens, C), nn_constant(0));
    m->patches.weight =
        params_add(p, "patches.weight", shape4(C, c->colours, c->patch, c->patch), nn_constant(0));
    m->patches.bias = params_add(p, "patches.bias", shape1(C), nn_constant(0));
    return m->class_token && m->picture_position && m->patches.weight && m->patches.bias &&
           (m->distillation_token || !family_has(c, DISTILLED));
}

/* From hidden states to logits over the vocabulary. The output's weight is the word embedding
 * (tied) unless the file has its own. Text encoders transform the state first (BERT's masked-word
 * head). */
static bool words_head(Pretrained *m)
{
    const PretrainedConfig *c = &m->config;
    Params *p = m->params;
    bool encoder = c->kind == PRETRAINED_ENCODER, ok = true;
    int64_t C = c->channels;
    if (encoder)
        ok = nn_linear_init(&m->transform, p, "transform", C, C, !family_has(c, TRANSFORM_PLAIN)) &&
             pretrained_norm(m, "transform_norm", &m->transform_norm, C);
    if (ok && pretrained_head(m, "logits_bias").tensor)
        ok = (m->logits_bias = params_add(p, "logits_bias", shape2(1, c->words), nn_constant(0))) !=
             NULL;
    if (ok && !c->tied && pretrained_head(m, "output").tensor)
        return nn_linear_init(&m->output, p, "output", C, c->words, encoder);
    m->output.weight = m->words.weight;
    if (ok && encoder)
        m->output.bias = params_add(p, "output.bias", shape1(c->words), nn_constant(0));
    return ok && (m->output.bias || !encoder);
}

/* The layer is registered where the files have one of this name. */
static bool layer(Pretrained *m, Linear *l, const char *name, int64_t out)
{
    return !pretrained_head(m, name).tensor ||
           nn_linear_init(l, m->params, name, m->config.channels, out, true);
}

static bool heads(Pretrained *m)
{
    const PretrainedConfig *c = &m->config;
    const bool words =
        c->kind == PRETRAINED_ENCODER
            ? pretrained_head(m, "transform").tensor != NULL
            : c->kind != PRETRAINED_VISION && (c->tied || pretrained_head(m, "output").tensor);
    return layer(m, &m->pooler, "pooler", c->channels) && (!words || words_head(m)) &&
           layer(m, &m->classifier, "classifier", c->labels) &&
           layer(m, &m->distilled_classifier, "distilled_classifier", c->labels);
}

/* only_run: no gradients and no initial values are made, since the file brings all values. */
bool pretrained_build(Pretrained *m)
{
    m->params = params_new(0);
    if (!m->params)
        return false;
    m->params->only_run = m->params->own->without_numbers = true;
    return (m->config.kind == PRETRAINED_VISION
                ? picture_input(m)
                : nn_embedding_init(&m->words, m->params, "words", m->config.words,
                                    m->config.channels) &&
                      stack_input(m, false)) &&
           pretrained_stack_init(m, false) &&
           (m->config.decoder_layers == 0 ||
            (stack_input(m, true) && pretrained_stack_init(m, true))) &&
           heads(m);
}
