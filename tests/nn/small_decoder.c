/* small_decoder.c: see small_decoder.h. */
#include "tests/nn/small_decoder.h"

/* Matrices begin with a deviation of 0.02, with which all keys would count nearly the same. */
static void enlarge(Params *p)
{
    for (int i = 0; i < p->count; i++)
        for (int64_t k = 0; p->weight[i]->shape.rank > 1 && k < tensor_size(p->weight[i]); k++)
            p->weight[i]->data[k] *= 15;
}

bool model_make(Model *m, int64_t batch, PositionKind kind)
{
    *m = (Model){.params = params_new(3), .tape = tape_new(1)};
    const GptConfig config = {.words = V,
                              .longest = LONGEST,
                              .channels = C,
                              .heads = H,
                              .layers = LAYERS,
                              .position = kind,
                              .dropout = 0.1}; /* which decoding leaves out */
    bool ok = m->tape && nn_gpt_init(&m->gpt, m->params, "", config) &&
              nn_gpt_cache(&m->gpt, &m->cache, batch);
    if (ok)
        enlarge(m->params);
    if (m->tape)
        m->tape->no_grad = true;
    return ok;
}

bool model_usual(Model *m)
{
    return model_make(m, MODEL_BATCH, POSITION_LEARNED);
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
    return nn_gpt_cached(&m->gpt, ids, cache);
}

const real *model_full_logits(Model *m, const int *ids, int t)
{
    tape_reset(m->tape);
    Tensor *y = nn_gpt(&m->gpt, tape_ids(m->tape, ids, shape2(1, t + 1)));
    CHECK(!tensor_is_poison(y), "%s", tensor_error());
    return tensor_is_poison(y) ? NULL : y->data + t * V;
}
