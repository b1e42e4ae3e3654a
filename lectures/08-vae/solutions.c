/* solutions.c: solutions of the chapter's exercises, and mistakes that students make; try the
 * exercises first. */
#include "lectures/08-vae/exercises.h"

/* ---- row 56: a baseline from the other samples ----------------------------------------------- */

double baseline_solved(const double *f, int n, int i)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += k == i ? 0 : f[k];
    return sum / (n - 1);
}

double baseline_wrong_one_other(const double *f, int n, int i)
{
    return f[(i + 1) % n];
}

double baseline_wrong_all(const double *f, int n, int i)
{
    double sum = 0;
    (void)i;
    for (int k = 0; k < n; k++)
        sum += f[k];
    return sum / n;
}
