/* quantised.c: products with weights in few bits, said plainly. */
#include "tensor/kernels/ref/ref.h"

static double number_at(const QuantisedMatrix *w, int64_t i)
{
    return w->bits == 8 ? ((const int8_t *)w->numbers)[i] : ((const int16_t *)w->numbers)[i];
}

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
