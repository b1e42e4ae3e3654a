/* scale.c: from the numbers of a sheet to its colours: the range, and what lies outside of it.
 *
 *     place = (x - low) / (high - low) */
#include "plot/internal.h"

#include <math.h>

/* ---- the numbers ----------------------------------------------------------------------------- */

/* The number of cells that the sheet's scale colours: none of a grey block. */
static int64_t coloured_cells(const Block *b)
{
    return b->grey ? 0 : (int64_t)b->panels * b->rows * b->columns;
}

/* The finite numbers' smallest and largest; INFINITY and -INFINITY where there are none. Notes how
 * many are not finite. */
typedef struct {
    double low, high;
} Extent;

static Extent extent_of(Sheet *s)
{
    Extent e = {INFINITY, -INFINITY};
    s->gaps = s->cells = 0;
    for (int k = 0; k < s->count; k++) {
        const Block *b = &s->blocks[k];
        int64_t n = coloured_cells(b);
        s->cells += n;
        for (int64_t i = 0; i < n; i++) {
            double x = (double)b->cells[i];
            if (!isfinite(x)) {
                s->gaps++;
                continue;
            }
            e.low = fmin(e.low, x);
            e.high = fmax(e.high, x);
        }
    }
    return e;
}

/* ---- classes --------------------------------------------------------------------------------- */

/* Every number that is finite has to be one of 0 .. classes - 1. */
static bool all_classes(const Sheet *s, const char *who)
{
    for (int k = 0; k < s->count; k++) {
        const Block *b = &s->blocks[k];
        int64_t n = coloured_cells(b);
        for (int64_t i = 0; i < n; i++) {
            double x = (double)b->cells[i];
            if (isfinite(x) && (x < 0 || x > s->classes - 1 || x != floor(x)))
                return tensor_fail("%s: a cell is %g; expected a whole number from 0 to %d, which "
                                   "the legend names",
                                   who, x, s->classes - 1);
        }
    }
    return true;
}

static bool sheet_classes(Sheet *s, const char *const *legend, const char *who)
{
    while (s->classes <= CLASSES_MAX && legend[s->classes])
        s->classes++;
    if (s->classes < 2 || s->classes > CLASSES_MAX)
        return tensor_fail("%s: %s%d names in the legend; expected 2 to %d, closed by NULL", who,
                           s->classes > CLASSES_MAX ? "more than " : "",
                           s->classes > CLASSES_MAX ? CLASSES_MAX : s->classes, CLASSES_MAX);
    s->legend = legend;
    s->scale_name = "";
    s->low = 0;
    s->high = s->classes - 1;
    extent_of(s); /* notes whether there are gaps */
    return all_classes(s, who);
}

/* ---- quantities ------------------------------------------------------------------------------ */

static bool is_range(double low, double high, const char *who)
{
    bool fits = isfinite(low) && isfinite(high) && low < high && isfinite(high - low);
    return fits || tensor_fail("%s: scale from %g to %g; expected finite numbers, low < high", who,
                               low, high);
}

bool plot_block_scale(Block *b, PlotScale scale, const char *who)
{
    b->grey = scale.grey;
    b->low = scale.low;
    b->high = scale.low == 0 && scale.high == 0 ? 1 : scale.high;
    return !b->grey || is_range(b->low, b->high, who);
}

/* The numbers' own range. It begins at 0 where the smallest number is small beside the largest, as
 * of weights. */
static void take_range(Sheet *s, Extent e)
{
    if (!isfinite(e.low))
        e = (Extent){0, 1};
    s->low = e.low >= 0 && e.low <= e.high / 4 ? 0 : e.low;
    s->high = e.high;
    if (s->low < s->high)
        return;
    if (s->low > 0) /* all are one number */
        s->low = 0;
    else
        s->high = s->low < 0 ? 0 : 1;
}

/* Counts what lies outside, but for what rounding may add. */
static void count_outside(Sheet *s)
{
    double slack = 1e-5 * (s->high - s->low);
    s->over = s->high + slack;
    s->under = s->low - slack;
    for (int k = 0; k < s->count; k++) {
        const Block *b = &s->blocks[k];
        int64_t n = coloured_cells(b);
        for (int64_t i = 0; i < n; i++) {
            double x = (double)b->cells[i];
            s->above += isfinite(x) && x > s->over;
            s->below += isfinite(x) && x < s->under;
        }
    }
}

/* The scale of the first map that is not grey. */
bool plot_sheet_scale(Sheet *s, PlotScale scale, bool gradient, const char *who)
{
    if (scale.grey) { /* so are all others */
        s->grey = true;
        s->scale_name = "";
        s->low = s->blocks[0].low;
        s->high = s->blocks[0].high;
        return true;
    }
    if (scale.legend)
        return sheet_classes(s, scale.legend, who);
    Extent e = extent_of(s);
    double largest = isfinite(e.low) ? fmax(fabs(e.low), fabs(e.high)) : 0;
    bool unset = scale.low == 0 && scale.high == 0;
    s->diverging = scale.diverging || (gradient && unset && !scale.numbers);
    s->low = scale.low;
    s->high = unset ? 1 : scale.high;
    if (s->diverging) {
        s->high = scale.high != 0 ? scale.high : largest > 0 ? largest : 1;
        s->low = -s->high;
    } else if (scale.numbers && unset) {
        take_range(s, e);
    }
    s->scale_name = scale.name               ? scale.name
                    : scale.numbers          ? ""
                    : gradient               ? "dL/dA"
                    : unset && !s->diverging ? "attention weight"
                                             : "";
    count_outside(s);
    return is_range(s->low, s->high, who);
}

double plot_sheet_place(const Sheet *s, const Block *b, double x)
{
    double low = b->grey ? b->low : s->low, high = b->grey ? b->high : s->high;
    double place = (x - low) / (high - low);
    return place < 0 ? 0 : place > 1 ? 1 : place;
}

void plot_sheet_notes(const Sheet *s)
{
    if (s->above)
        plot_note("above %g, the end of the scale: %lld of %lld numbers, which are marked", s->high,
                  (long long)s->above, (long long)s->cells);
    if (s->below)
        plot_note("below %g, the beginning of the scale: %lld of %lld numbers, which are marked",
                  s->low, (long long)s->below, (long long)s->cells);
    if (s->gaps)
        plot_note("not finite: %lld of %lld numbers, which are grey", (long long)s->gaps,
                  (long long)s->cells);
}
