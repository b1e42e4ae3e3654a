/* small_decoder.c: see small_decoder.h. */
#include "tests/nn/small_decoder.h"

bool model_make(Model *m, int64_t batch, bool post_norm, PositionKind kind)
{
    *m = (Model){.params = params_new(3), .tape = tape_new(1)};
    Params *p = m->params;
    BlockConfig config = {.channels = C, .heads = H, .hidden = 20, .post_norm = post_norm};
    config.dropout = 0.1; /* which decoding leaves out */
    bool ok = nn_embedding_init(&m->words, p, "words", V, C) &&
              nn_position_init(&m->position, p, "position", kind, LONGEST, C);
    for (int i = 0; ok && i < LAYERS; i++)
        ok = nn_transformer_block_init(&m->block[i], p, params_format(p, "blocks.%d", i), config);
    ok = ok && nn_layernorm_init(&m->norm, p, "norm", C) &&
         nn_linear_init(&m->head, p, "head", C, V, true) &&
         nn_cache_init(&m->cache, LAYERS, batch, LONGEST, H, C);
    if (m->tape)
        m->tape->no_grad = true;
    return ok && m->tape;
}

bool model_open(Model *m, int64_t batch, bool post_norm, PositionKind kind)
{
    return CHECK(model_make(m, batch, post_norm, kind), "%s", tensor_error());
}

void model_free(Model *m)
{
    nn_cache_free(&m->cache);
    tape_free(m->tape);
    params_free(m->params);
}

void model_close(Model *m)
{
    CHECK_NO_ERROR();
    model_free(m);
}

static Tensor *full(Model *m, Tensor *ids)
{
    Tensor *x = nn_position(&m->position, nn_embedding(&m->words, ids));
    for (int i = 0; i < LAYERS; i++)
        x = nn_transformer_block(&m->block[i], x, (Mask){.causal = true});
    return nn_linear(&m->head, nn_norm(&m->norm, x));
}

Tensor *model_cached(void *model, Tensor *ids, KVCache *cache)
{
    Model *m = model;
    if (m->fail_in > 0 && --m->fail_in == 0)
        return tensor_poison();
    if (tensor_is_poison(ids))
        return ids;
    Tensor *positions = nn_cache_positions(cache, ids->tape, ids->shape.dim[1]);
    Tensor *x = nn_position_at(&m->position, nn_embedding(&m->words, ids), positions);
    for (int i = 0; i < LAYERS; i++)
        x = nn_transformer_block_cached(&m->block[i], x, cache, i);
    return nn_linear(&m->head, nn_norm(&m->norm, x));
}

const real *model_full_logits(Model *m, const int *ids, int t)
{
    tape_reset(m->tape);
    Tensor *y = full(m, tape_ids(m->tape, ids, shape2(1, t + 1)));
    CHECK(!tensor_is_poison(y), "%s", tensor_error());
    return tensor_is_poison(y) ? NULL : y->data + t * V;
}
