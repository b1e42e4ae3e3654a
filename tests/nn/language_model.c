/* language_model.c: see language_model.h. */
#include "tests/nn/language_model.h"

bool language_open(LanguageModel *m, LanguageConfig c)
{
    const BlockConfig block = {.channels = c.channels, .heads = c.heads, .dropout = c.dropout};
    Params *p = params_new(c.seed);
    *m = (LanguageModel){.params = p, .tape = tape_new(c.seed)};
    bool ok =
        p && m->tape && nn_embedding_init(&m->embedding, p, "embedding", c.words, c.channels) &&
        nn_position_init(&m->position, p, "position", POSITION_LEARNED, c.longest, c.channels);
    for (int i = 0; ok && i < LANGUAGE_LAYERS; i++)
        ok = nn_transformer_block_init(&m->block[i], p, params_format(p, "blocks.%d", i), block);
    return ok && nn_layernorm_init(&m->norm, p, "norm", c.channels) &&
           nn_linear_init(&m->head, p, "head", c.channels, c.words, true);
}

void language_close(LanguageModel *m)
{
    tape_free(m->tape);
    params_free(m->params);
}

Tensor *language_logits(const LanguageModel *m, Tensor *ids)
{
    Tensor *x = nn_position(&m->position, nn_embedding(&m->embedding, ids));
    for (int i = 0; i < LANGUAGE_LAYERS; i++)
        x = nn_transformer_block(&m->block[i], x, (Mask){.causal = true});
    return nn_linear(&m->head, nn_norm(&m->norm, x));
}

void language_weights(const LanguageModel *m, real *out)
{
    const Params *p = m->params;
    for (int i = 0; i < p->count; out += tensor_size(p->weight[i++]))
        tensor_read(p->weight[i], out);
}
