/* solutions.c: solutions of the chapter's exercises, and mistakes that students make; try the
 * exercises first. */
#include "lectures/01-recurrence/exercises.h"

void scan_solved(Step *step, int n)
{
    Step pair[STEPS / 2];
    if (n == 1)
        return;
    for (int i = 0; i < n / 2; i++)
        pair[i] = join(step[2 * i], step[2 * i + 1]);
    scan_solved(pair, n / 2);
    for (int i = 0; i < n / 2; i++) {
        step[2 * i] = i ? join(pair[i - 1], step[2 * i]) : step[0];
        step[2 * i + 1] = pair[i];
    }
}

void scan_wrong_rounds(Step *step, int n)
{
    for (int by = 1; by < n; by *= 2)
        for (int i = n - 1; i >= by; i--)
            step[i] = join(step[i - by], step[i]);
}

void scan_wrong_swapped(Step *step, int n)
{
    Step pair[STEPS / 2];
    if (n == 1)
        return;
    for (int i = 0; i < n / 2; i++)
        pair[i] = join(step[2 * i + 1], step[2 * i]);
    scan_wrong_swapped(pair, n / 2);
    for (int i = 0; i < n / 2; i++) {
        step[2 * i] = i ? join(step[2 * i], pair[i - 1]) : step[0];
        step[2 * i + 1] = pair[i];
    }
}

void scan_wrong_pairs_only(Step *step, int n)
{
    Step pair[STEPS / 2];
    if (n == 1)
        return;
    for (int i = 0; i < n / 2; i++)
        pair[i] = join(step[2 * i], step[2 * i + 1]);
    scan_wrong_pairs_only(pair, n / 2);
    for (int i = 0; i < n / 2; i++)
        step[2 * i + 1] = pair[i];
}

/* ---- row 2: clip a gradient ------------------------------------------------------------------ */

void clip_solved(double *g, int n, double most)
{
    double length = 0;
    for (int i = 0; i < n; i++)
        length += g[i] * g[i];
    length = sqrt(length);
    for (int i = 0; i < n && length > most; i++)
        g[i] *= most / length;
}

void clip_wrong_each(double *g, int n, double most)
{
    for (int i = 0; i < n; i++)
        g[i] = g[i] > most ? most : g[i] < -most ? -most : g[i];
}

void clip_wrong_always(double *g, int n, double most)
{
    double length = 0;
    for (int i = 0; i < n; i++)
        length += g[i] * g[i];
    for (int i = 0; i < n; i++)
        g[i] *= most / sqrt(length);
}

void clip_wrong_to_one(double *g, int n, double most)
{
    double length = 0;
    for (int i = 0; i < n; i++)
        length += g[i] * g[i];
    for (int i = 0; i < n && sqrt(length) > most; i++)
        g[i] /= sqrt(length);
}
