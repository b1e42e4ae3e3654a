/* plot_series.c: the kinds bars and curves of the command `plot`. */
#define GRADUS_INSIDE /* an error names the user's file, not this one */
#include "data/array.h"
#include "lectures/runner/plot_command.h"
#include "tensor/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- bars ------------------------------------------------------------------------------------ */

enum { GROUPS_MAX = 6, SERIES_MAX = 64, BARS_MAX = 64 };

/* A vector is one bar for each name, a matrix (n, k) k bars for each. */
static bool open_bars(Sources *s, Source *from, const Wish *w, PlotBars *b, const WordList *legend)
{
    const Shape shape = from->numbers->shape;
    int64_t n = shape.dim[0], k = shape.rank == 2 ? shape.dim[1] : 1;
    if (shape.rank == 2 && n == 1 && !from->csv.row) { /* a single line is a vector */
        n = k;
        k = 1;
        from->csv.row = from->csv.column;
        from->csv.column = NULL;
    }
    if (shape.rank < 1 || shape.rank > 2 || n > BARS_MAX || k > 7)
        return tensor_fail("%s: found an array %s; expected (n) or (n, k): up to %d names, and up "
                           "to 7 bars of each",
                           from->name, shape_str(shape), BARS_MAX);
    if (!source_labels(s, from, w, n, 0))
        return false;
    const char *const *names = from->rows ? from->rows : source_counted(from, n);
    double *values = malloc((size_t)(n * k) * sizeof *values);
    if (!values || !names) {
        free(values);
        return tensor_fail("%s: no memory for its bars", from->name);
    }
    for (int64_t i = 0; i < n * k; i++)
        values[i] = (double)from->numbers->data[i];
    if (legend->count && legend->count != k) {
        free(values);
        return tensor_fail("--legend: found %d names; expected %lld, since %s is %s", legend->count,
                           (long long)k, from->name, shape_str(shape));
    }
    *b = (PlotBars){.names = names,
                    .values = values,
                    .count = (int)n,
                    .title = s->count > 1 ? from->name : NULL,
                    .series = (int)k,
                    .legend = legend->count ? legend->word : from->csv.column,
                    .high = w->high};
    return true;
}

bool draw_bars(const Wish *w)
{
    static Sources s;
    PlotBars groups[SOURCES_MAX] = {0};
    WordList legend;
    words_split(&legend, "legend", w->legend);
    if (w->ranged && w->low != 0)
        options_refuse("--range: found '%s'; expected 0:HIGH, since bars begin at 0", w->range);
    bool ok = sources_open(&s, w);
    for (int i = 0; ok && i < s.count; i++)
        ok = open_bars(&s, &s.source[i], w, &groups[i], &legend);
    for (int i = 1; ok && i < s.count; i++)
        ok = groups[i].series == groups[0].series ||
             tensor_fail("%s has %d bars for each name, %s %d; expected as many", s.source[0].name,
                         groups[0].series, s.source[i].name, groups[i].series);
    ok = ok && plot_bars(w->out, groups, s.count, w->title, w->formats);
    for (int i = 0; i < s.count; i++)
        free((void *)groups[i].values);
    sources_close(&s);
    return ok;
}

/* ---- curves ---------------------------------------------------------------------------------- */

typedef struct {
    PlotSeries series[SERIES_MAX];
    double *numbers[SERIES_MAX]; /* of y, which free releases */
    double *x[SOURCES_MAX];
    double *own_x[SERIES_MAX]; /* with --join: of the series' own numbers */
    bool join;
    char name[SERIES_MAX][200];
    int count;
    const char *x_name; /* of the tables' x; "" where they differ */
} Curves;

/* `count` numbers, from the first on, `step` apart. */
static double *take_column(const double *first, int64_t step, int64_t count)
{
    double *x = malloc((size_t)count * sizeof *x);
    for (int64_t i = 0; x && i < count; i++)
        x[i] = first[i * step];
    return x;
}

/* Do the numbers rise from line to line, as steps and times do? */
static bool rises(const double *first, int64_t step, int64_t count)
{
    for (int64_t i = 1; i < count; i++)
        if (!(first[i * step] > first[(i - 1) * step]))
            return false;
    return count > 1;
}

/* The column of a table that holds x: the one that --at names, or a first one that rises; -1: none;
 * -2: with an error. */
static int x_column(const Source *from, const Wish *w)
{
    const Csv *c = &from->csv;
    if (!w->at)
        return c->columns > 1 && rises(c->x, c->columns, c->rows) ? 0 : -1;
    for (int j = 0; c->column && j < c->columns; j++)
        if (c->column[j] && strcmp(c->column[j], w->at) == 0)
            return j;
    return tensor_fail("--at: %s has no column '%s'", from->name, w->at), -2;
}

/* Leaves out what is not finite, with its x, so that a line joins the numbers beside it: y keeps
 * the others, and x[0 .. n-1] gets theirs. Returns n. */
static int64_t take_finite(const double *x, double *y, int64_t count, double *to)
{
    int64_t n = 0;
    for (int64_t i = 0; i < count; i++)
        if (isfinite(y[i]) && (!x || isfinite(x[i]))) {
            to[n] = x ? x[i] : (double)i;
            y[n++] = y[i];
        }
    return n;
}

static bool add_series(Curves *c, const char *name, const double *x, double *y, int64_t count)
{
    if (!y || c->count == SERIES_MAX) {
        free(y);
        return tensor_fail(y ? "found more than %d series; expected no more"
                             : "no memory for series %d",
                           SERIES_MAX);
    }
    double *own = NULL;
    if (c->join && !(own = malloc((size_t)count * sizeof *own))) {
        free(y);
        return tensor_fail("no memory for series %d", c->count + 1);
    }
    if (own) {
        count = take_finite(x, y, count, own);
        x = own;
    }
    c->own_x[c->count] = own;
    c->numbers[c->count] = y;
    snprintf(c->name[c->count], sizeof c->name[0], "%s", name);
    c->series[c->count] =
        (PlotSeries){.name = c->name[c->count], .x = x, .y = y, .count = (int)count};
    c->count++;
    return true;
}

/* The columns of a table but that of x. With several files, names begin with the file's. */
static bool add_table(Curves *c, const Sources *s, int k, const Wish *w)
{
    const Source *from = &s->source[k];
    const Csv *t = &from->csv;
    int at = x_column(from, w);
    if (at >= 0)
        c->x[k] = take_column(t->x + at, t->columns, t->rows);
    const char *x_name = at >= 0 && t->column ? t->column[at] : "";
    c->x_name = k == 0 || strcmp(c->x_name, x_name) == 0 ? x_name : "";
    for (int j = 0; at > -2 && j < t->columns; j++) {
        char name[200] = "";
        const char *column = t->column ? t->column[j] : "";
        bool only = t->columns - (at >= 0) == 1;
        if (j == at)
            continue;
        if (s->count > 1 && only)
            snprintf(name, sizeof name, "%s", from->name);
        else
            snprintf(name, sizeof name, "%.90s%s%.90s", s->count > 1 ? from->name : "",
                     s->count > 1 && *column ? ": " : "", column);
        if (!add_series(c, name, c->x[k], take_column(t->x + j, t->columns, t->rows), t->rows))
            return false;
    }
    return at > -2;
}

/* The rows of an array (k, n), or the one of a vector; x: of the array that --at names. */
static bool add_array(Curves *c, const Sources *s, int k, const double *x, int64_t x_count)
{
    const Source *from = &s->source[k];
    const Shape shape = from->numbers->shape;
    int64_t n = shape_last(shape), rows = shape.rank == 2 ? shape.dim[0] : 1;
    if (shape.rank < 1 || shape.rank > 2)
        return tensor_fail("%s: found an array %s; expected (n), or (k, n), k series of n numbers",
                           from->name, shape_str(shape));
    if (x && x_count != n)
        return tensor_fail("--at: found %lld numbers; expected %lld, as in %s", (long long)x_count,
                           (long long)n, from->name);
    for (int64_t i = 0; i < rows; i++) {
        char name[200];
        snprintf(name, sizeof name, "%s", rows * s->count > 1 ? from->name : "");
        if (rows > 1)
            snprintf(name, sizeof name, "%s%s%d", s->count > 1 ? from->name : "",
                     s->count > 1 ? " " : "", (int)i + 1);
        if (!add_series(c, name, x, take_column(from->exact + i * n, 1, n), n))
            return false;
    }
    return true;
}

/* The array that --at names in the first file. */
static bool read_at(const Wish *w, double **x, int64_t *count)
{
    Shape shape;
    double *exact = array_read(w->file[0], w->at, &shape);
    *count = shape_size(shape);
    *x = exact ? take_column(exact, 1, *count) : NULL;
    if (!exact)
        return false;
    mem_free(exact);
    return *x || tensor_fail("no memory for the numbers of %s", w->at);
}

static bool add_all(Curves *c, const Sources *s, const Wish *w, double **x)
{
    int64_t x_count = 0;
    bool tables = s->source[0].csv.text != NULL;
    if (w->at && !tables && !read_at(w, x, &x_count))
        return false;
    for (int k = 0; k < s->count; k++)
        if (!(s->source[k].csv.text ? add_table(c, s, k, w) : add_array(c, s, k, *x, x_count)))
            return false;
    return true;
}

bool draw_curves(const Wish *w)
{
    static Sources s;
    static Curves c;
    double *x = NULL;
    WordList legend;
    c = (Curves){.join = w->join};
    words_split(&legend, "legend", w->legend);
    if (w->log && *w->log && strcmp(w->log, "x") && strcmp(w->log, "y") && strcmp(w->log, "xy"))
        options_refuse("--log: found '%s'; expected x, y or xy", w->log);
    bool ok = sources_open(&s, w) && add_all(&c, &s, w, &x);
    if (ok && legend.count && legend.count != c.count)
        ok = tensor_fail("--legend: found %d names; expected %d, one for each series", legend.count,
                         c.count);
    for (int k = 0; k < legend.count && k < SERIES_MAX; k++)
        c.series[k].name = legend.word[k];
    ok = ok && plot_curves(w->out,
                           &(PlotCurves){.series = c.series,
                                         .count = c.count,
                                         .title = w->title,
                                         .x_name = w->x ? w->x : c.x_name,
                                         .y_name = w->y,
                                         .log_x = w->log && strchr(w->log, 'x'),
                                         .log_y = w->log && (!*w->log || strchr(w->log, 'y')),
                                         .y_low = w->low,
                                         .y_high = w->high},
                           w->formats);
    for (int k = 0; k < c.count; k++) {
        free(c.numbers[k]);
        free(c.own_x[k]);
    }
    for (int k = 0; k < s.count; k++)
        free(c.x[k]);
    free(x);
    sources_close(&s);
    return ok;
}
