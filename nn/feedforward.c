/* feedforward.c: two layers for each token alone.
 *                   "Attention is all you need" (2017), section 3.3, with relu; J "Feedforward Network",
 *                   Z "Transformer layer" */
#include "nn/nn.h"

bool nn_feedforward_init(FeedForward *f, Params *p, const char *name, int64_t channels,
                         int64_t hidden, Activation activation, double dropout)
{
    *f = (FeedForward){0};
    if (!(dropout >= 0 && dropout < 1))
        return tensor_fail("feedforward: dropout probability is %g; need 0 <= p < 1", dropout);
    f->activation = activation;
    f->dropout = (real)dropout;
    params_enter(p, name);
    bool ok = nn_linear_init(&f->up, p, "up", channels, hidden, true) &&
              nn_linear_init(&f->down, p, "down", hidden, channels, true);
    params_leave(p);
    return ok;
}

Tensor *nn_feedforward(const FeedForward *f, Tensor *x)
{
    Tensor *h = nn_linear(&f->up, x);
    h = f->activation == ACTIVATION_RELU   ? ag_relu(h)
        : f->activation == ACTIVATION_TANH ? ag_tanh(h)
                                           : ag_gelu(h);
    return nn_linear(&f->down, ag_dropout(h, f->dropout));
}
