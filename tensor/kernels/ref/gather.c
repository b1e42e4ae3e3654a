/* gather.c: elements chosen by an id or by a mask. n elements each; sx and sm are strides, `along`
 * is the stride of x along the axis of the ids. A program's ids and masks were checked by the op:
 * every id lies on the axis, every mask is 0 or 1. */
#include "tensor/kernels/ref/ref.h"

/* y_i = x_(i sx + ids_i along) */
void ref_gather(real *y, const real *x, int64_t sx, const int32_t *ids, int64_t along, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i * sx + ids[i] * along];
}

/* dx_(i sx + ids_i along) += dy_i. An element that was chosen several times receives each
 * contribution. */
void ref_gather_backward(real *dx, int64_t sx, const real *dy, const int32_t *ids, int64_t along,
                         int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dx[i * sx + ids[i] * along] += dy[i];
}

/* y_i = x_(i sx) where mask_(i sm) is side. Chosen, not multiplied: a NaN that is not chosen has no
 * effect. Two calls, one for each side, write every element of y. */
void ref_select(real *y, const real *x, int64_t sx, const real *mask, int64_t sm, real side,
                int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (mask[i * sm] == side)
            y[i] = x[i * sx];
}

/* dx_(i sx) += dy_i where mask_(i sm) is side; with sx = 0 the sum, in double */
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
