/* block.c: the encoder block. Self-attention mixes tokens; the feed-forward layer works on each token by itself.
 *                   "Attention is all you need" (2017), fig. 1, left; V "Encoder Block Summarized",
 *                   Z "Transformer layer", J "On the LayerNorm in Transformer" (Xiong et al. 2020)
 *                   (lectures/README.md)
 *   pre-norm:   x = x + attn(norm1(x));   x = x + ff(norm2(x))
 *   post-norm:  x = norm1(x + attn(x));   x = norm2(x + ff(x)) */
#include "nn/internal.h"

/* RMSNorm is kept as a LayerNorm without a bias. */
static bool norm_init(LayerNorm *l, Params *p, const char *name, const BlockConfig *c)
{
    RMSNorm r;
    bool ok = c->rms_norm ? nn_rmsnorm_init(&r, p, name, c->channels)
                          : nn_layernorm_init(l, p, name, c->channels);
    if (c->rms_norm)
        *l = (LayerNorm){.weight = r.weight};
    l->epsilon = c->epsilon > 0 ? (real)c->epsilon : (real)1e-5;
    return ok;
}

static Tensor *normalise(const TransformerBlock *b, const LayerNorm *l, Tensor *x)
{
    return b->rms_norm ? nn_rmsnorm(&(RMSNorm){l->weight, l->epsilon}, x) : nn_layernorm(l, x);
}

/* The weights are registered in the order in which a pre-norm block uses them. */
bool nn_transformer_block_init(TransformerBlock *b, Params *p, const char *name, BlockConfig c)
{
    AttentionConfig attention = {c.channels,  c.heads,   c.dropout, c.kv_heads,
                                 c.head_size, c.no_bias, c.rotary};
    if (!check_init(b, sizeof *b, p, name, "nn_transformer_block_init"))
        return false;
    b->dropout = (real)c.dropout;
    b->post_norm = c.post_norm;
    b->rms_norm = c.rms_norm;
    params_enter(p, name);
    bool ok = norm_init(&b->norm1, p, "norm1", &c) &&
              nn_attention_init_with(&b->attn, p, "attn", attention) &&
              norm_init(&b->norm2, p, "norm2", &c) && feedforward_init(&b->ff, p, "ff", &c);
    params_leave(p);
    return ok;
}

/* Self-attention, with a KV cache if there is one. */
static Tensor *attend(const TransformerBlock *b, Tensor *x, Mask mask, KVCache *cache, int layer)
{
    return cache ? nn_attention_cached(&b->attn, x, cache, layer) : nn_attention(&b->attn, x, mask);
}

/* Post-norm normalises after each sum, so that the residual path itself passes through the norms. Pre-norm normalises
 * the input of each branch; its residual path is a plain sum from the first block to the last. */
static Tensor *block(const TransformerBlock *b, Tensor *x, Mask mask, KVCache *cache, int layer)
{
    if (b->post_norm) {
        Tensor *a = attend(b, x, mask, cache, layer);
        x = normalise(b, &b->norm1, residual(x, a, b->dropout));
        return normalise(b, &b->norm2, residual(x, nn_feedforward(&b->ff, x), b->dropout));
    }
    Tensor *a = attend(b, normalise(b, &b->norm1, x), mask, cache, layer);
    x = residual(x, a, b->dropout);
    return residual(x, nn_feedforward(&b->ff, normalise(b, &b->norm2, x)), b->dropout);
}

/* Training and evaluation: all tokens at once. */
Tensor *nn_transformer_block(const TransformerBlock *b, Tensor *x, Mask mask)
{
    if (!check_module(b ? b->ff.down.weight : NULL, x, "nn_transformer_block"))
        return tensor_poison();
    return block(b, x, mask, NULL, 0);
}

/* Decoding: the new tokens only. The cache's own mask replaces the caller's. */
Tensor *nn_transformer_block_cached(const TransformerBlock *b, Tensor *x, KVCache *cache, int layer)
{
    if (!check_module(b ? b->ff.down.weight : NULL, x, "nn_transformer_block_cached"))
        return tensor_poison();
    if (!cache)
        return tape_error(x ? x->tape : NULL,
                          "nn_transformer_block_cached: the cache is NULL; expected a KVCache");
    return block(b, x, (Mask){0}, cache, layer);
}
