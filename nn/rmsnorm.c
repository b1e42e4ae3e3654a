/* rmsnorm.c: each token to a mean square of 1, then gain; nothing is subtracted.
 *                   Zhang and Sennrich, "Root mean square layer normalization" (2019)
 *   y = x / sqrt(mean(x^2) + epsilon) * weight */
#include "nn/internal.h"

bool nn_rmsnorm_init(RMSNorm *r, Params *p, const char *name, int64_t channels)
{
    params_enter(p, name);
    r->weight = params_add(p, "weight", shape1(channels), nn_constant(1));
    r->epsilon = (real)1e-5;
    params_leave(p);
    return r->weight != NULL;
}

Tensor *nn_rmsnorm(const RMSNorm *r, Tensor *x)
{
    if (tensor_is_poison(x) || !x->tape) /* the product reports the latter */
        return ag_mul(x, r->weight);
    if (!r->weight || x->shape.rank < 1 || shape_last(x->shape) != shape_last(r->weight->shape))
        return tape_error(x->tape, "rmsnorm: x is %s, weight is %s; need x (..., C) and weight (C)",
                          tensor_describe(x), r->weight ? tensor_describe(r->weight) : "NULL");
    Tensor *square = ag_mean_axis(ag_mul(x, x), -1, true);
    Tensor *epsilon = tape_full(x->tape, r->epsilon, shape0());
    return ag_mul(ag_div(x, ag_sqrt(ag_add(square, epsilon))), r->weight);
}
