/* build.c: a model of this library's modules, as config.json and the file's heads say. */
#include "nn/pretrained/inside.h"

#include "tensor/memory.h"

#include <string.h>

/* Text encoders attend in both directions. */
static bool is_text_encoder(const Pretrained *m)
{
    return family_of(m)->kind == TEXT_ENCODER;
}

bool nn_pretrained_continues_text(const Pretrained *m)
{
    return m && family_of(m)->kind == TEXT_DECODER;
}

bool nn_pretrained_translates(const Pretrained *m)
{
    return m && family_of(m)->kind == TEXT_TO_TEXT;
}

bool nn_pretrained_reads_images(const Pretrained *m)
{
    return m && family_of(m)->kind == IMAGE_ENCODER;
}

bool pretrained_norm(Pretrained *m, const char *name, Norm *n, int64_t channels)
{
    NormKind kind = family_has(&m->config, RMS_NORM)   ? NORM_RMS
                    : m->config.no_bias & NO_BIAS_NORM ? NORM_LAYER_GAIN
                                                       : NORM_LAYER;
    return norm_init(n, m->params, name, channels, kind, m->config.epsilon, "nn_norm");
}

/* Marian's sinusoids have all sines before all cosines. */
static bool sines_first(PositionalEncoding *e)
{
    int64_t T = e->weight->shape.dim[0], C = e->weight->shape.dim[1];
    real *row = mem_alloc((size_t)C * sizeof *row);
    for (int64_t t = 0; row && t < T; t++) {
        real *at = e->weight->data + t * C;
        memcpy(row, at, (size_t)C * sizeof *row);
        for (int64_t c = 0; c < C; c++)
            at[c % 2 ? (C + 1) / 2 + c / 2 : c / 2] = row[c];
    }
    mem_free(row);
    return row != NULL;
}

/* Learned positions or sinusoids; none where queries and keys are rotated, or distances have a
 * bias. */
static bool position(Pretrained *m, const char *name, PositionalEncoding *e)
{
    const PretrainedConfig *c = &m->config;
    bool sinusoids = family_has(c, SINUSOIDS);
    if (c->frequency || c->ranges > 0)
        return true;
    if (!nn_position_init(e, m->params, name, sinusoids ? POSITION_SINUSOIDAL : POSITION_LEARNED,
                          c->positions, c->channels))
        return false;
    e->offset = c->position_offset;
    return !sinusoids || sines_first(e);
}

/* What tells positions apart in the encoder or in the decoder; of some families types and a
 * norm. */
static bool stack_input(Pretrained *m, bool decoder)
{
    const PretrainedConfig *c = &m->config;
    Params *p = m->params;
    PretrainedStack *s = decoder ? &m->decoder : &m->encoder;
    const char *of = decoder ? "decoder_" : "";
    return position(m, params_path(p, "%sposition", of), &s->position) &&
           (decoder || c->types == 0 ||
            nn_embedding_init(&m->types, p, "types", c->types, c->channels)) &&
           (c->ranges == 0 ||
            pretrained_relative_init(&s->bias, p, params_path(p, "%sbias", of), c->heads, c->ranges,
                                     c->farthest, !decoder)) &&
           (!family_has(c, EMBEDDING_NORM) ||
            pretrained_norm(m, params_path(p, "%sembedding_norm", of), &s->embedding_norm,
                            c->channels));
}

static bool text_input(Pretrained *m)
{
    const PretrainedConfig *c = &m->config;
    Params *p = m->params;
    int64_t pairs = c->rotated / 2;
    return nn_embedding_init(&m->words, p, "words", c->words, c->channels) &&
           (!c->frequency || nn_rotary_from(&m->rotary, p, c->positions, c->frequency, pairs)) &&
           (!c->local_frequency ||
            nn_rotary_from(&m->local_rotary, p, c->positions, c->local_frequency, pairs)) &&
           stack_input(m, false);
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
    bool encoder = is_text_encoder(m), ok = true;
    int64_t C = c->channels;
    if (encoder)
        ok = nn_linear_init(&m->transform, p, "transform", C, C, !family_has(c, TRANSFORM_PLAIN)) &&
             pretrained_norm(m, "transform_norm", &m->transform_norm, C);
    if (ok && m->names->has_logits_bias)
        ok = (m->logits_bias = params_add(p, "logits_bias", shape2(1, c->words), nn_constant(0))) !=
             NULL;
    if (ok && m->names->has_own_output)
        return nn_linear_init(&m->output, p, "output", C, c->words, encoder);
    m->output.weight = m->words.weight;
    if (ok && encoder)
        m->output.bias = params_add(p, "output.bias", shape1(c->words), nn_constant(0));
    return ok && (m->output.bias || !encoder);
}

static bool heads(Pretrained *m)
{
    const PretrainedConfig *c = &m->config;
    const PretrainedNames *n = m->names;
    Params *p = m->params;
    return (!n->has_pooler ||
            nn_linear_init(&m->pooler, p, "pooler", c->channels, c->channels, true)) &&
           (!n->has_words || words_head(m)) &&
           (!n->classifier.tensor ||
            nn_linear_init(&m->classifier, p, "classifier", c->channels, c->labels, true)) &&
           (!n->has_distilled || nn_linear_init(&m->distilled_classifier, p, "distilled_classifier",
                                                c->channels, c->labels, true));
}

/* only_run: no gradients and no initial values are made, since the file brings all values. */
bool pretrained_build(Pretrained *m)
{
    m->params = params_new(0);
    if (!m->params)
        return false;
    m->params->only_run = m->params->own->without_numbers = true;
    return (nn_pretrained_reads_images(m) ? picture_input(m) : text_input(m)) &&
           pretrained_stack_init(m, false) &&
           (m->config.decoder_layers == 0 ||
            (stack_input(m, true) && pretrained_stack_init(m, true))) &&
           heads(m);
}
