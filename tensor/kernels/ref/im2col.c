/* im2col.c: the patches under a sliding kernel, said plainly.
 *
 * A convolution is a matrix product once the patches stand as columns: column (p, q) holds, for each
 * channel c and each tap (i, j) of the kernel, the number under it, 0 in the padding:
 *   columns[(c, i, j), (p, q)] = x[c, p stride_0 + i - padding_0, q stride_1 + j - padding_1] */
#include "tensor/kernels/ref/ref.h"

/* The place in the image, along one side, of this tap at this output; -1 in the padding. */
static int64_t place(const Im2col *s, int side, int64_t output, int64_t tap)
{
    int64_t at = output * s->stride[side] + tap - s->padding[side];
    return at < s->size[side] ? at : -1;
}

/* The place in the image of row (c, i, j) and column (p, q); -1 in the padding. */
static int64_t source(const Im2col *s, int64_t row, int64_t p, int64_t q)
{
    int64_t area = s->taps[0] * s->taps[1], channel = row / area, tap = row % area;
    int64_t at0 = place(s, 0, p, tap / s->taps[1]);
    int64_t at1 = place(s, 1, q, tap % s->taps[1]);
    return at0 < 0 || at1 < 0 ? -1 : (channel * s->size[0] + at0) * s->size[1] + at1;
}

void ref_im2col(real *columns, const real *x, const Im2col *s)
{
    for (int64_t row = 0; row < s->channels * s->taps[0] * s->taps[1]; row++)
        for (int64_t p = 0; p < s->out[0]; p++)
            for (int64_t q = 0; q < s->out[1]; q++) {
                int64_t at = source(s, row, p, q);
                *columns++ = at < 0 ? 0 : x[at];
            }
}

/* A number under several patches receives what each of them brings. */
void ref_col2im(real *dx, const real *dcolumns, const Im2col *s)
{
    for (int64_t row = 0; row < s->channels * s->taps[0] * s->taps[1]; row++)
        for (int64_t p = 0; p < s->out[0]; p++)
            for (int64_t q = 0; q < s->out[1]; q++, dcolumns++) {
                int64_t at = source(s, row, p, q);
                if (at >= 0)
                    dx[at] += *dcolumns;
            }
}
