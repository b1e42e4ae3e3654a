/* transformer.c: see transformer.h. The order of the steps is that of gradus' pre-norm block; every
 * step is a function of the homeworks but the bias, which they leave out. */
#include "transformer.h"

#include "hw2.h"
#include "hw3.h"
#include "hw3b.h"
#include "hw4.h"
#include "hw4b.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALL = TOKENS_MOST * CHANNELS_MOST };

/* The block that runs: the homework's Layer gets no more than its first weights. */
static const Transformer *model;
static int layer;

static void add_bias(float *y, const char *name, int t, int c)
{
    const float *bias = weights_of(&model->weights, "blocks.%d.%s", layer, name);
    for (int i = 0; i < t * c; i++)
        y[i] += bias[i % c];
    free((void *)bias);
}

/* Which keys a query may see: hw3's causal mask, or a window. */
static void mask(int *keep, int t)
{
    make_keep(keep, t, t, model->causal, t);
    for (int i = 0; model->window && layer == 0 && i < t; i++)
        for (int j = 0; j < t; j++)
            keep[i * t + j] &= abs(i - j) <= model->window;
}

/* Rows first to first + c of the packed projection, cut into heads. */
static void projected(float *heads, const float *x, int t, int c, const float *w, int first)
{
    static float y[ALL];
    const float *bias = weights_of(&model->weights, "blocks.%d.attn.in_proj_bias", layer);
    project(y, x, w + first * c, t, c, c);
    for (int i = 0; i < t * c; i++)
        y[i] += bias[first + i % c];
    split_heads(heads, y, t, model->heads, c / model->heads);
    free((void *)bias);
}

static void attention_layer(float *y, const float *x, int t, int c, const float *w)
{
    static float q[ALL], k[ALL], v[ALL], mixed[ALL], merged[ALL];
    static float a[CHANNELS_MOST * TOKENS_MOST * TOKENS_MOST];
    static int keep[TOKENS_MOST * TOKENS_MOST];
    int heads = model->heads, d = c / heads;
    projected(q, x, t, c, w, 0);
    projected(k, x, t, c, w, c);
    projected(v, x, t, c, w, 2 * c);
    mask(keep, t);
    attention_weights(a, q, k, keep, heads, t, t, d);
    attend(mixed, a, v, heads, t, t, d);
    merge_heads(merged, mixed, t, heads, d);
    const float *out = weights_of(&model->weights, "blocks.%d.attn.out_proj.weight", layer);
    project(y, merged, out, t, c, c);
    add_bias(y, "attn.out_proj.bias", t, c);
    free((void *)out);
}

static void feed_layer(float *y, const float *x, int t, int c, const float *w)
{
    static float wide[4 * ALL], bent[4 * ALL];
    project(wide, x, w, t, c, 4 * c);
    add_bias(wide, "ff.up.bias", t, 4 * c);
    gelu(bent, wide, t * 4 * c);
    const float *down = weights_of(&model->weights, "blocks.%d.ff.down.weight", layer);
    project(y, bent, down, t, 4 * c, c);
    add_bias(y, "ff.down.bias", t, c);
    free((void *)down);
}

void transformer_run(const Transformer *m, float *x, int t)
{
    static float y[ALL];
    const char *names[] = {"attn.in_proj_weight", "ff.up.weight", "norm1.weight",
                           "norm1.bias",          "norm2.weight", "norm2.bias"};
    const float *w[6];
    if (t > TOKENS_MOST || m->channels > CHANNELS_MOST) {
        fprintf(stderr, "%d tokens of %d channels; expected at most %d of %d\n", t, m->channels,
                TOKENS_MOST, CHANNELS_MOST);
        exit(2);
    }
    model = m;
    for (layer = 0; layer < m->layers; layer++) {
        for (int i = 0; i < 6; i++)
            w[i] = weights_of(&m->weights, "blocks.%d.%s", layer, names[i]);
        Block b = {layernorm, attention_layer, w[0], feed_layer, w[1], w[2], w[3], w[4], w[5],
                   1e-5f};
        pre_norm_block(y, x, &b, t, m->channels);
        memcpy(x, y, sizeof *x * (size_t)(t * m->channels));
        for (int i = 0; i < 6; i++)
            free((void *)w[i]);
    }
    layernorm(y, x, weights_of(&m->weights, "norm.weight"), weights_of(&m->weights, "norm.bias"), t,
              m->channels, 1e-5f);
    memcpy(x, y, sizeof *x * (size_t)(t * m->channels));
}

void transformer_head(const Transformer *m, const char *name, int bias, float *y, const float *x,
                      int outputs)
{
    const float *b = bias ? weights_of(&m->weights, "%s.bias", name) : NULL;
    project(y, x, weights_of(&m->weights, "%s.weight", name), 1, m->channels, outputs);
    for (int i = 0; b && i < outputs; i++)
        y[i] += b[i];
}
