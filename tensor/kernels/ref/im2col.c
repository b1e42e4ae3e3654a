/* im2col.c: a convolution as a matrix product.
 *
 * Column (p, q) holds the patch of the image that the kernel covers at output (p, q): for each
 * channel c and each tap (i, j) of the kernel the number under it, and 0 in the padding.
 *
 *   columns[(c, i, j), (p, q)] = x[c, p stride_0 + i - padding_0, q stride_1 + j - padding_1]
 *
 * x (channels, size_0, size_1), columns (channels taps_0 taps_1, out_0 out_1).
 * The number of patches and their order are those of the outputs, row by row; overlapping patches
 * repeat elements. */
#include "tensor/kernels/ref/ref.h"

/* The position in the image, along one side, under this tap at this output; -1 in the padding. */
static int64_t position(const Im2col *s, int side, int64_t output, int64_t tap)
{
    int64_t at = output * s->stride[side] + tap - s->padding[side];
    return at < s->size[side] ? at : -1;
}

/* The index in x of row (c, i, j) and column (p, q); -1 in the padding. */
static int64_t source(const Im2col *s, int64_t row, int64_t p, int64_t q)
{
    int64_t area = s->taps[0] * s->taps[1], channel = row / area, tap = row % area;
    int64_t at0 = position(s, 0, p, tap / s->taps[1]);
    int64_t at1 = position(s, 1, q, tap % s->taps[1]);
    return at0 < 0 || at1 < 0 ? -1 : (channel * s->size[0] + at0) * s->size[1] + at1;
}

/* columns (channels taps_0 taps_1, out_0 out_1) = the patches of x, row by row */
void ref_im2col(real *columns, const real *x, const Im2col *s)
{
    for (int64_t row = 0; row < s->channels * s->taps[0] * s->taps[1]; row++)
        for (int64_t p = 0; p < s->out[0]; p++)
            for (int64_t q = 0; q < s->out[1]; q++) {
                int64_t at = source(s, row, p, q);
                *columns++ = at < 0 ? 0 : x[at];
            }
}

/* The output at which this tap covers this position along one side; -1 where none does. */
static int64_t output_over(const Im2col *s, int side, int64_t at, int64_t tap)
{
    int64_t from_start = at + s->padding[side] - tap;
    if (from_start < 0 || from_start % s->stride[side] != 0)
        return -1;
    int64_t output = from_start / s->stride[side];
    return output < s->out[side] ? output : -1;
}

/* The sum of what all patches that cover position (at0, at1) of a channel bring it. */
static double covering_sum(const real *dcolumns, const Im2col *s, int64_t channel, int64_t at0,
                           int64_t at1)
{
    double sum = 0;
    for (int64_t i = 0; i < s->taps[0]; i++)
        for (int64_t j = 0; j < s->taps[1]; j++) {
            int64_t p = output_over(s, 0, at0, i), q = output_over(s, 1, at1, j);
            int64_t row = (channel * s->taps[0] + i) * s->taps[1] + j;
            if (p >= 0 && q >= 0)
                sum += dcolumns[(row * s->out[0] + p) * s->out[1] + q];
        }
    return sum;
}

/* dx (channels, size_0, size_1) += for each number of the image the sum over the patches that cover
 * it */
void ref_col2im(real *dx, const real *dcolumns, const Im2col *s)
{
    for (int64_t channel = 0; channel < s->channels; channel++)
        for (int64_t at0 = 0; at0 < s->size[0]; at0++)
            for (int64_t at1 = 0; at1 < s->size[1]; at1++, dx++)
                *dx = (real)(*dx + covering_sum(dcolumns, s, channel, at0, at1));
}
