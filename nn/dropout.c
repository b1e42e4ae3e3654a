/* dropout.c: dropout as a module.   J "Regularization: Dropout" */
#include "nn/nn.h"

bool nn_dropout_init(Dropout *d, double p)
{
    d->p = (real)p;
    return (p >= 0 && p < 1) || tensor_fail("dropout: probability is %g; need 0 <= p < 1", p);
}

Tensor *nn_dropout(const Dropout *d, Tensor *x)
{
    return ag_dropout(x, d->p);
}
