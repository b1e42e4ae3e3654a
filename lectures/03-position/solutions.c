/* solutions.c: solutions of the chapter's exercises, and mistakes that students make; try the
 * exercises first. */
#include "lectures/03-position/exercises.h"

#include <stdlib.h>

/* ---- row 10: a pooling that knows the order -------------------------------------------------- */

/* A mean with weights proportional to first, first + step, ..., whose sum is divided by `all`; 0:
 * by itself. */
static Tensor *weighted(Tensor *x, double first, double step, double all)
{
    int T = (int)x->shape.dim[0];
    Tensor *w = tape_full(x->tape, 0, shape2(1, T));
    all = all > 0 ? all : T * first + step * T * (T - 1) / 2;
    for (int t = 0; t < T; t++)
        w->data[t] = (real)((first + step * t) / all);
    return ag_reshape(ag_matmul(w, x), shape1(-1));
}

Tensor *pooled_solved(Tensor *x)
{
    return weighted(x, 1, 1, 0);
}

Tensor *pooled_wrong_sum(Tensor *x)
{
    return weighted(x, 1, 1, (double)x->shape.dim[0]);
}

Tensor *pooled_wrong_last(Tensor *x)
{
    int64_t T = x->shape.dim[0];
    return ag_reshape(ag_slice(x, 0, T - 1, T), shape1(-1));
}

/* ---- row 11: Gray's code --------------------------------------------------------------------- */

int code_bit_solved(int p, int j)
{
    return (p >> j ^ p >> (j + 1)) & 1;
}

int code_bit_wrong_left(int p, int j)
{
    return (p ^ p << 1) >> j & 1;
}

int code_bit_wrong_unmasked(int p, int j)
{
    return p >> j ^ p >> (j + 1);
}

/* ---- row 15: a code for a grid --------------------------------------------------------------- */

static Tensor *two_halves(Tensor *half, int first, int second)
{
    Tensor *parts[] = {ag_slice(half, 0, first, first + 1), ag_slice(half, 0, second, second + 1)};
    return ag_reshape(ag_concat(parts, 2, 1), shape1(-1));
}

Tensor *grid_code_solved(Tensor *PE, Tensor *half, int row, int column, int side)
{
    (void)PE, (void)side;
    return two_halves(half, row, column);
}

Tensor *grid_code_wrong_sum(Tensor *PE, Tensor *half, int row, int column, int side)
{
    (void)half, (void)side;
    return ag_reshape(ag_slice(PE, 0, row + column, row + column + 1), shape1(-1));
}

Tensor *grid_code_wrong_number(Tensor *PE, Tensor *half, int row, int column, int side)
{
    (void)PE;
    return two_halves(half, row, side * row + column);
}
