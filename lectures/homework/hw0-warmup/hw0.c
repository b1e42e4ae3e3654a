/* hw0.c: a warm-up. README.md has the equations, hw0.h the contracts. You may add static functions
 * of your own. */
#include "hw0.h"

#include <math.h>

int offset_of(const int *shape, const int *at, int rank)
{
    /* BEGIN SOLUTION: equation 1, from the first axis to the last */
    int offset = 0;
    for (int i = 0; i < rank; i++)
        offset = offset * shape[i] + at[i];
    return offset;
    /* END SOLUTION */
}

void indices_of(int *at, const int *shape, int rank, int offset)
{
    /* BEGIN SOLUTION: from the last axis to the first: the remainder, then the quotient */
    for (int i = rank - 1; i >= 0; i--) {
        at[i] = offset % shape[i];
        offset /= shape[i];
    }
    /* END SOLUTION */
}

void transpose(real *y, const real *x, int rows, int columns)
{
    /* BEGIN SOLUTION: y has rows of `rows` elements */
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            y[j * rows + i] = x[i * columns + j];
    /* END SOLUTION */
}

void differences(real *dx, Function *f, const real *x, int n, real h, const void *data)
{
    /* BEGIN SOLUTION: move one input of a copy up and down */
    real moved[INPUTS_MOST];
    for (int i = 0; i < n; i++)
        moved[i] = x[i];
    for (int i = 0; i < n; i++) {
        moved[i] = x[i] + h;
        real above = f(moved, n, data);
        moved[i] = x[i] - h;
        real below = f(moved, n, data);
        moved[i] = x[i];
        dx[i] = (above - below) / (2 * h);
    }
    /* END SOLUTION */
}

int wrong_gradient(const real *gradients, Function *f, const real *x, int n, const void *data)
{
    /* BEGIN SOLUTION: the one whose largest distance from the differences is the largest */
    real dx[INPUTS_MOST];
    int wrong = 0;
    double worst = -1;
    differences(dx, f, x, n, (real)1 / 64, data);
    for (int g = 0; g < 4; g++)
        for (int i = 0; i < n; i++) {
            double mistake = fabs((double)gradients[g * n + i] - (double)dx[i]);
            if (mistake > worst) {
                worst = mistake;
                wrong = g;
            }
        }
    return wrong;
    /* END SOLUTION */
}
