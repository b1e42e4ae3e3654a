/* block.c: the encoder block. Self-attention mixes tokens; the feed-forward layer works on each
 * token by itself.
 *                   "Attention is all you need" (2017), fig. 1, left; V "Encoder Block Summarized",
 *                   Z "Transformer layer", J "On the LayerNorm in Transformer" (Xiong et al. 2020)
 *                   (lectures/README.md)
 *   pre-norm:   x = x + attn(norm1(x));   x = x + ff(norm2(x))
 *   post-norm:  x = norm1(x + attn(x));   x = norm2(x + ff(x)) */
#include "nn/internal.h"

bool block_hidden(BlockConfig *c, const char *who)
{
    if (c->hidden < 0)
        return tensor_fail("%s: hidden is %lld; expected 0 for 4 channels, or more", who,
                           (long long)c->hidden);
    c->hidden = c->hidden > 0 ? c->hidden : 4 * c->channels;
    return true;
}

/* The weights are registered in the order in which a pre-norm block uses them. */
bool nn_transformer_block_init(TransformerBlock *b, Params *p, const char *path, BlockConfig c)
{
    const char *who = "nn_transformer_block_init";
    if (!(path = init_path(b, sizeof *b, p, path, who)) || !block_hidden(&c, who))
        return false;
    const int first = p->count;
    b->dropout = (real)c.dropout;
    b->post_norm = c.post_norm;
    b->path = path;
    bool ok = nn_layernorm_init(&b->norm1, p, params_path(p, "%s.norm1", path), c.channels) &&
              nn_attention_init(&b->attn, p, params_path(p, "%s.attn", path), c.channels, c.heads,
                                c.dropout) &&
              nn_layernorm_init(&b->norm2, p, params_path(p, "%s.norm2", path), c.channels) &&
              nn_feedforward_init(&b->ff, p, params_path(p, "%s.ff", path), c.channels, c.hidden,
                                  c.activation, 0);
    b->attn.rotary = c.rotary;
    return init_done(p, first, ok);
}

static Tensor *attend(const TransformerBlock *b, Tensor *x, Mask mask, KVCache *cache, int layer)
{
    return cache ? nn_attention_cached(&b->attn, x, cache, layer) : nn_attention(&b->attn, x, mask);
}

/* Post-norm normalises after each sum, so that the residual path itself passes through the norms.
 * Pre-norm normalises the input of each branch; its residual path is a plain sum from the first
 * block to the last. */
static Tensor *block(const TransformerBlock *b, Tensor *x, Mask mask, KVCache *cache, int layer)
{
    if (b->post_norm) {
        Tensor *a = attend(b, x, mask, cache, layer);
        Tensor *sum = residual(x, a, b->dropout, b->path, "mid_sum");
        x = given_name(nn_norm(&b->norm1, sum), b->path, "mid");
        sum = residual(x, nn_feedforward(&b->ff, x), b->dropout, b->path, "out_sum");
        return given_name(nn_norm(&b->norm2, sum), b->path, "out");
    }
    Tensor *a = attend(b, nn_norm(&b->norm1, x), mask, cache, layer);
    x = residual(x, a, b->dropout, b->path, "mid");
    return residual(x, nn_feedforward(&b->ff, nn_norm(&b->norm2, x)), b->dropout, b->path, "out");
}

Tensor *nn_transformer_block(const TransformerBlock *b, Tensor *x, Mask mask)
{
    if (!check_module(b ? b->ff.down.weight : NULL, x, "nn_transformer_block"))
        return tensor_poison();
    return block(b, x, mask, NULL, 0);
}

Tensor *nn_transformer_block_cached(const TransformerBlock *b, Tensor *x, KVCache *cache, int layer)
{
    if (!check_module(b ? b->ff.down.weight : NULL, x, "nn_transformer_block_cached"))
        return tensor_poison();
    if (!cache_check(cache, "nn_transformer_block_cached"))
        return tape_fail(x ? x->tape : NULL);
    return block(b, x, (Mask){0}, cache, layer);
}
