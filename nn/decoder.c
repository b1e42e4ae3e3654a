/* decoder.c: the decoder block of an encoder-decoder: it looks at what it has written, then at what it was
 * given to read, then thinks about each token alone.
 *                   "Attention is all you need" (2017), fig. 1, right; V "Decoder Block: Masked MSA",
 *                   V "Decoder Block: Cross-Attention" */
#include "nn/check.h"

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

/* Pre-norm: the memory is not normalised here, for an encoder of pre-norm blocks ends with a norm of its own. */
Tensor *nn_decoder_block(const DecoderBlock *b, Tensor *x, Tensor *memory, Mask mask,
                         Mask memory_mask)
{
    mask.causal = true;
    if (b->post_norm) {
        x = nn_layernorm(&b->norm1, join(x, nn_attention(&b->self_attn, x, mask), b->dropout));
        Tensor *read = nn_cross_attention(&b->cross_attn, x, memory, memory_mask);
        x = nn_layernorm(&b->norm2, join(x, read, b->dropout));
        return nn_layernorm(&b->norm3, join(x, nn_feedforward(&b->ff, x), b->dropout));
    }
    Tensor *told = nn_attention(&b->self_attn, nn_layernorm(&b->norm1, x), mask);
    x = join(x, told, b->dropout);
    Tensor *query = nn_layernorm(&b->norm2, x);
    x = join(x, nn_cross_attention(&b->cross_attn, query, memory, memory_mask), b->dropout);
    return join(x, nn_feedforward(&b->ff, nn_layernorm(&b->norm3, x)), b->dropout);
}
