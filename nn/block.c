/* block.c: the encoder block. Self-attention mixes tokens; the feed-forward layer works on each
 * token by itself.
 *                   "Attention is all you need" (2017), fig. 1, left; V "Encoder Block Summarized",
 *                   Z "Transformer layer", J "On the LayerNorm in Transformer" (Xiong et al. 2020)
 *                   (lectures/README.md)
 *   pre-norm:   x = x + attn(norm1(x));   x = x + ff(norm2(x))
 *   post-norm:  x = norm1(x + attn(x));   x = norm2(x + ff(x))
 *   parallel:   x = x + attn(norm1(x)) + ff(norm2(x))     Black et al., "GPT-NeoX-20B" (2022) */
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
    if ((c->post_norm && (c->parallel || c->branch_norms || c->no_first_norm)) ||
        (c->parallel && c->branch_norms))
        return tensor_fail(
            "%s: parallel, branch_norms or no_first_norm %s; expected at most one of "
            "the former two, in pre-norm form",
            who, c->post_norm ? "in post-norm form" : "together");
    return c->no_bias <= NO_BIAS ||
           tensor_fail(
               "%s: no_bias is %u; expected NO_BIAS_IN, NO_BIAS_OUT, NO_BIAS_FEEDFORWARD and "
               "NO_BIAS_NORM, or some",
               who, c->no_bias);
}

bool block_norm_init(Norm *n, Params *p, const char *name, const BlockConfig *c)
{
    NormKind kind = c->rms_norm                 ? NORM_RMS
                    : c->no_bias & NO_BIAS_NORM ? NORM_LAYER_GAIN
                                                : NORM_LAYER;
    return norm_init(n, p, name, c->channels, kind, c->epsilon, "nn_norm");
}

bool block_attention_init(MultiHeadAttention *a, Params *p, const char *name, const BlockConfig *c)
{
    AttentionConfig attention = {.channels = c->channels,
                                 .heads = c->heads,
                                 .dropout = c->dropout,
                                 .kv_heads = c->kv_heads,
                                 .head_size = c->head_size,
                                 .no_bias = c->no_bias & (NO_BIAS_IN | NO_BIAS_OUT),
                                 .rotary = c->rotary,
                                 .bias = c->bias,
                                 .scale = c->scale,
                                 .window = c->window,
                                 .qk_epsilon = c->qk_epsilon};
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
    b->parallel = c.parallel;
    b->path = params_enter(p, name);
    bool ok = b->path && (c.no_first_norm || block_norm_init(&b->norm1, p, "norm1", &c)) &&
              block_attention_init(&b->attn, p, "attn", &c) &&
              (!c.branch_norms || block_norm_init(&b->after1, p, "after1", &c)) &&
              block_norm_init(&b->norm2, p, "norm2", &c) && feedforward_init(&b->ff, p, "ff", &c) &&
              (!c.branch_norms || block_norm_init(&b->after2, p, "after2", &c));
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

/* A norm that some blocks do not have. */
static Tensor *normed(const Norm *n, Tensor *x)
{
    return n->weight ? nn_norm(n, x) : x;
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
    Tensor *a = attend(b, normed(&b->norm1, x), mask, cache, layer);
    Tensor *mid = residual(x, normed(&b->after1, a), b->dropout, b->path, "mid");
    Tensor *f = nn_feedforward(&b->ff, normed(&b->norm2, b->parallel ? x : mid));
    return residual(mid, normed(&b->after2, f), b->dropout, b->path, "out");
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
