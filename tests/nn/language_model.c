/* language_model.c: see language_model.h. */
#include "tests/nn/language_model.h"

bool language_open(LanguageModel *m, LanguageConfig c)
{
    const EncoderConfig encoder = {.words = c.words,
                                   .longest = c.longest,
                                   .position = POSITION_LEARNED,
                                   .layers = LANGUAGE_LAYERS,
                                   .block = {.channels = c.channels,
                                             .heads = c.heads,
                                             .dropout = c.dropout}};
    Params *p = params_new(c.seed);
    *m = (LanguageModel){.params = p, .tape = tape_new(c.seed)};
    return p && m->tape && nn_encoder_init(&m->encoder, p, "", encoder) &&
           nn_linear_init(&m->head, p, "head", c.channels, c.words, true);
}

void language_close(LanguageModel *m)
{
    tape_free(m->tape);
    params_free(m->params);
}

Tensor *language_logits(const LanguageModel *m, Tensor *ids)
{
    return nn_linear(&m->head, nn_encoder(&m->encoder, ids, (Mask){.causal = true}));
}

void language_weights(const LanguageModel *m, real *out)
{
    const Params *p = m->params;
    for (int i = 0; i < p->count; out += tensor_size(p->weight[i++]))
        tensor_read(p->weight[i], out);
}
