/* quantised.c: weight matrices rounded to 8 or 16 bits, for decoding, whose time is that of reading
 * all weights.
 *
 *      w_oi = s_o n_oi + rounding error,    s_o = max_i |w_oi| / 127, or / 32767
 * Each row has a scale of its own, since rows differ in size. Symmetric rounding: 0 stays 0. The
 * error of a weight is at most s_o / 2.
 * Activations are not quantised: a product of quantised weights with floats needs no calibration on
 * data. */
#include "nn/decode/decode.h"

#include "tensor/kernels/kernels.h"
#include "tensor/memory.h"

#include <math.h>

/* Quantises row o. False where a weight is not finite.
 * lrint rounds to the nearest, ties to even. A row of zeros has the scale 0. */
static bool quantise_row(const QuantisedMatrix *m, const Tensor *weight, int64_t o)
{
    const real *w = weight->data + o * weight->stride[0];
    const int64_t in = weight->shape.dim[1], step = weight->stride[1];
    const double most = m->bits == 8 ? INT8_MAX : INT16_MAX;
    double largest = 0;
    for (int64_t i = 0; i < in; i++) {
        if (!isfinite(w[i * step]))
            return false;
        largest = fmax(largest, fabs((double)w[i * step]));
    }
    m->scale[o] = (real)(largest / most);
    for (int64_t i = 0; i < in; i++) {
        long n = largest > 0 ? lrint((double)w[i * step] / largest * most) : 0;
        if (m->bits == 8)
            ((int8_t *)m->numbers)[o * in + i] = (int8_t)n;
        else
            ((int16_t *)m->numbers)[o * in + i] = (int16_t)n;
    }
    return true;
}

static bool quantise(QuantisedMatrix *m, const Tensor *w, int bits)
{
    int64_t out = w->shape.dim[0], in = w->shape.dim[1];
    *m = (QuantisedMatrix){.floats = w->data, .bits = bits};
    m->numbers = mem_alloc((size_t)(out * in) * (size_t)bits / 8);
    m->scale = mem_alloc((size_t)out * sizeof *m->scale);
    if (!m->numbers || !m->scale)
        return false;
    for (int64_t o = 0; o < out; o++)
        if (!quantise_row(m, w, o))
            return tensor_fail("nn_quantise_weights: row %lld of '%s' has a NaN or an infinity; "
                               "expected finite weights",
                               (long long)o, w->name);
    return true;
}

QuantisedWeights *nn_quantise_weights(const Params *p, int bits)
{
    if (!p || (bits != 8 && bits != 16)) {
        tensor_fail("nn_quantise_weights: %s, %d bits; expected params, and 8 or 16 bits",
                    p ? "params" : "params is NULL", bits);
        return NULL;
    }
    QuantisedWeights *s = mem_zeroed(sizeof *s);
    bool ok = s && (s->matrix = mem_zeroed(((size_t)p->count + 1) * sizeof *s->matrix));
    for (int i = 0; ok && i < p->count; i++)
        if (p->weight[i]->shape.rank == 2)
            ok = quantise(&s->matrix[s->count++], p->weight[i], bits);
    if (ok)
        return s;
    nn_quantised_weights_free(s);
    return NULL;
}

void nn_quantised_weights_free(QuantisedWeights *s)
{
    for (int64_t i = 0; s && i < s->count; i++) {
        mem_free(s->matrix[i].numbers);
        mem_free(s->matrix[i].scale);
    }
    mem_free(s ? s->matrix : NULL);
    mem_free(s);
}
