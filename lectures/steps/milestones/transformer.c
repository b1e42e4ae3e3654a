/* transformer.c: see transformer.h. The order of the steps is that of gradus' pre-norm block; every
 * step is a function of the homeworks but the bias, which they leave out. */
#include "transformer.h"

#include "hw2.h"
#include "hw3.h"
#include "hw3b.h"
#include "hw4.h"

#include <stdlib.h>
#include <string.h>

/* The block that runs: the homework's Layer gets no more than its first weights. */
static const Transformer *model;
static int layer;

static const float *weights(const char *name)
{
    return given("blocks.%d.%s", layer, name);
}

void transformer_linear(float *y, const float *x, const float *w, const float *b, int t, int in,
                        int out)
{
    project(y, x, w, t, in, out);
    for (int i = 0; b && i < t * out; i++)
        y[i] += b[i % out];
}

static void attention_layer(float *y, const float *x, int t, int c, const float *w)
{
    static float part[3][ALL], rows[ALL], mixed[ALL], merged[ALL];
    static float a[CHANNELS_MOST * TOKENS_MOST * TOKENS_MOST];
    static int keep[TOKENS_MOST * TOKENS_MOST];
    int heads = model->heads, d = c / heads;
    for (int k = 0; k < 3; k++) { /* queries, keys, values */
        transformer_linear(rows, x, w + k * c * c, weights("attn.in_proj_bias") + k * c, t, c, c);
        split_heads(part[k], rows, t, heads, d);
    }
    make_keep(keep, t, t, model->causal, t);
    for (int i = 0; model->window && layer == 0 && i < t; i++)
        for (int j = 0; j < t; j++)
            keep[i * t + j] &= abs(i - j) <= model->window;
    attention_weights(a, part[0], part[1], keep, heads, t, t, d);
    attend(mixed, a, part[2], heads, t, t, d);
    merge_heads(merged, mixed, t, heads, d);
    transformer_linear(y, merged, weights("attn.out_proj.weight"), weights("attn.out_proj.bias"), t,
                       c, c);
}

static void feed_layer(float *y, const float *x, int t, int c, const float *w)
{
    static float wide[4 * ALL], active[4 * ALL];
    transformer_linear(wide, x, w, weights("ff.up.bias"), t, c, 4 * c);
    gelu(active, wide, t * 4 * c);
    transformer_linear(y, active, weights("ff.down.weight"), weights("ff.down.bias"), t, 4 * c, c);
}

void transformer_run(const Transformer *m, float *x, int t)
{
    static float y[ALL];
    if (t > TOKENS_MOST || m->channels > CHANNELS_MOST)
        exit(2);
    model = m;
    for (layer = 0; layer < m->layers; layer++) {
        Block b = {attention_layer,         weights("attn.in_proj_weight"), feed_layer,
                   weights("ff.up.weight"), weights("norm1.weight"),        weights("norm1.bias"),
                   weights("norm2.weight"), weights("norm2.bias"),          1e-5f};
        pre_norm_block(y, x, &b, t, m->channels);
        memcpy(x, y, sizeof *x * (size_t)(t * m->channels));
    }
    layernorm(y, x, given("norm.weight"), given("norm.bias"), t, m->channels, 1e-5f);
    memcpy(x, y, sizeof *x * (size_t)(t * m->channels));
}
