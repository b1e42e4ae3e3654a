/* models.c: a language model, a vision transformer, a variational autoencoder. */
#include "tests/bench/models.h"

static bool blocks_init(TransformerBlock *block, Params *p, int layers, int channels, int heads)
{
    BlockConfig config = {.channels = channels, .heads = heads};
    bool ok = true;
    for (int l = 0; ok && l < layers; l++)
        ok = nn_transformer_block_init(&block[l], p, params_path(p, "blocks.%d", l), config);
    return ok;
}

bool lm_init(LanguageModel *m, Params *p, int words, int longest, int channels, int heads,
             int layers)
{
    m->layers = layers;
    return nn_embedding_init(&m->words, p, "words", words, channels) &&
           nn_position_init(&m->positions, p, "positions", POSITION_LEARNED, longest, channels) &&
           blocks_init(m->block, p, layers, channels, heads) &&
           nn_layernorm_init(&m->norm, p, "norm", channels);
}

static Tensor *logits(const LanguageModel *m, Tensor *x)
{
    return ag_linear(nn_norm(&m->norm, x), m->words.weight, NULL);
}

Tensor *lm_loss(const LanguageModel *m, Tensor *ids, Tensor *goals, Mask mask)
{
    Tensor *x = nn_position(&m->positions, nn_embedding(&m->words, ids));
    for (int l = 0; l < m->layers; l++)
        x = nn_transformer_block(&m->block[l], x, mask);
    return ag_linear_cross_entropy(nn_norm(&m->norm, x), m->words.weight, NULL, goals,
                                   (CrossEntropyOptions){0});
}

Tensor *lm_next(void *model, Tensor *ids, KVCache *cache)
{
    const LanguageModel *m = model;
    Tensor *positions = nn_cache_positions(cache, ids->tape, ids->shape.dim[1]);
    Tensor *x = nn_position_at(&m->positions, nn_embedding(&m->words, ids), positions);
    for (int l = 0; l < m->layers; l++)
        x = nn_transformer_block_cached(&m->block[l], x, cache, l);
    return logits(m, x);
}

bool vit_init(VisionModel *m, Params *p, int side, int patch, int colours, int channels, int heads,
              int layers)
{
    int patches = (side / patch) * (side / patch);
    m->patch = patch;
    m->layers = layers;
    m->cls = params_add(p, "cls", shape3(1, 1, channels), nn_constant(0));
    m->positions = params_add(p, "positions", shape3(1, patches + 1, channels), nn_normal(0.02));
    return m->cls && m->positions &&
           nn_linear_init(&m->embed, p, "embed", colours * patch * patch, channels, true) &&
           blocks_init(m->block, p, layers, channels, heads) &&
           nn_layernorm_init(&m->norm, p, "norm", channels) &&
           nn_linear_init(&m->head, p, "head", channels, 10, true);
}

/* (B, colours, side, side) -> (B, patches, colours patch patch) */
static Tensor *cut(Tensor *images, int patch)
{
    int64_t B = images->shape.dim[0], colours = images->shape.dim[1];
    int64_t across = images->shape.dim[2] / patch;
    Shape apart = {6, {B, colours, across, patch, across, patch}};
    Tensor *x = ag_permute(ag_reshape(images, apart), (int[]){0, 2, 4, 1, 3, 5});
    return ag_reshape(x, shape3(B, across * across, colours * patch * patch));
}

Tensor *vit(const VisionModel *m, Tensor *images)
{
    Tensor *x = nn_linear(&m->embed, cut(images, m->patch)); /* (B, N, C) */
    if (tensor_is_poison(x))
        return x;
    int64_t B = x->shape.dim[0], C = shape_last(x->shape);
    Tensor *cls = ag_expand(tape_param(x->tape, m->cls), shape3(B, 1, C));
    x = ag_add(ag_concat((Tensor *[]){cls, x}, 2, 1), m->positions);
    for (int l = 0; l < m->layers; l++)
        x = nn_transformer_block(&m->block[l], x, (Mask){0});
    x = ag_slice(nn_norm(&m->norm, x), 1, 0, 1);
    return nn_linear(&m->head, ag_reshape(x, shape2(B, C)));
}

bool vae_init(Autoencoder *m, Params *p)
{
    return nn_linear_init(&m->a, p, "a", 784, 400, true) &&
           nn_linear_init(&m->mean, p, "mean", 400, 20, true) &&
           nn_linear_init(&m->variance, p, "variance", 400, 20, true) &&
           nn_linear_init(&m->c, p, "c", 20, 400, true) &&
           nn_linear_init(&m->d, p, "d", 400, 784, true);
}

Tensor *vae_loss(const Autoencoder *m, Tensor *x, Tensor *noise)
{
    Tensor *h = ag_relu(nn_linear(&m->a, x));
    Tensor *mean = nn_linear(&m->mean, h), *log_variance = nn_linear(&m->variance, h);
    Tensor *deviation = ag_exp(ag_scale(log_variance, (real)0.5));
    Tensor *z = ag_add(mean, ag_mul(deviation, noise));
    Tensor *y = nn_linear(&m->d, ag_relu(nn_linear(&m->c, z)));
    Tensor *miss = ag_scale(ag_bce_with_logits(y, x), (real)tensor_size(x)); /* its sum */
    return ag_add(miss, ag_gaussian_kl(mean, log_variance));
}
