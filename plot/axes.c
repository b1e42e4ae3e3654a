/* axes.c: ranges and numbers of the axes of curves.
 *
 * gnuplot extends a logarithmic axis to the next power of ten, which may leave most of the picture
 * empty. Here it ends a little beyond the numbers, and the numbers beside it are chosen by how much
 * it covers: powers of ten, 1 2 5 10 20 ..., or equal steps. */
#include "plot/internal.h"

#include <math.h>

enum { MOST_TICS = 9, LEAST_TICS = 3 };

Axis plot_axis_log(double low, double high)
{
    double margin = low < high ? pow(high / low, 0.04) : 2;
    return (Axis){.low = low / margin, .high = high * margin, .log = true};
}

/* 1, 2 or 5 times a power of ten, such that the range has about `parts` steps. */
static double nice_step(double range, double parts)
{
    double rough = range / parts, unit = pow(10, floor(log10(rough)));
    return unit * (rough < 2 * unit ? 2 : rough < 5 * unit ? 5 : 10);
}

Axis plot_axis_linear(double low, double high)
{
    if (!(low < high)) { /* one point */
        low -= 0.5;
        high += 0.5;
    }
    double step = nice_step(high - low, 4);
    return (Axis){.low = floor(low / step) * step, .high = ceil(high / step) * step, .step = step};
}

bool plot_is_narrow(double low, double high)
{
    return high - low < 1e-4 * fmax(fabs(low), fabs(high));
}

/* Writes the numbers 10^e, or 10^e, 2 10^e and 5 10^e, inside of the range, or only counts them
 * (out NULL). */
static int decades(FILE *out, Axis a, int step, bool between)
{
    static const double part[] = {1, 2, 5};
    int n = 0;
    for (int e = (int)floor(log10(a.low)); e <= (int)ceil(log10(a.high)); e++)
        for (int i = 0; i < (between ? 3 : 1); i++) {
            double x = part[i] * pow(10, e);
            if (e % step != 0 || x < a.low || x > a.high)
                continue;
            if (out)
                fprintf(out, "%s%.9g", n ? ", " : "", x);
            n++;
        }
    return n;
}

/* Equal steps of 1, 2 or 5 times a power of ten. */
static void equal_steps(FILE *out, Axis a)
{
    double step = nice_step(a.high - a.low, 5);
    const char *before = "";
    for (double k = ceil(a.low / step); k * step <= a.high; k++) {
        fprintf(out, "%s%.15g", before, k * step);
        before = ", ";
    }
}

void plot_axis_write(FILE *out, char name, Axis a)
{
    int step = 1;
    if (a.log)
        fprintf(out, "set logscale %c\nset format %c '%%g'\n", name, name);
    if (a.low == 0 && a.high == 0)
        return;
    if (!a.log && plot_is_narrow(a.low, a.high))
        fprintf(out, "set format %c '%%.12g'\n", name);
    fprintf(out, "set %crange [%.15g:%.15g]\n", name, a.low, a.high);
    if (a.step > 0)
        fprintf(out, "set %ctics %.15g\n", name, a.step);
    if (!a.log)
        return;
    fprintf(out, "set %ctics (", name);
    int between = decades(NULL, a, 1, true);
    while (decades(NULL, a, step, false) > MOST_TICS)
        step++;
    if (between < LEAST_TICS)
        equal_steps(out, a);
    else
        decades(out, a, step, between <= MOST_TICS);
    fputs(")\n", out);
}
