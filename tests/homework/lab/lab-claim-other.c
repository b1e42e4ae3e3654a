/* lab-claim-other.c: a right answer in another style: by gradients. The derivative of an early
 * result with respect to a later token is 0. */
#include "lab-claim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static real *noise(Rng *rng, int count)
{
    real *numbers = malloc((size_t)count * sizeof *numbers);
    for (int i = 0; numbers && i < count; i++)
        numbers[i] = (real)rng_normal(rng);
    return numbers;
}

/* The sum of |dy_i/dx_j| over j > i, for x = q, k, v; infinite where there is no result. */
static double slope_of_later(Attention attention, Rng *rng, int tokens, int query)
{
    enum { B = 3, H = 2, D = 5 };
    int count = B * H * tokens * D;
    Tape *tape = tape_new(7);
    Tensor *x[3];
    for (int p = 0; p < 3; p++) {
        real *numbers = noise(rng, count);
        x[p] = tape_leaf(tape, numbers, shape4(B, H, tokens, D));
        free(numbers);
    }
    real *upstream = noise(rng, count);
    for (int i = 0; i < count; i++)
        if (i / D % tokens != query)
            upstream[i] = 0;
    Tensor *y = attention(x[0], x[1], x[2]);
    double sum = y && tensor_size(y) == count && ag_backward_from(y, upstream) ? 0 : INFINITY;
    for (int p = 0; p < 3 && isfinite(sum); p++)
        for (int i = 0; i < count; i++)
            sum += i / D % tokens > query ? fabs((double)x[p]->grad[i]) : 0;
    free(upstream);
    tape_free(tape);
    return sum;
}

bool claim(Attention attention, unsigned seed, char said[SAID])
{
    Rng rng = {.seed = seed};
    double worst = 0;
    for (int tokens = 4; tokens <= 20; tokens += 8)
        for (int query = 0; query < tokens; query++)
            worst += slope_of_later(attention, &rng, tokens, query);
    snprintf(said, SAID, "derivatives with respect to later tokens: %g", worst);
    return worst < 1e-9;
}

Tensor *fault(Tensor *q, Tensor *k, Tensor *v)
{
    return ag_attention(q, k, v, (Mask){.window = 1}, 0);
}
