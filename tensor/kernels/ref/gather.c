/* gather.c: elements picked by an id or by a mask, said plainly. */
#include "tensor/kernels/ref/ref.h"

void ref_gather(real *y, const real *x, int64_t sx, const int32_t *ids, int64_t along, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i * sx + ids[i] * along];
}

/* An element that was picked several times receives as many contributions. */
void ref_gather_backward(real *dx, int64_t sx, const real *dy, const int32_t *ids, int64_t along,
                         int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dx[i * sx + ids[i] * along] += dy[i];
}

/* Picked, not multiplied: a NaN on the other side stays there. */
void ref_select(real *y, const real *x, int64_t sx, const real *mask, int64_t sm, real side,
                int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (mask[i * sm] == side)
            y[i] = x[i * sx];
}

void ref_select_backward(real *dx, int64_t sx, const real *dy, const real *mask, int64_t sm,
                         real side, int64_t n)
{
    if (sx == 0) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += mask[i * sm] == side ? dy[i] : 0;
        if (n > 0)
            *dx += (real)sum;
        return;
    }
    for (int64_t i = 0; i < n; i++)
        if (mask[i * sm] == side)
            dx[i * sx] += dy[i];
}
