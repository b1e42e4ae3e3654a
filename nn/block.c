/* block.c: the encoder block. Self-attention mixes tokens; the feed-forward layer works on each
 * token by itself.
 *                   "Attention is all you need" (2017), fig. 1, left; V "Encoder Block Summarized",
 *                   Z "Transformer layer", J "On the LayerNorm in Transformer" (Xiong et al. 2020)
 *                   (lectures/README.md)
 *   pre-norm:   x = x + attn(norm1(x));   x = x + ff(norm2(x))
 *   post-norm:  x = norm1(x + attn(x));   x = norm2(x + ff(x)) */
#include "nn/internal.h"

#include <math.h>

/* What none of the parts checks. */
bool block_check(const BlockConfig *c, const char *who)
{
    if (c->hidden < 0)
        return tensor_fail("%s: hidden is %lld; expected 0 for 4 channels, or more", who,
                           (long long)c->hidden);
    if (!(c->epsilon >= 0) || isinf(c->epsilon))
        return tensor_fail("%s: epsilon is %g; expected 0 for 1e-5, or a positive number", who,
                           c->epsilon);
    return c->no_bias <= NO_BIAS || tensor_fail("%s: no_bias is %u; expected NO_BIAS_IN, "
                                                "NO_BIAS_OUT and NO_BIAS_FEEDFORWARD, or some",
                                                who, c->no_bias);
}

bool block_norm_init(Norm *n, Params *p, const char *name, const BlockConfig *c)
{
    NormKind kind = c->rms_norm ? NORM_RMS : NORM_LAYER;
    return norm_init(n, p, name, c->channels, kind, c->epsilon, "nn_norm");
}

bool block_attention_init(MultiHeadAttention *a, Params *p, const char *name, const BlockConfig *c)
{
    unsigned no_bias = c->no_bias & ~(unsigned)NO_BIAS_FEEDFORWARD;
    AttentionConfig attention = {c->channels,  c->heads, c->dropout, c->kv_heads,
                                 c->head_size, no_bias,  c->rotary};
    return nn_attention_init_with(a, p, name, attention);
}

/* The weights are registered in the order in which a pre-norm block uses them. */
bool nn_transformer_block_init(TransformerBlock *b, Params *p, const char *name, BlockConfig c)
{
    const char *who = "nn_transformer_block_init";
    if (!check_init(b, sizeof *b, p, name, who) || !block_check(&c, who))
        return false;
    b->dropout = (real)c.dropout;
    b->post_norm = c.post_norm;
    b->path = params_enter(p, name);
    bool ok = b->path && block_norm_init(&b->norm1, p, "norm1", &c) &&
              block_attention_init(&b->attn, p, "attn", &c) &&
              block_norm_init(&b->norm2, p, "norm2", &c) && feedforward_init(&b->ff, p, "ff", &c);
    params_leave(p);
    return ok;
}

static Tensor *attend(const TransformerBlock *b, Tensor *x, Mask mask, KVCache *cache, int layer)
{
    return cache ? nn_attention_cached(&b->attn, x, cache, layer) : nn_attention(&b->attn, x, mask);
}

Tensor *block_input(Tensor *x, const char *path)
{
    bool view = x && *x->name && !tensor_is_poison(x) && x->tape && !tape_is_watched() &&
                tape_names_all(x->tape); /* the same numbers under a second name */
    return x && *x->name && !view ? x : given_name(view ? ag_reshape(x, x->shape) : x, path, "in");
}

/* Post-norm normalises after each sum, so that the residual path itself passes through the norms.
 * Pre-norm normalises the input of each branch; its residual path is a plain sum from the first
 * block to the last. */
static Tensor *block(const TransformerBlock *b, Tensor *x, Mask mask, KVCache *cache, int layer)
{
    x = block_input(x, b->path);
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
    if (!cache)
        return tape_error(x ? x->tape : NULL,
                          "nn_transformer_block_cached: the cache is NULL; expected a KVCache");
    return block(b, x, (Mask){0}, cache, layer);
}
