/* feedforward.c: the feed-forward layer of a block: two linear layers with a non-linear function between them, applied
 * to each token by itself.
 *                   "Attention is all you need" (2017), section 3.3, with relu; J "Feedforward Network",
 *                   Z "Transformer layer" (lectures/README.md)
 *   y = W_down f(W_up x + b_up) + b_down,   x (..., C) -> hidden channels -> y (..., C) */
#include "nn/internal.h"

bool nn_feedforward_init(FeedForward *f, Params *p, const char *name, int64_t channels,
                         int64_t hidden, Activation activation, double dropout)
{
    if (!check_init(f, sizeof *f, p, name, "nn_feedforward_init") ||
        !check_dropout(dropout, "nn_feedforward_init"))
        return false;
    if (activation != ACTIVATION_GELU && activation != ACTIVATION_RELU &&
        activation != ACTIVATION_TANH)
        return tensor_fail("nn_feedforward_init: the activation is %d; expected ACTIVATION_GELU, "
                           "ACTIVATION_RELU or ACTIVATION_TANH",
                           (int)activation);
    f->activation = activation;
    f->dropout = (real)dropout;
    params_enter(p, name);
    bool ok = nn_linear_init(&f->up, p, "up", channels, hidden, true) &&
              nn_linear_init(&f->down, p, "down", hidden, channels, true);
    params_leave(p);
    return ok;
}

/* Without the non-linear function the two products would be one linear map. */
Tensor *nn_feedforward(const FeedForward *f, Tensor *x)
{
    if (!check_module(f ? f->down.weight : NULL, x, "nn_feedforward"))
        return tensor_poison();
    Tensor *h = nn_linear(&f->up, x);
    h = f->activation == ACTIVATION_RELU   ? ag_relu(h)
        : f->activation == ACTIVATION_TANH ? ag_tanh(h)
                                           : ag_gelu(h);
    return nn_linear(&f->down, ag_dropout(h, f->dropout));
}
