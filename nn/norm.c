/* norm.c: normalisation of each token by itself, then a gain; of layers (with a bias) or by the
 * root mean square.
 *                   Ba, Kiros, Hinton, "Layer normalization" (2016); V "Residual Connection & Layer Normalization",
 *                   J "Recall: Layer Normalization" (lectures/README.md)
 *                   Zhang and Sennrich, "Root mean square layer normalization" (2019)
 *   NORM_LAYER:  y = (x - mean) / sqrt(variance + epsilon) * weight + bias
 *   NORM_LAYER_GAIN: the same without bias
 *   NORM_RMS:    y = x / sqrt(mean(x^2) + epsilon) * weight
 * Mean and variance are those of the last axis. */
#include "nn/internal.h"

#include <math.h>

/* Gain 1 and bias 0: the module begins as the plain normalisation. */
bool norm_init(Norm *n, Params *p, const char *path, int64_t channels, NormKind kind,
               double epsilon, const char *who)
{
    if (!(path = init_path(n, sizeof *n, p, path, who)))
        return false;
    const int first = p->count;
    n->kind = kind;
    n->epsilon = (real)(epsilon > 0 ? epsilon : 1e-5);
    n->path = path;
    n->weight = params_add(p, params_path(p, "%s.weight", path), shape1(channels), nn_constant(1));
    if (kind == NORM_LAYER)
        n->bias = params_add(p, params_path(p, "%s.bias", path), shape1(channels), nn_constant(0));
    if (!n->bias && kind == NORM_LAYER)
        n->weight = NULL; /* nn_norm refuses a norm without a weight */
    return init_done(p, first, n->weight != NULL);
}

bool nn_layernorm_init(Norm *n, Params *p, const char *path, int64_t channels)
{
    return norm_init(n, p, path, channels, NORM_LAYER, 0, "nn_layernorm_init");
}

bool nn_rmsnorm_init(Norm *n, Params *p, const char *path, int64_t channels)
{
    return norm_init(n, p, path, channels, NORM_RMS, 0, "nn_rmsnorm_init");
}

/* Rows of x whose squares overflow get a factor, which y = x / sqrt(mean(x^2) + epsilon) does not
 * depend on if epsilon gets its square: factor (..., 1), or NULL where no row overflows. */
static Tensor *small_rows(Tensor *x, const Tensor *square)
{
    const real small = sizeof(real) == 4 ? (real)0x1p-96 : (real)0x1p-600;
    bool any = false;
    for (int64_t i = 0; !tensor_is_poison(square) && i < tensor_size(square); i++)
        any = any || isinf(square->data[i]);
    if (!any)
        return NULL;
    Tensor *factor = tape_full(x->tape, 1, square->shape);
    for (int64_t i = 0; !tensor_is_poison(factor) && i < tensor_size(factor); i++)
        if (isinf(square->data[i]))
            factor->data[i] = small;
    return factor;
}

/* Composed of six ops; the mean keeps its axis, so that the division broadcasts. */
static Tensor *rms(const Norm *n, Tensor *x)
{
    if (tensor_is_poison(x) || !x->tape) /* ag_mul reports a tensor without a tape */
        return ag_mul(x, n->weight);
    if (x->shape.rank < 1 || shape_last(x->shape) != shape_last(n->weight->shape))
        return tape_error(x->tape, "nn_norm: x is %s, weight is %s; expected x (..., %lld)",
                          tensor_describe(x), tensor_describe(n->weight),
                          (long long)shape_last(n->weight->shape));
    Tensor *square = ag_mean_axis(ag_mul(x, x), -1, true);
    Tensor *epsilon = tape_full(x->tape, n->epsilon, shape0()), *factor = small_rows(x, square);
    if (factor) {
        x = ag_mul(x, factor);
        square = ag_mean_axis(ag_mul(x, x), -1, true);
        epsilon = ag_mul(epsilon, ag_mul(factor, factor));
    }
    return ag_mul(ag_div(x, ag_sqrt(ag_add(square, epsilon))), n->weight);
}

Tensor *nn_norm(const Norm *n, Tensor *x)
{
    if (!check_module(n ? n->weight : NULL, x, "nn_norm"))
        return tensor_poison();
    Tensor *bias = n->bias;
    if (n->kind == NORM_LAYER_GAIN && !tensor_is_poison(x) && x->tape)
        bias = tape_full(x->tape, 0, n->weight->shape);
    Tensor *y = n->kind == NORM_RMS ? rms(n, x) : ag_layernorm(x, n->weight, bias, n->epsilon);
    return given_name(y, n->path, "");
}
