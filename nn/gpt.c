/* gpt.c: a decoder-only language model.
 *                   Radford et al. 2019; Z "Decoder transformers: GPT model", B "Transformer-based LM:
 *                   Overview" (lectures/README.md)
 *   logits_t = E x_t,   x = encoder(ids) with a causal mask,   E (V, C) the embedding */
#include "nn/internal.h"

#include <string.h>

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
        return tensor_fail("nn_gpt_init: words %lld, longest %lld; expected 1 or more",
                           (long long)c.words, (long long)c.longest);
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
    return init_done(p, first, m->head.path != NULL);
}

Tensor *nn_gpt(const Gpt *m, Tensor *ids)
{
    if (!check_module(m ? m->head.path : NULL, ids, "nn_gpt"))
        return tensor_poison();
    return nn_linear(&m->head, encoder_pass(&m->encoder, ids, (Mask){0}, NULL, "nn_gpt"));
}

Tensor *nn_gpt_cached(void *model, Tensor *ids, KVCache *cache)
{
    const Gpt *m = model;
    if (!check_module(m ? m->head.path : NULL, ids, "nn_gpt_cached"))
        return tensor_poison();
    if (!cache_check(cache, "nn_gpt_cached"))
        return tape_fail(ids ? ids->tape : NULL);
    return nn_linear(&m->head, encoder_pass(&m->encoder, ids, (Mask){0}, cache, "nn_gpt_cached"));
}

bool nn_gpt_cache(const Gpt *m, KVCache *cache, int64_t batch)
{
    if (!check_module(m ? m->head.path : NULL, NULL, "nn_gpt_cache"))
        return false;
    const GptConfig *c = &m->config;
    return nn_cache_init(cache, c->layers, batch, c->longest, c->heads, c->channels);
}

/* ---- in a file: the weights, and settings, path and text as metadata ------------------------- */

enum { SETTINGS = 8 };

bool nn_gpt_save(const char *path, const Gpt *m, const Params *p, const char *text)
{
    if (!params_given(p, path, "path", "nn_gpt_save") ||
        !check_module(m ? m->head.path : NULL, NULL, "nn_gpt_save"))
        return false;
    GptConfig c = m->config;
    int64_t heads = c.heads, layers = c.layers, position = c.position, causal = m->encoder.causal;
    void *number[SETTINGS] = {&c.words, &c.longest, &c.channels, &heads,
                              &layers,  &position,  &causal,     &c.dropout};
    char settings[METADATA_TEXT];
    const char *pair[] = {"gpt",  metadata_text(settings, number, SETTINGS),
                          "path", m->encoder.path,
                          "text", text};
    return params_save(path, p, pair, text ? 3 : 2);
}

/* Numbers that no init checks, or not as what they are in a file. */
static bool settings_fit(const uint64_t n[SETTINGS], const Safetensors *file, const char *path)
{
    bool small = n[0] <= INT32_MAX && n[1] <= INT32_MAX && n[2] <= INT32_MAX;
    return (small && n[3] <= INT32_MAX && n[4] <= (uint64_t)file->count && n[5] <= POSITION_NONE &&
            n[6] <= 1) ||
           tensor_fail("nn_gpt_load: %s: found settings of no model; expected those of %d tensors",
                       path, file->count);
}

static bool load(Gpt *m, Params *p, const Safetensors *file, const char *path)
{
    static const char who[] = "nn_gpt_load";
    const char *name = metadata_find(file, "path");
    uint64_t n[SETTINGS];
    if (!metadata_numbers(file, path, "gpt", n, SETTINGS, who) || !settings_fit(n, file, path))
        return false;
    GptConfig c = {.words = (int64_t)n[0],
                   .longest = (int64_t)n[1],
                   .channels = (int64_t)n[2],
                   .heads = (int)n[3],
                   .layers = (int)n[4],
                   .position = (PositionKind)n[5]};
    memcpy(&c.dropout, &n[7], sizeof c.dropout);
    p->expected = file;
    bool ok = nn_gpt_init(m, p, name ? name : "", c);
    p->expected = NULL;
    m->encoder.causal = n[6];
    return ok && params_take(p, file, NULL, 0, path, who);
}

bool nn_gpt_load(const char *path, Gpt *m, Params *p, const char **text)
{
    Safetensors file;
    if (!params_given(p, path, "path", "nn_gpt_load") ||
        !init_path(m, sizeof *m, p, "", "nn_gpt_load") || !safetensors_read(path, &file))
        return false;
    const int first = p->count;
    bool ok = load(m, p, &file, path);
    const char *found = ok && text ? metadata_find(&file, "text") : NULL;
    if (text)
        *text = found ? arena_copy(&p->own->arena, found, strlen(found) + 1) : NULL;
    ok = ok && (!found || *text);
    safetensors_free(&file);
    if (!ok)
        *m = (Gpt){0};
    return init_done(p, first, ok);
}
