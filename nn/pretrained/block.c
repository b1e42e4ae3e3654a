/* block.c: the block of other people's models, of encoders and of decoders: that of nn/block.c and
 * nn/decoder.c, with what families differ in, each where config.json says so.
 *   pre-norm:     x = x + attn(norm(x));  x = x + cross(norm(x), memory);  x = x + ff(norm(x))
 *   post-norm:    x = norm(x + attn(x));  x = norm(x + cross(x, memory));  x = norm(x + ff(x))
 *   parallel:     x = x + attn(norm(x)) + ff(norm(x))     Black et al., "GPT-NeoX-20B" (2022)
 *   branch norms: x = x + after(attn(norm(x)));  x = x + after(ff(norm(x)))     Gemma 3
 * Blocks of an encoder, and of a decoder-only model, have no cross. */
#include "nn/pretrained/inside.h"

#include "tensor/memory.h"

/* The path of a part of the block. */
static const char *part(const PretrainedBlock *b, Pretrained *m, const char *name)
{
    return params_path(m->params, "%s.%s", b->path, name);
}

/* The weights of the feed-forward layer; the block drops its result. */
static bool feedforward(PretrainedBlock *b, Pretrained *m)
{
    const PretrainedConfig *c = &m->config;
    b->ff = (FeedForward){.activation = c->activation};
    return feedforward_init(&b->ff, m->params, part(b, m, "ff"), c->channels, c->hidden, c->gated,
                            !(c->no_bias & NO_BIAS_FEEDFORWARD), PRETRAINED_WHO);
}

/* Block i of the encoder or of a decoder-only model; or of the decoder beside an encoder. */
static bool block_init(PretrainedBlock *b, Pretrained *m, int i, bool decoder)
{
    const PretrainedConfig *c = &m->config;
    const int64_t C = c->channels;
    const bool local = c->local && c->local[i], normed = i == 0 && family_has(c, FIRST_IS_NORMED);
    b->parallel = c->parallel;
    bool ok = (normed || pretrained_norm(m, part(b, m, "norm1"), &b->attn_norm, C)) &&
              pretrained_attention_init(&b->attn, m, part(b, m, decoder ? "self_attn" : "attn")) &&
              (!c->branch_norms || pretrained_norm(m, part(b, m, "after1"), &b->after_attn, C)) &&
              (!decoder || (pretrained_norm(m, part(b, m, "norm2"), &b->cross_norm, C) &&
                            pretrained_attention_init(&b->cross, m, part(b, m, "cross_attn")))) &&
              pretrained_norm(m, part(b, m, decoder ? "norm3" : "norm2"), &b->ff_norm, C) &&
              feedforward(b, m) &&
              (!c->branch_norms || pretrained_norm(m, part(b, m, "after2"), &b->after_ff, C));
    b->attn.rotary = !c->frequency ? NULL : local ? &m->local_rotary : &m->rotary;
    b->attn.window = local ? c->window : 0;
    b->attn.distance_bias = decoder ? m->decoder.distance_bias : m->encoder.distance_bias;
    b->attn.both_directions = !decoder;
    return ok;
}

bool pretrained_stack_init(Pretrained *m, bool decoder)
{
    PretrainedStack *s = decoder ? &m->decoder : &m->encoder;
    int64_t layers = decoder ? m->config.decoder_layers : m->config.layers;
    const bool post_norm = family_has(&m->config, POST_NORM);
    s->blocks = mem_zeroed((size_t)layers * sizeof *s->blocks);
    bool ok = s->blocks != NULL;
    for (int i = 0; ok && i < layers; i++) {
        PretrainedBlock *b = &s->blocks[i];
        b->dropout = (real)m->config.dropout;
        b->post_norm = post_norm;
        b->path = params_path(m->params, decoder ? "decoder.%d" : "blocks.%d", i);
        ok = b->path && block_init(b, m, i, decoder);
    }
    s->layers = ok ? (int)layers : 0;
    const char *norm = decoder ? "decoder_norm" : "norm";
    return ok && (post_norm || pretrained_norm(m, norm, &s->norm, m->config.channels));
}

/* A norm that some blocks do not have. */
static Tensor *normed(const Norm *n, Tensor *x)
{
    return n->weight ? nn_norm(n, x) : x;
}

static Tensor *one_block(const PretrainedBlock *b, Tensor *x, const PretrainedContext *c, int layer)
{
    const bool cross = b->cross.in_proj_weight;
    const char *path = b->path;
    const real p = b->dropout;
    if (b->post_norm) {
        Tensor *sum = pretrained_attention(&b->attn, x, c, layer);
        sum = residual(x, sum, p, path, "mid_sum");
        x = given_name(nn_norm(&b->attn_norm, sum), path, "mid");
        if (cross) {
            sum = residual(x, pretrained_cross(&b->cross, x, c, layer), p, path, "mid2_sum");
            x = given_name(nn_norm(&b->cross_norm, sum), path, "mid2");
        }
        sum = residual(x, nn_feedforward(&b->ff, x), p, path, "out_sum");
        return given_name(nn_norm(&b->ff_norm, sum), path, "out");
    }
    Tensor *a = pretrained_attention(&b->attn, normed(&b->attn_norm, x), c, layer);
    Tensor *mid = residual(x, normed(&b->after_attn, a), p, path, "mid");
    if (cross) {
        a = pretrained_cross(&b->cross, nn_norm(&b->cross_norm, mid), c, layer);
        mid = residual(mid, a, p, path, "mid2");
    }
    Tensor *f = nn_feedforward(&b->ff, normed(&b->ff_norm, b->parallel ? x : mid));
    return residual(mid, normed(&b->after_ff, f), p, path, "out");
}

/* Where neither the program nor backward reads what is between them, a block's results are released
 * after it. */
Tensor *pretrained_blocks(const PretrainedStack *s, Tensor *x, const PretrainedContext *c,
                          Tensor **hidden)
{
    Tape *tape = tensor_is_poison(x) ? NULL : x->tape;
    const bool release = tape && tape->no_grad && !hidden;
    const int mark = release ? tape->tensors : 0;
    for (int i = 0; i < s->layers; i++) {
        if (hidden)
            hidden[i] = x;
        x = one_block(&s->blocks[i], x, c, i);
        if (release)
            tape_release_since(tape, mark, x);
    }
    x = normed(&s->norm, x);
    if (hidden)
        hidden[s->layers] = x;
    return x;
}
