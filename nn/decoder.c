/* decoder.c: the decoder block of an encoder-decoder: it looks at what it has written, then at what it was
 * given to read, then thinks about each token alone.
 *                   "Attention is all you need" (2017), fig. 1, right; V "Decoder Block: Masked MSA",
 *                   V "Decoder Block: Cross-Attention" */
#include "nn/internal.h"

bool nn_decoder_block_init(DecoderBlock *b, Params *p, const char *name, BlockConfig c)
{
    *b = (DecoderBlock){.dropout = (real)c.dropout, .post_norm = c.post_norm};
    params_enter(p, name);
    bool ok = nn_layernorm_init(&b->norm1, p, "norm1", c.channels) &&
              nn_attention_init(&b->self_attn, p, "self_attn", c.channels, c.heads, c.dropout) &&
              nn_layernorm_init(&b->norm2, p, "norm2", c.channels) &&
              nn_attention_init(&b->cross_attn, p, "cross_attn", c.channels, c.heads, c.dropout) &&
              nn_layernorm_init(&b->norm3, p, "norm3", c.channels) &&
              nn_feedforward_init(&b->ff, p, "ff", c.channels,
                                  c.hidden > 0 ? c.hidden : 4 * c.channels, c.activation, 0);
    params_leave(p);
    return ok;
}

/* What there is to look at: all of it, or what two caches hold. */
typedef struct {
    Tensor *memory;
    Mask mask, memory_mask;
    KVCache *written; /* NULL: no caches */
    const KVCache *source;
    int layer;
} View;

static Tensor *look_back(const DecoderBlock *b, Tensor *x, const View *view)
{
    return view->written ? nn_attention_cached(&b->self_attn, x, view->written, view->layer)
                         : nn_attention(&b->self_attn, x, view->mask);
}

static Tensor *look_across(const DecoderBlock *b, Tensor *x, const View *view)
{
    return view->written ? nn_cross_attention_cached(&b->cross_attn, x, view->source, view->layer)
                         : nn_cross_attention(&b->cross_attn, x, view->memory, view->memory_mask);
}

/* Pre-norm: the memory is not normalised here, for an encoder of pre-norm blocks ends with a norm of its own. */
static Tensor *block(const DecoderBlock *b, Tensor *x, const View *view)
{
    if (b->post_norm) {
        x = nn_layernorm(&b->norm1, join(x, look_back(b, x, view), b->dropout));
        x = nn_layernorm(&b->norm2, join(x, look_across(b, x, view), b->dropout));
        return nn_layernorm(&b->norm3, join(x, nn_feedforward(&b->ff, x), b->dropout));
    }
    x = join(x, look_back(b, nn_layernorm(&b->norm1, x), view), b->dropout);
    Tensor *query = nn_layernorm(&b->norm2, x);
    x = join(x, look_across(b, query, view), b->dropout);
    return join(x, nn_feedforward(&b->ff, nn_layernorm(&b->norm3, x)), b->dropout);
}

Tensor *nn_decoder_block(const DecoderBlock *b, Tensor *x, Tensor *memory, Mask mask,
                         Mask memory_mask)
{
    mask.causal = true;
    return block(b, x, &(View){.memory = memory, .mask = mask, .memory_mask = memory_mask});
}

bool nn_decoder_block_read(const DecoderBlock *b, Tensor *memory, KVCache *source, int layer)
{
    return nn_cross_attention_read(&b->cross_attn, memory, source, layer);
}

Tensor *nn_decoder_block_cached(const DecoderBlock *b, Tensor *x, KVCache *written,
                                const KVCache *source, int layer)
{
    return block(b, x, &(View){.written = written, .source = source, .layer = layer});
}
