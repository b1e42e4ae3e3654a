/* optimisers.c: one step over n weights.
 *
 * The gradient is 0 afterwards, so that the next backward can add to it. Everything is computed in
 * real, element by element, as PyTorch does: there is no sum. So the vector of all weights may be
 * divided among threads anywhere (nn/optim.c). */
#include "tensor/kernels/ref/ref.h"

#include <math.h>

/* g = gradient * grad + decay w, velocity = momentum velocity + g, w -= rate velocity; without a
 * velocity (NULL) w -= rate g. */
void ref_sgd(real *w, real *grad, real *velocity, real rate, real momentum, real decay,
             real gradient, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        real g = gradient * grad[i] + decay * w[i];
        if (velocity)
            g = velocity[i] = momentum * velocity[i] + g;
        w[i] -= rate * g;
        grad[i] = 0;
    }
}

/* m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2, w -= decay w + rate m / (root sqrt v
 * + epsilon): Kingma and Ba, "Adam" (2015), algorithm 1, with the decoupled decay of Loshchilov and
 * Hutter (2019). */
void ref_adam(real *w, real *grad, real *m, real *v, const AdamStep *s, int64_t n)
{
    real beta1 = (real)s->beta1, rest1 = (real)(1 - s->beta1);
    real beta2 = (real)s->beta2, rest2 = (real)(1 - s->beta2);
    for (int64_t i = 0; i < n; i++) {
        real g = s->gradient * grad[i] + s->l2 * w[i];
        m[i] = beta1 * m[i] + rest1 * g;
        v[i] = beta2 * v[i] + rest2 * g * g;
        w[i] -= s->decay * w[i] + s->rate * m[i] / ((real)sqrt(v[i]) * s->root + s->epsilon);
        grad[i] = 0;
    }
}
