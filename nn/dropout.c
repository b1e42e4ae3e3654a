/* dropout.c: dropout as a module.                  J "Regularization: Dropout" (lectures/README.md)
 *   while training:  y_i = 0 with probability p, else x_i / (1 - p);   otherwise y = x
 * The module exists so that a model's parts are all modules; it stores nothing but p. */
#include "nn/internal.h"

/* Dropout has no weights, hence no Params. */
bool nn_dropout_init(Dropout *d, double p)
{
    if (!d)
        return tensor_fail("nn_dropout_init: the module is NULL; expected a Dropout");
    d->p = 0;
    if (!check_dropout(p, "nn_dropout_init"))
        return false;
    d->p = (real)p;
    return true;
}

/* The op decides by the tape whether anything is dropped. */
Tensor *nn_dropout(const Dropout *d, Tensor *x)
{
    if (!check_module(d, x, "nn_dropout"))
        return tensor_poison();
    return ag_dropout(x, d->p);
}
