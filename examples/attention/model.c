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
    const EncoderConfig encoder = {.words = c.words,
                                   .longest = c.longest,
                                   .position = (PositionKind)c.position,
                                   .layers = c.layers,
                                   .block = block};
    if ((c.rotary &&
         !nn_rotary_init(&m->rotary, p, c.longest, c.channels / c.heads, ROTARY_BASE)) ||
        !nn_encoder_init(&m->encoder, p, "", encoder))
        return false;
    return nn_linear_init(&m->head, p, "head", c.channels, c.answers, true);
}

/* nn_encoder, but for the window, which the first block alone has. */
static Tensor *model_hidden(const Model *m, Tensor *ids, Tensor *lengths)
{
    const Encoder *e = &m->encoder;
    Mask mask = {.lengths = lengths, .causal = m->config.causal, .window = m->config.window};
    Tensor *x = ag_dropout(nn_position(&e->position, nn_embedding(&e->embedding, ids)), e->dropout);
    for (int i = 0; i < e->layers; i++, mask.window = 0)
        x = nn_transformer_block(&e->blocks[i], x, mask);
    return m->config.post_norm ? x : nn_norm(&e->norm, x);
}

Tensor *model_answer(const Model *m, Tensor *ids, Tensor *lengths, Tensor *positions)
{
    Tensor *hidden = model_hidden(m, ids, lengths);
    Tensor *rows = ag_reshape(hidden, shape2(-1, m->config.channels));
    return nn_linear(&m->head, ag_embedding(rows, positions)); /* selects the queried rows */
}
