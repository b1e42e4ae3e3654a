/* model.c: struct, init, forward. See model.h. */
#include "examples/gpt/model.h"

/* Small initial matrices: the residual stream is nearly the embedding at first, and the logits are
 * nearly equal. */
static void begin_small(Params *p)
{
    for (int i = 0; i < p->count; i++) {
        Tensor *w = p->weight[i];
        Rng rng = {.seed = rng_hash(p->seed, w->name)};
        for (int64_t k = 0; w->shape.rank > 1 && k < tensor_size(w); k++)
            w->data[k] = (real)(0.02 * rng_normal(&rng));
    }
}

bool gpt_init(Gpt *m, Params *p, GptConfig c)
{
    *m = (Gpt){.config = c};
    BlockConfig block = {.channels = c.channels, .heads = c.heads};
    bool ok = nn_embedding_init(&m->embedding, p, "embedding", c.words, c.channels) &&
              nn_position_init(&m->position, p, "position", (PositionKind)c.position, c.longest,
                               c.channels);
    for (int i = 0; ok && i < c.layers; i++)
        ok = nn_transformer_block_init(&m->blocks[i], p, params_format(p, "blocks.%d", i), block);
    ok = ok && nn_layernorm_init(&m->norm, p, "norm", c.channels);
    m->head = (Linear){.weight = m->embedding.weight, .path = "head"};
    if (ok)
        begin_small(p);
    return ok;
}

Tensor *gpt_states(const Gpt *m, Tensor *ids)
{
    Mask mask = {.causal = !m->config.unmasked};
    Tensor *x = nn_position(&m->position, nn_embedding(&m->embedding, ids));
    for (int i = 0; i < m->config.layers; i++)
        x = nn_transformer_block(&m->blocks[i], x, mask);
    return nn_norm(&m->norm, x);
}

Tensor *gpt_logits(const Gpt *m, Tensor *ids)
{
    return nn_linear(&m->head, gpt_states(m, ids));
}

Tensor *gpt_logits_cached(void *model, Tensor *ids, KVCache *cache)
{
    const Gpt *m = model;
    if (tensor_is_poison(ids))
        return ids;
    Tensor *positions = nn_cache_positions(cache, ids->tape, ids->shape.dim[1]);
    Tensor *x = nn_position_at(&m->position, nn_embedding(&m->embedding, ids), positions);
    for (int i = 0; i < m->config.layers; i++)
        x = nn_transformer_block_cached(&m->blocks[i], x, cache, i);
    return nn_linear(&m->head, nn_norm(&m->norm, x));
}

bool gpt_cache(const Gpt *m, KVCache *cache, int64_t batch)
{
    const GptConfig *c = &m->config;
    return nn_cache_init(cache, c->layers, batch, c->longest, c->heads, c->channels);
}
