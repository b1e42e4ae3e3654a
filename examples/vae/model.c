/* model.c: struct, init, forward. See model.h. */
#include "examples/vae/model.h"

bool vae_init(Vae *m, Params *p, VaeConfig c)
{
    *m = (Vae){.config = c};
    return nn_linear_init(&m->encode, p, "encode", c.pixels, c.hidden, true) &&
           nn_linear_init(&m->mean, p, "mean", c.hidden, c.latent, true) &&
           nn_linear_init(&m->log_variance, p, "log_variance", c.hidden, c.latent, true) &&
           nn_linear_init(&m->decode, p, "decode", c.latent, c.hidden, true) &&
           nn_linear_init(&m->picture, p, "picture", c.hidden, c.pixels, true);
}

void vae_encode(const Vae *m, Tensor *x, Tensor **mean, Tensor **log_variance)
{
    Tensor *h = ag_relu(nn_linear(&m->encode, x));
    *mean = nn_linear(&m->mean, h);
    *log_variance = nn_linear(&m->log_variance, h);
}

Tensor *vae_decode(const Vae *m, Tensor *z)
{
    return nn_linear(&m->picture, ag_relu(nn_linear(&m->decode, z)));
}

Pass vae_pass(const Vae *m, Tensor *x, Tensor *noise)
{
    Pass p;
    vae_encode(m, x, &p.mean, &p.log_variance);
    Tensor *deviation = ag_exp(ag_scale(p.log_variance, (real)0.5));
    Tensor *z = ag_add(p.mean, ag_mul(deviation, noise));
    p.logits = vae_decode(m, z);
    /* the loss is a mean over pixels; multiplied by their number it is a sum over an image */
    p.reconstruction = ag_scale(ag_bce_with_logits(p.logits, x), (real)m->config.pixels);
    p.kl = ag_scale(ag_gaussian_kl(p.mean, p.log_variance), (real)1 / (real)x->shape.dim[0]);
    p.loss = ag_add(p.reconstruction, p.kl);
    return p;
}
