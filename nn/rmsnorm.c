/* rmsnorm.c: root mean square normalisation: each token gets a mean square of 1, then a gain. Unlike layer
 * normalisation it does not subtract the mean.
 *                   Zhang and Sennrich, "Root mean square layer normalization" (2019)
 *   y = x / sqrt(mean(x^2) + epsilon) * weight,   the mean over the last axis */
#include "nn/internal.h"

bool nn_rmsnorm_init(RMSNorm *r, Params *p, const char *name, int64_t channels)
{
    if (!check_init(r, sizeof *r, p, name, "nn_rmsnorm_init"))
        return false;
    params_enter(p, name);
    r->weight = params_add(p, "weight", shape1(channels), nn_constant(1));
    r->epsilon = (real)1e-5;
    params_leave(p);
    return r->weight != NULL;
}

/* Composed of six ops, x / sqrt(mean(x x) + epsilon) weight; the mean keeps its axis, so that the
 * division broadcasts. */
Tensor *nn_rmsnorm(const RMSNorm *r, Tensor *x)
{
    if (!check_module(r ? r->weight : NULL, x, "nn_rmsnorm"))
        return tensor_poison();
    if (tensor_is_poison(x) || !x->tape) /* ag_mul reports a tensor without a tape */
        return ag_mul(x, r->weight);
    if (x->shape.rank < 1 || shape_last(x->shape) != shape_last(r->weight->shape))
        return tape_error(x->tape, "nn_rmsnorm: x is %s, weight is %s; expected x (..., %lld)",
                          tensor_describe(x), tensor_describe(r->weight),
                          (long long)shape_last(r->weight->shape));
    Tensor *square = ag_mean_axis(ag_mul(x, x), -1, true);
    Tensor *epsilon = tape_full(x->tape, r->epsilon, shape0());
    return ag_mul(ag_div(x, ag_sqrt(ag_add(square, epsilon))), r->weight);
}
