/* small_decoder.c: see small_decoder.h. */
#include "tests/nn/small_decoder.h"

#include "nn/internal.h"

bool model_make(Model *m, int64_t batch, bool post_norm, PositionKind kind)
{
    *m = (Model){.params = params_new(3), .tape = tape_new(1)};
    Params *p = m->params;
    const EncoderConfig config = {
        .words = V,
        .longest = LONGEST,
        .position = kind,
        .layers = LAYERS,
        .dropout = 0.1, /* which decoding leaves out */
        .block = {.channels = C, .heads = H, .hidden = 20, .dropout = 0.1, .post_norm = post_norm}};
    bool ok = nn_encoder_init(&m->encoder, p, "", config) &&
              nn_linear_init(&m->head, p, "head", C, V, true) &&
              nn_cache_init(&m->cache, LAYERS, batch, LONGEST, H, C);
    m->encoder.causal = true;
    if (m->tape)
        m->tape->no_grad = true;
    return ok && m->tape;
}

bool model_usual(Model *m)
{
    return model_make(m, MODEL_BATCH, false, POSITION_LEARNED);
}

void model_free(Model *m)
{
    nn_cache_free(&m->cache);
    tape_free(m->tape);
    params_free(m->params);
}

Tensor *model_cached(void *model, Tensor *ids, KVCache *cache)
{
    Model *m = model;
    if (m->fail_in > 0 && --m->fail_in == 0)
        return tensor_poison();
    return nn_linear(&m->head, encoder_pass(&m->encoder, ids, (Mask){0}, cache, "model_cached"));
}

const real *model_full_logits(Model *m, const int *ids, int t)
{
    tape_reset(m->tape);
    Tensor *y =
        nn_linear(&m->head,
                  nn_encoder(&m->encoder, tape_ids(m->tape, ids, shape2(1, t + 1)), (Mask){0}));
    CHECK(!tensor_is_poison(y), "%s", tensor_error());
    return tensor_is_poison(y) ? NULL : y->data + t * V;
}
