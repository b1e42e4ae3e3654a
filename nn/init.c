/* init.c: the distributions of initial weights.
 *
 * An output of a layer with n inputs is a sum of n products, so the variance of its weights must be
 * proportional to 1/n for activations to keep their variance from layer to layer. Glorot and Bengio
 * (2010) balance the variance of activations (1 / in) and of gradients (1 / out); He et al. (2015)
 * double it for relu, which sets half of the activations to 0. A uniform distribution on [-b, b)
 * has variance b^2 / 3. */
#include "nn/internal.h"

#include <math.h>

Init nn_constant(double value)
{
    return (Init){INIT_CONSTANT, value};
}

Init nn_normal(double deviation)
{
    return (Init){INIT_NORMAL, deviation};
}

Init nn_uniform(double bound)
{
    return (Init){INIT_UNIFORM, bound};
}

/* b^2 / 3 = 2 / (in + out) */
Init nn_xavier_uniform(int64_t in, int64_t out)
{
    return nn_uniform(sqrt(6.0 / ((double)in + (double)out)));
}

/* b^2 / 3 = 2 / in */
Init nn_kaiming_uniform(int64_t in)
{
    return nn_uniform(sqrt(6.0 / (double)in));
}

Init nn_torch_linear(int64_t in)
{
    return nn_uniform(in > 0 ? 1 / sqrt((double)in) : 0);
}
