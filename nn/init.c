/* init.c: how weights begin.
 *
 * A layer of n inputs adds n products, so its weights' variance should fall as 1/n for the signal to keep
 * its size. Glorot and Bengio (2010) balance forward and backward; He et al. (2015) double the variance
 * for relu, which stops half of the signal. A uniform -b..b has variance b^2 / 3. */
#include "nn/nn.h"

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

Init nn_xavier_uniform(int64_t in, int64_t out)
{
    return nn_uniform(sqrt(6.0 / (double)(in + out)));
}

Init nn_xavier_normal(int64_t in, int64_t out)
{
    return nn_normal(sqrt(2.0 / (double)(in + out)));
}

Init nn_kaiming_uniform(int64_t in)
{
    return nn_uniform(sqrt(6.0 / (double)in));
}

Init nn_kaiming_normal(int64_t in)
{
    return nn_normal(sqrt(2.0 / (double)in));
}

Init nn_torch_linear(int64_t in)
{
    return nn_uniform(in > 0 ? 1 / sqrt((double)in) : 0);
}
