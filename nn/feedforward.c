/* feedforward.c: the feed-forward layer of a block: two linear layers with a non-linear function
 * between them, applied to each token by itself.
 *                   "Attention is all you need" (2017), section 3.3, with relu; J "Feedforward Network",
 *                   Z "Transformer layer" (lectures/README.md)
 *   y = W_down f(W_up x + b_up) + b_down,   x (..., C) -> hidden channels -> y (..., C) */
#include "nn/internal.h"

/* A switch without a default, so that the compiler reports a function that was added to Activation
 * and not here. */
Tensor *nn_activation(Activation activation, Tensor *x)
{
    switch (activation) {
    case ACTIVATION_GELU:
        return ag_gelu(x);
    case ACTIVATION_RELU:
        return ag_relu(x);
    case ACTIVATION_TANH:
        return ag_tanh(x);
    case ACTIVATION_GELU_TANH:
        return ag_gelu_tanh(x);
    case ACTIVATION_SILU:
        return ag_silu(x);
    }
    return tape_error(x ? x->tape : NULL,
                      "nn_activation: the activation is %d; expected an Activation",
                      (int)activation);
}

/* Error: an unknown activation. The names gate, up and down are those of the weights' paths. */
bool feedforward_init(FeedForward *f, Params *p, const char *path, int64_t channels, int64_t hidden,
                      bool gated, bool bias, const char *who)
{
    if (f->activation < ACTIVATION_GELU || f->activation > ACTIVATION_SILU)
        return tensor_fail("%s: the activation is %d; expected an Activation", who,
                           (int)f->activation);
    const int first = p->count;
    f->path = path;
    bool ok = (!gated || nn_linear_init(&f->gate, p, params_path(p, "%s.gate", path), channels,
                                        hidden, bias)) &&
              nn_linear_init(&f->up, p, params_path(p, "%s.up", path), channels, hidden, bias) &&
              nn_linear_init(&f->down, p, params_path(p, "%s.down", path), hidden, channels, bias);
    return init_done(p, first, ok);
}

bool nn_feedforward_init(FeedForward *f, Params *p, const char *path, int64_t channels,
                         int64_t hidden, Activation activation, double dropout)
{
    const char *who = "nn_feedforward_init";
    if (!(path = init_path(f, sizeof *f, p, path, who)) || !check_dropout(dropout, who))
        return false;
    f->activation = activation;
    f->dropout = (real)dropout;
    return feedforward_init(f, p, path, channels, hidden, false, true, who);
}

/* Without the non-linear function the two products would be one linear map.
 * Dropout acts on the hidden channels. */
Tensor *nn_feedforward(const FeedForward *f, Tensor *x)
{
    if (!check_module(f ? f->down.weight : NULL, x, "nn_feedforward"))
        return tensor_poison();
    Tensor *h = nn_linear(&f->up, x);
    h = f->gate.weight ? ag_mul(nn_activation(f->activation, nn_linear(&f->gate, x)), h)
                       : nn_activation(f->activation, h);
    h = given_name(h, f->path, "hidden");
    return nn_linear(&f->down, ag_dropout(h, f->dropout));
}
