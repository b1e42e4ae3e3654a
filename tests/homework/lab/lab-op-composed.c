/* lab-op-composed.c: right numbers and gradients from ops of the library: several nodes each. */
#include "lab-op.h"

Tensor *rms_norm(Tensor *x, Tensor *gain, real epsilon)
{
    Tensor *squares = ag_mean_axis(ag_mul(x, x), -1, true);
    Tensor *root = ag_sqrt(ag_add(squares, tape_full(x->tape, epsilon, squares->shape)));
    return ag_mul(ag_div(x, root), gain);
}

Tensor *swiglu(Tensor *gate, Tensor *x)
{
    return ag_mul(ag_silu(gate), x);
}
