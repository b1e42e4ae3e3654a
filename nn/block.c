/* block.c: the encoder block: attention mixes tokens, the feed-forward works on each.
 *                   "Attention is all you need" (2017), fig. 1, left; V "Encoder Block Summarized",
 *                   Z "Transformer layer", J "On the LayerNorm in Transformer" (Xiong et al. 2020) */
#include "nn/nn.h"

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
typedef struct {
    Mask mask;
    KVCache *cache; /* NULL for none */
    int layer;
} Others;

static Tensor *attend(const TransformerBlock *b, Tensor *x, const Others *o)
{
    return o->cache ? nn_attention_cached(&b->attn, x, o->cache, o->layer)
                    : nn_attention(&b->attn, x, o->mask);
}

/* Normalised after each sum: the residual path itself goes through the norms. */
static Tensor *post_norm(const TransformerBlock *b, Tensor *x, const Others *o)
{
    Tensor *a = attend(b, x, o);
    x = nn_layernorm(&b->norm1, ag_add(x, ag_dropout(a, b->dropout)));
    Tensor *h = nn_feedforward(&b->ff, x);
    return nn_layernorm(&b->norm2, ag_add(x, ag_dropout(h, b->dropout)));
}

/* Normalised before each branch: the residual path is a sum from the first block to the last. */
static Tensor *pre_norm(const TransformerBlock *b, Tensor *x, const Others *o)
{
    Tensor *a = attend(b, nn_layernorm(&b->norm1, x), o);
    x = ag_add(x, ag_dropout(a, b->dropout));
    Tensor *h = nn_feedforward(&b->ff, nn_layernorm(&b->norm2, x));
    return ag_add(x, ag_dropout(h, b->dropout));
}

static Tensor *block(const TransformerBlock *b, Tensor *x, const Others *o)
{
    return b->post_norm ? post_norm(b, x, o) : pre_norm(b, x, o);
}

Tensor *nn_transformer_block(const TransformerBlock *b, Tensor *x, Mask mask)
{
    Others others = {.mask = mask};
    return block(b, x, &others);
}

Tensor *nn_transformer_block_cached(const TransformerBlock *b, Tensor *x, KVCache *cache, int layer)
{
    Others others = {.cache = cache, .layer = layer};
    return block(b, x, &others);
}
