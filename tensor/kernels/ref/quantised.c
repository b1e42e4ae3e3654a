/* quantised.c: products with int8 or int16 weights.
 *
 * Each row of the weight matrix has a scale of its own, which multiplies the sum once.
 * The weights stay integers until they are multiplied, and the sum is in double. */
#include "tensor/kernels/ref/ref.h"

/* Integer number i of the matrix. */
static double number_at(const QuantisedMatrix *w, int64_t i)
{
    return w->bits == 8 ? ((const int8_t *)w->numbers)[i] : ((const int16_t *)w->numbers)[i];
}

/* y_ro = scale_o sum_i x_ri number_oi + bias_o. x (rows, in), numbers (out, in) -> y (rows, out) */
void ref_quantised_product(const QuantisedProduct *p)
{
    for (int64_t r = 0; r < p->rows; r++)
        for (int64_t o = 0; o < p->out; o++) {
            double sum = 0;
            for (int64_t i = 0; i < p->in; i++)
                sum += (double)p->x[r * p->in + i] * number_at(p->weight, o * p->in + i);
            sum *= (double)p->weight->scale[o];
            p->y[r * p->out + o] = (real)(sum + (p->bias ? (double)p->bias[o] : 0));
        }
}
