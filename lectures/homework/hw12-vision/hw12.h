/* hw12.h: the functions of homework 12. You write them in hw12.c; README.md says what they compute.
 *
 * A picture is (channels, height, width); what is divided into squares is divided without a rest.
 * */
#ifndef HW12_H
#define HW12_H

#include "../prelude.h" /* what holds for all arrays and functions; real, and the mark TASK */

/* A picture, and the side of its patches. patches = (height / side) (width / side); they are
 * counted row by row. */
typedef struct {
    int channels, height, width;
    int side;
} Picture;

/* 1. Each patch as one row: channel by channel, and in each row by row.
 *    rows: (patches, channels side side), image: (channels, height, width) */
TASK void patchify(real *rows, const real *image, Picture p);

/* 2. The picture of which these are the patches.
 *    image: (channels, height, width), rows: (patches, channels side side) */
TASK void unpatchify(real *image, const real *rows, Picture p);

/* 3. A convolution whose kernel has the side of a patch, and whose stride is that side.
 *    y: (patches, d), image: (channels, height, width), kernel: (d, channels, side, side),
 *    bias: (d) */
TASK void patch_embedding(real *y, const real *image, const real *kernel, const real *bias,
                          Picture p, int d);

/* 4. Its gradients.
 *    dimage, image: (channels, height, width), dkernel, kernel: (d, channels, side, side),
 *    dbias: (d), dy: (patches, d) */
TASK void patch_embedding_backward(real *dimage, real *dkernel, real *dbias, const real *dy,
                                   const real *image, const real *kernel, Picture p, int d);

/* 5. Puts the class token before each picture's tokens, and adds the positions.
 *    y: (batch, n + 1, d), x: (batch, n, d), class_token: (d), positions: (n + 1, d) */
TASK void add_class(real *y, const real *x, const real *class_token, const real *positions,
                    int batch, int n, int d);

/* 6. Its gradients.
 *    dx: (batch, n, d), dclass: (d), dpositions: (n + 1, d), dy: (batch, n + 1, d) */
TASK void add_class_backward(real *dx, real *dclass, real *dpositions, const real *dy, int batch,
                             int n, int d);

/* 7. The mean of each picture's tokens without the first `skip`, which are no patches.
 *    y: (batch, d), x: (batch, n, d), skip < n */
TASK void mean_pool(real *y, const real *x, int batch, int n, int d, int skip);

/* 8. Moves a grid of tokens up and to the left by `shift`; what leaves it comes back at the other
 *    side.
 *    y, x: (rows, columns, d), 0 <= shift */
TASK void roll(real *y, const real *x, int rows, int columns, int d, int shift);

/* 9. Cuts a grid into square windows, which are counted row by row, as are the tokens in each.
 *    y: (windows, side side, d), x: (rows, columns, d) */
TASK void windows(real *y, const real *x, int rows, int columns, int d, int side);

/* 10. Which tokens of a window may look at each other after roll and windows: keep is 1 if both
 *     were moved to the other side of the grid alike, by rows and by columns, and else 0.
 *     keep: (windows, side side, side side), 0 <= shift < side */
TASK void shifted_mask(int *keep, int rows, int columns, int side, int shift);

#endif
