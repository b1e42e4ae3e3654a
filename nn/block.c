/* block.c: the encoder block: attention mixes tokens, the feed-forward works on each.
 *                   "Attention is all you need" (2017), fig. 1, left; V "Encoder Block Summarized",
 *                   Z "Transformer layer", J "On the LayerNorm in Transformer" (Xiong et al. 2020) */
#include "nn/internal.h"

bool nn_transformer_block_init(TransformerBlock *b, Params *p, const char *name, BlockConfig c)
{
    *b = (TransformerBlock){.dropout = (real)c.dropout, .post_norm = c.post_norm};
    params_enter(p, name);
    bool ok = nn_layernorm_init(&b->norm1, p, "norm1", c.channels) &&
              nn_attention_init(&b->attn, p, "attn", c.channels, c.heads, c.dropout) &&
              nn_layernorm_init(&b->norm2, p, "norm2", c.channels) &&
              nn_feedforward_init(&b->ff, p, "ff", c.channels,
                                  c.hidden > 0 ? c.hidden : 4 * c.channels, c.activation, 0);
    params_leave(p);
    return ok;
}

/* What the tokens are told by each other; with a cache, also by those that came before. */
static Tensor *attend(const TransformerBlock *b, Tensor *x, Mask mask, KVCache *cache, int layer)
{
    return cache ? nn_attention_cached(&b->attn, x, cache, layer) : nn_attention(&b->attn, x, mask);
}

/* Post-norm: normalised after each sum, so that the residual path itself goes through the norms.
 * Pre-norm: normalised before each branch; the residual path is a sum from the first block to the last. */
static Tensor *block(const TransformerBlock *b, Tensor *x, Mask mask, KVCache *cache, int layer)
{
    if (b->post_norm) {
        Tensor *a = attend(b, x, mask, cache, layer);
        x = nn_layernorm(&b->norm1, join(x, a, b->dropout));
        return nn_layernorm(&b->norm2, join(x, nn_feedforward(&b->ff, x), b->dropout));
    }
    Tensor *a = attend(b, nn_layernorm(&b->norm1, x), mask, cache, layer);
    x = join(x, a, b->dropout);
    return join(x, nn_feedforward(&b->ff, nn_layernorm(&b->norm2, x)), b->dropout);
}

Tensor *nn_transformer_block(const TransformerBlock *b, Tensor *x, Mask mask)
{
    return block(b, x, mask, NULL, 0);
}

Tensor *nn_transformer_block_cached(const TransformerBlock *b, Tensor *x, KVCache *cache, int layer)
{
    return block(b, x, (Mask){0}, cache, layer);
}
