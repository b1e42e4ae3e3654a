/* gpt.c: a decoder-only language model.
 *                   Radford et al. 2019; Z "Decoder transformers: GPT model", B "Transformer-based LM:
 *                   Overview" (lectures/README.md)
 *   logits_t = E x_t,   x = encoder(ids) with a causal mask,   E (V, C) the embedding */
#include "nn/internal.h"

/* Small initial matrices: the residual stream is nearly the embedding at first, and the logits are
 * nearly equal. */
static void begin_small(Params *p, int first)
{
    for (int i = first; i < p->count && !p->only_run; i++) {
        Tensor *w = p->weight[i];
        Rng rng = {.seed = rng_hash(p->seed, w->name)};
        for (int64_t k = 0; w->shape.rank > 1 && k < tensor_size(w); k++)
            w->data[k] = (real)(0.02 * rng_normal(&rng));
    }
}

bool nn_gpt_init(Gpt *m, Params *p, const char *path, GptConfig c)
{
    if (!(path = init_path(m, sizeof *m, p, path, "nn_gpt_init")))
        return false;
    if (c.words < 1 || c.longest < 1)
        return tensor_fail("nn_gpt_init: words %d, longest %d; expected 1 or more", c.words,
                           c.longest);
    const EncoderConfig encoder = {.words = c.words,
                                   .longest = c.longest,
                                   .position = c.position,
                                   .layers = c.layers,
                                   .dropout = c.dropout,
                                   .block = {.channels = c.channels,
                                             .heads = c.heads,
                                             .dropout = c.dropout}};
    const int first = p->count;
    if (!nn_encoder_init(&m->encoder, p, path, encoder))
        return false;
    begin_small(p, first);
    m->config = c;
    m->encoder.causal = true;
    m->head = (Linear){.weight = m->encoder.embedding.weight};
    m->head.path = params_path(p, "%s.head", path);
    return m->head.path != NULL;
}

Tensor *nn_gpt(const Gpt *m, Tensor *ids)
{
    if (!check_module(m ? m->head.path : NULL, ids, "nn_gpt"))
        return tensor_poison();
    return nn_linear(&m->head, encoder_pass(&m->encoder, ids, (Mask){0}, "nn_gpt"));
}

Tensor *nn_gpt_cached(void *model, Tensor *ids, KVCache *cache)
{
    const Gpt *m = model;
    if (!check_module(m ? m->head.path : NULL, ids, "nn_gpt_cached"))
        return tensor_poison();
    return nn_linear(&m->head, encoder_pass_cached(&m->encoder, ids, cache, "nn_gpt_cached"));
}

bool nn_gpt_cache(const Gpt *m, KVCache *cache, int64_t batch)
{
    if (!check_module(m ? m->head.path : NULL, NULL, "nn_gpt_cache"))
        return false;
    const GptConfig *c = &m->config;
    return nn_cache_init(cache, c->layers, batch, c->longest, c->heads, c->channels);
}
