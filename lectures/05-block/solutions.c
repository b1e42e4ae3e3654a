/* solutions.c: solutions of the chapter's exercises, and mistakes that students make; try the
 * exercises first. */
#include "lectures/05-block/exercises.h"

/* ---- row 32: RMSNorm ------------------------------------------------------------------------- */

void rms_backward_solved(const double *hat, const double *h, double r, int n, double *dx)
{
    double b = 0;
    for (int i = 0; i < n; i++)
        b += h[i] * hat[i] / n;
    for (int i = 0; i < n; i++)
        dx[i] = (h[i] - hat[i] * b) / r; /* dr/dx_i = x^_i / n */
}

void rms_backward_wrong_constant(const double *hat, const double *h, double r, int n, double *dx)
{
    (void)hat;
    for (int i = 0; i < n; i++)
        dx[i] = h[i] / r;
}

void rms_backward_wrong_sum(const double *hat, const double *h, double r, int n, double *dx)
{
    double b = 0;
    for (int i = 0; i < n; i++)
        b += h[i] * hat[i];
    for (int i = 0; i < n; i++)
        dx[i] = (h[i] - hat[i] * b) / r;
}

/* ---- row 37: shifted right ------------------------------------------------------------------- */

void shift_right_solved(const int *words, int n, int bos, int *in)
{
    for (int i = 0; i < n; i++)
        in[i] = i ? words[i - 1] : bos;
}

void shift_right_wrong_rotated(const int *words, int n, int bos, int *in)
{
    (void)bos;
    for (int i = 0; i < n; i++)
        in[i] = words[(i + n - 1) % n];
}

void shift_right_wrong_left(const int *words, int n, int bos, int *in)
{
    for (int i = 0; i < n; i++)
        in[i] = i + 1 < n ? words[i + 1] : bos;
}
