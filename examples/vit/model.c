/* model.c: struct, init, forward. See model.h. */
#include "examples/vit/model.h"

#include "examples/common/example.h"

int vit_grid(const Model *m)
{
    return m->config.side / m->config.patch;
}

int vit_tokens(const Model *m)
{
    return vit_grid(m) * vit_grid(m) + (m->config.pool == POOL_CLASS);
}

bool vit_init(Model *m, Params *p, ModelConfig c)
{
    *m = (Model){.config = c};
    if (c.patch < 1 || c.side % c.patch != 0)
        return example_fail(
            "vit: patches of %d x %d for images of %d x %d; expected a side that divides %d",
            c.patch, c.patch, c.side, c.side, c.side);
    const EncoderConfig encoder = {.longest = vit_tokens(m),
                                   .position = (PositionKind)c.position,
                                   .layers = c.layers,
                                   .block = {.channels = c.channels, .heads = c.heads}};
    if (c.pool == POOL_CLASS)
        m->class_token = params_add(p, "class_token", shape3(1, 1, c.channels), nn_constant(0));
    return (m->class_token || c.pool != POOL_CLASS) &&
           nn_linear_init(&m->embed, p, "embed", (int64_t)c.colours * c.patch * c.patch, c.channels,
                          true) &&
           nn_encoder_init(&m->encoder, p, "", encoder) &&
           nn_linear_init(&m->head, p, "head", c.channels, c.classes, true);
}

Tensor *vit_patches(const Model *m, Tensor *pictures)
{
    int64_t B = pictures->shape.dim[0], colours = m->config.colours, patch = m->config.patch;
    int64_t grid = vit_grid(m);
    Shape cut = SHAPE(B, colours, grid, patch, grid, patch);
    Tensor *x = ag_permute(ag_reshape(pictures, cut), (int[]){0, 2, 4, 1, 3, 5});
    return ag_reshape(x, shape3(B, grid * grid, colours * patch * patch));
}

Tensor *vit_logits(const Model *m, Tensor *pictures)
{
    Tensor *x = nn_linear(&m->embed, vit_patches(m, pictures)); /* (B, n, C) */
    if (m->class_token) {
        Shape one_each = shape3(x->shape.dim[0], 1, m->config.channels);
        Tensor *token = ag_expand(tape_param(x->tape, m->class_token), one_each);
        x = ag_concat((Tensor *[]){token, x}, 2, 1);
    }
    x = nn_encoder(&m->encoder, x, (Mask){0});
    x = m->class_token ? ag_slice(x, 1, 0, 1) : ag_mean_axis(x, 1, true); /* (B, 1, C) */
    return nn_linear(&m->head, ag_reshape(x, shape2(-1, m->config.channels)));
}
