/* model.c: struct, init, forward. See model.h. */
#include "examples/attention/model.h"

enum { ROTARY_BASE = 10000 };

bool model_init(Model *m, Params *p, ModelConfig c)
{
    m->config = c;
    BlockConfig block = {.channels = c.channels,
                         .heads = c.heads,
                         .dropout = c.dropout,
                         .post_norm = c.post_norm,
                         .rotary = c.rotary ? &m->rotary : NULL};
    bool ok =
        nn_embedding_init(&m->embedding, p, "embedding", c.words, c.channels) &&
        nn_position_init(&m->position, p, "position", (PositionKind)c.position, c.longest,
                         c.channels) &&
        (!c.rotary || nn_rotary_init(&m->rotary, p, c.longest, c.channels / c.heads, ROTARY_BASE));
    for (int i = 0; ok && i < c.layers; i++)
        ok = nn_transformer_block_init(&m->blocks[i], p, params_format(p, "blocks.%d", i), block);
    return ok && nn_layernorm_init(&m->norm, p, "norm", c.channels) &&
           nn_linear_init(&m->head, p, "head", c.channels, c.answers, true);
}

Tensor *model_hidden(const Model *m, Tensor *ids, Tensor *lengths)
{
    Mask mask = {.causal = m->config.causal, .lengths = lengths};
    Tensor *x = nn_embedding(&m->embedding, ids);
    x = nn_position(&m->position, x);
    for (int i = 0; i < m->config.layers; i++) {
        mask.window = i == 0 ? m->config.window : 0;
        x = nn_transformer_block(&m->blocks[i], x, mask);
    }
    return nn_norm(&m->norm, x);
}

Tensor *model_answer(const Model *m, Tensor *ids, Tensor *lengths, Tensor *positions)
{
    Tensor *hidden = model_hidden(m, ids, lengths);
    Tensor *rows = ag_reshape(hidden, shape2(-1, m->config.channels));
    return nn_linear(&m->head, ag_embedding(rows, positions)); /* selects the queried rows */
}

Tensor *model_everywhere(const Model *m, Tensor *ids)
{
    return nn_linear(&m->head, model_hidden(m, ids, NULL));
}
