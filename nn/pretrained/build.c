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
    NormKind kind = m->config.no_bias & NO_BIAS_NORM && family_of(m)->norm == NORM_LAYER
                        ? NORM_LAYER_GAIN
                        : family_of(m)->norm;
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
bool pretrained_position(Pretrained *m, const char *name, PositionalEncoding *e)
{
    const PretrainedConfig *c = &m->config;
    bool sinusoids = family_of(m)->sinusoids;
    if (c->frequency || c->ranges > 0)
        return true;
    if (!nn_position_init(e, m->params, name, sinusoids ? POSITION_SINUSOIDAL : POSITION_LEARNED,
                          c->positions, c->channels))
        return false;
    e->offset = c->position_offset;
    return !sinusoids || sines_first(e);
}

/* Word embedding, and what tells positions apart; of some families types and a norm. */
static bool text_input(Pretrained *m)
{
    const PretrainedConfig *c = &m->config;
    Params *p = m->params;
    int64_t pairs = c->rotated / 2, C = c->channels;
    return nn_embedding_init(&m->words, p, "words", c->words, C) &&
           pretrained_position(m, "position", &m->position) &&
           (!c->frequency || nn_rotary_from(&m->rotary, p, c->positions, c->frequency, pairs)) &&
           (!c->local_frequency ||
            nn_rotary_from(&m->local_rotary, p, c->positions, c->local_frequency, pairs)) &&
           (c->types == 0 || nn_embedding_init(&m->types, p, "types", c->types, C)) &&
           (c->ranges == 0 || pretrained_relative_init(&m->bias, p, "bias", c->heads, c->ranges,
                                                       c->farthest, true)) &&
           (!family_of(m)->embedding_norm ||
            pretrained_norm(m, "embedding_norm", &m->embedding_norm, C));
}

/* Pictures: weight (C, colours, patch, patch), a class token, perhaps one for distillation,
 * positions of all. Tokens: side^2 patches and the extra ones, each with a learned position. */
static bool picture_input(Pretrained *m)
{
    const PretrainedConfig *c = &m->config;
    Params *p = m->params;
    int64_t C = c->channels, side = c->image / c->patch, tokens = side * side + 1;
    if (family_of(m)->distilled) {
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
           (m->distillation_token || !family_of(m)->distilled);
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
        ok = nn_linear_init(&m->transform, p, "transform", C, C, !family_of(m)->transform_plain) &&
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
           (!n->has_classifier ||
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
           (m->config.decoder_layers == 0 || pretrained_build_decoder(m)) && heads(m);
}
