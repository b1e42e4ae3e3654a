/* curves.c: series over x, such as losses over training steps.
 *
 * The data file holds each series as lines "x y", two empty lines between series; where there are
 * error bars, as lines "x y low high". Series differ in colour (Okabe and Ito's palette for
 * colour-blind readers) and in dash pattern. */
#include "plot/internal.h"

#include <math.h>

typedef struct {
    AnyPicture d;
    const PlotCurves *curves;
    Axis x, y;
    int outside, left_out; /* numbers beyond the y axis, which are marked; not drawn at all */
} Picture;

enum { MOST_SERIES = 64, MARKED = 40, NAME_EMS = 40 };

/* ---- what is drawn --------------------------------------------------------------------------- */

static bool is_drawn(const PlotCurves *c, double x, double y)
{
    return isfinite(x) && isfinite(y) && (!c->log_x || x > 0) && (!c->log_y || y > 0);
}

static double x_at(const PlotSeries *s, int i)
{
    return s->x ? s->x[i] : i;
}

static const double *errors_of(const PlotCurves *c, int k)
{
    return c->errors ? c->errors[k] : NULL;
}

static bool check_series(const PlotCurves *c, const PlotSeries *s, int *drawn)
{
    if (!s->y || s->count < 1)
        return tensor_fail("plot_curves: series %d has %d numbers%s; expected at least 1",
                           (int)(s - c->series) + 1, s->count, s->y ? "" : " at NULL");
    for (int i = 0; i < s->count; i++)
        *drawn += is_drawn(c, x_at(s, i), s->y[i]);
    return true;
}

static bool check_labels(const PlotCurves *c)
{
    if (c->label_count < 0 || (c->label_count > 0 && !c->labels))
        return tensor_fail("plot_curves: %d labels%s; expected 0 or more", c->label_count,
                           c->labels ? "" : " at NULL");
    for (int i = 0; i < c->label_count; i++) {
        const PlotLabel *l = &c->labels[i];
        if (!l->text || !isfinite(l->x) || !isfinite(l->y))
            return tensor_fail(
                "plot_curves: label %d is %s at %g, %g; expected a text at finite numbers", i + 1,
                l->text ? l->text : "NULL", l->x, l->y);
    }
    return true;
}

static bool check(const PlotCurves *c)
{
    int drawn = 0;
    if (!c || !c->series || c->count < 1 || c->count > MOST_SERIES)
        return tensor_fail("plot_curves: %d series; expected 1 to %d",
                           c && c->series ? c->count : 0, MOST_SERIES);
    for (int k = 0; k < c->count; k++)
        if (!check_series(c, &c->series[k], &drawn))
            return false;
    if (!drawn)
        return tensor_fail("plot_curves: nothing to draw; expected at least one finite number%s",
                           c->log_x || c->log_y ? " above 0" : "");
    bool automatic = c->y_low == 0 && c->y_high == 0;
    bool range = isfinite(c->y_low) && isfinite(c->y_high) && c->y_low < c->y_high;
    if (!automatic && (!range || (c->log_y && c->y_low <= 0)))
        return tensor_fail(
            "plot_curves: y from %g to %g; expected finite numbers, y_low < y_high%s", c->y_low,
            c->y_high, c->log_y ? ", above 0" : "");
    return check_labels(c);
}

/* ---- the axes -------------------------------------------------------------------------------- */

static void extend(double extent[2], double at)
{
    extent[0] = fmin(extent[0], at);
    extent[1] = fmax(extent[1], at);
}

/* The extents of what is drawn, with the ends of error bars. */
static void extents(const PlotCurves *c, double x[2], double y[2])
{
    for (int k = 0; k < c->count; k++)
        for (int i = 0; i < c->series[k].count; i++) {
            double at = x_at(&c->series[k], i), value = c->series[k].y[i];
            double error = errors_of(c, k) ? errors_of(c, k)[i] : 0;
            if (!is_drawn(c, at, value))
                continue;
            extend(x, at);
            extend(y, value);
            if (isfinite(error) && error > 0) {
                extend(y, value + error);
                extend(y, c->log_y && value <= error ? value : value - error);
            }
        }
}

/* 1: the number is above the y axis, -1: below it, 0: on it, or not drawn. A number of 0 or less is
 * below a logarithmic axis. */
static int beyond(const Picture *p, double x, double y)
{
    const Axis *a = &p->y;
    if (!isfinite(x) || !isfinite(y) || (p->x.log && x <= 0) || (a->low == 0 && a->high == 0))
        return 0;
    return y > a->high ? 1 : y < a->low ? -1 : 0;
}

static void choose_axes(Picture *p)
{
    const PlotCurves *c = p->curves;
    double x[2] = {INFINITY, -INFINITY}, y[2] = {INFINITY, -INFINITY};
    extents(c, x, y);
    p->x = c->log_x                     ? plot_axis_log(x[0], x[1])
           : plot_look().width < 1000   ? plot_axis_linear(x[0], x[1])
           : plot_is_narrow(x[0], x[1]) ? plot_axis_linear(x[0], x[1])
                                        : (Axis){0};
    if (!c->log_x && plot_is_narrow(x[0], x[1]) && x[0] < x[1]) {
        p->x.low = x[0]; /* a number of twelve digits at the end would be cut off */
        p->x.high = x[1];
    }
    p->y = c->y_low != 0 || c->y_high != 0
               ? (Axis){.low = c->y_low, .high = c->y_high, .log = c->log_y}
           : c->log_y ? plot_axis_log(y[0], y[1])
                      : (Axis){0};
    for (int k = 0; k < c->count; k++)
        for (int i = 0; i < c->series[k].count; i++) {
            double at = x_at(&c->series[k], i), value = c->series[k].y[i];
            p->outside += beyond(p, at, value) != 0;
            p->left_out += !isfinite(at) || !isfinite(value) || (c->log_x && at <= 0);
        }
}

static void note_outside(const Picture *p)
{
    if (p->outside)
        plot_note("outside of the y axis, %g to %g: %d numbers, which triangles at its ends mark",
                  p->y.low, p->y.high, p->outside);
    if (p->left_out)
        plot_note("not finite%s: %d numbers, which leave gaps",
                  p->curves->log_x ? ", or without a place on a logarithmic x axis" : "",
                  p->left_out);
}

/* ---- the files ------------------------------------------------------------------------------- */

/* The ends of an error bar; on a logarithmic axis the lower end stays above 0. */
static void write_bar(FILE *out, const PlotCurves *c, double y, double error)
{
    bool drawn = isfinite(error) && error >= 0;
    double low = c->log_y && y - error <= 0 ? y : y - error;
    fprintf(out, "\t%.15g\t%.15g", drawn ? low : (double)NAN, drawn ? y + error : (double)NAN);
}

/* A line for each number beyond the end of the y axis, where its triangle is; at least one. */
static void write_beyond(FILE *out, const Picture *p, const PlotSeries *s, int side)
{
    fputs("nan\tnan\n", out);
    for (int i = 0; i < s->count; i++)
        if (beyond(p, x_at(s, i), s->y[i]) == side)
            fprintf(out, "%.15g\t%.15g\n", x_at(s, i), side > 0 ? p->y.high : p->y.low);
    fputs("\n\n", out);
}

static void write_data(FILE *out, const void *what)
{
    const Picture *p = what;
    const PlotCurves *c = p->curves;
    for (int k = 0; k < c->count; k++) {
        const PlotSeries *s = &c->series[k];
        for (int i = 0; i < s->count; i++) {
            double x = x_at(s, i), y = s->y[i];
            bool drawn = is_drawn(c, x, y);
            fprintf(out, "%.15g\t%.15g", isfinite(x) ? x : (double)NAN, drawn ? y : (double)NAN);
            if (errors_of(c, k))
                write_bar(out, c, y, errors_of(c, k)[i]);
            fputc('\n', out);
        }
        fputs("\n\n", out);
    }
    for (int k = 0; p->outside && k < c->count; k++) {
        write_beyond(out, p, &c->series[k], 1);
        write_beyond(out, p, &c->series[k], -1);
    }
}

static void write_name(FILE *out, const char *axis, const char *name)
{
    if (!name || !*name)
        return;
    fprintf(out, "set %slabel ", axis);
    plot_text_quoted(out, name, 40);
    fprintf(out, " font ',20' tc rgb '%s' noenhanced\n", plot_look().ink);
}

/* The margins are as wide as the names and numbers beside the axes, whatever the page's size. */
static void write_axes(FILE *out, const Picture *p)
{
    const Look l = plot_look();
    fprintf(out,
            "\nset lmargin at screen %.4g\nset rmargin at screen %.4g\nset bmargin at screen %.4g\n"
            "set border 3 lc rgb '%s'\nset tics nomirror out scale 0.6 font ',18' tc rgb '%s'\n"
            "set grid lt 1 lc rgb '%s' lw 0.8\n",
            134.4 / l.width, 1 - 44.8 / l.width, 90.0 / l.height, l.soft, l.ink, l.faint);
    plot_axis_write(out, 'x', p->x);
    plot_axis_write(out, 'y', p->y);
}

static bool is_named(const PlotSeries *s)
{
    return s->name && *s->name;
}

/* The legend is placed between the title and the curves, where it covers none of them. */
static void write_legend(FILE *out, const PlotCurves *c)
{
    const Look l = plot_look();
    double widest = 0, top = l.height - (*c->title ? 61 : 18);
    int named = 0;
    for (int k = 0; k < c->count; k++)
        if (is_named(&c->series[k])) {
            double ems = plot_text_ems(c->series[k].name);
            widest = ems > widest ? ems : widest;
            named++;
        }
    int across = (int)((l.width - 200) / 18.6 / ((widest < NAME_EMS ? widest : NAME_EMS) + 5));
    across = across < 1 ? 1 : across > named ? named : across;
    int lines = named ? (named + across - 1) / across : 0;
    double margin = (top - 32.4 * lines - 11) / l.height;
    fprintf(out, "set tmargin at screen %.4g\n", margin < 0.4 ? 0.4 : margin);
    if (named)
        fprintf(out,
                "set key at screen %.4g, screen %.4g center top horizontal maxcols %d Left "
                "reverse samplen 3 "
                "font ',18' tc rgb '%s' noenhanced\n",
                (134.4 + l.width - 44.8) / 2 / l.width, top / l.height, across, l.ink);
}

/* The triangles of a series, which point to the numbers beyond the y axis. */
static void write_triangles(FILE *out, const Picture *p, int k)
{
    static const int up = 9, down = 11;
    for (int below = 0; p->outside && below < 2; below++)
        fprintf(out,
                ", \\\n     data index %d using 1:2 with points pt %d ps 1.6 lc rgb '%s' notitle",
                p->curves->count + 2 * k + below, below ? down : up,
                plot_look().series[k % SERIES_COLOURS]);
}

static void write_series(FILE *out, const PlotCurves *c, int k)
{
    const char *const *colour = plot_look().series;
    static const char *const dash[] = {"1", "(8,3)", "(2,2)", "(9,3,2,3)", "(14,4)"};
    static const int shape[] = {7, 9, 5}; /* discs, then triangles, then squares */
    const PlotSeries *s = &c->series[k];
    fprintf(out, "%sdata index %d using 1:2 with ", k == 0 ? "plot " : ", \\\n     ", k);
    if (c->points)
        fprintf(out, "points pt %d ps 0.9 lc rgb '%s'", shape[k / 7 % 3], colour[k % 7]);
    else
        fprintf(out, "%s lw 3 lc rgb '%s' dt %s",
                s->count <= MARKED ? "linespoints pt 7 ps 0.9" : "lines", colour[k % 7],
                dash[k % 5]);
    if (is_named(s)) {
        fputs(" title ", out);
        plot_text_quoted(out, s->name, NAME_EMS);
    } else {
        fputs(" notitle", out);
    }
    if (errors_of(c, k))
        fprintf(out,
                ", \\\n     data index %d using 1:2:3:4 with yerrorbars pt 7 ps 0.9 lw 2 lc rgb "
                "'%s' notitle",
                k, colour[k % 7]);
}

static void write_label(FILE *out, const PlotLabel *l)
{
    fputs("set label ", out);
    plot_text_quoted(out, l->text, LABEL_EMS);
    fprintf(out, " at first %.9g,%.9g %s offset character %s,0 font ',18' tc rgb '%s' noenhanced\n",
            l->x, l->y, l->left ? "right" : "left", l->left ? "-0.8" : "0.8", plot_look().ink);
}

static void write_body(FILE *out, const void *what)
{
    const Picture *p = what;
    const PlotCurves *c = p->curves;
    plot_script_title(out, c->title);
    write_name(out, "x", c->x_name);
    write_name(out, "y", c->y_name);
    for (int i = 0; i < c->label_count; i++)
        write_label(out, &c->labels[i]);
    for (int k = 0; k < c->count; k++)
        write_series(out, c, k);
    for (int k = 0; k < c->count; k++)
        write_triangles(out, p, k);
    fputc('\n', out);
}

static void write_settings(FILE *out, const void *what)
{
    const Picture *p = what;
    write_axes(out, p);
    write_legend(out, p->curves);
}

/* ---- the picture ----------------------------------------------------------------------------- */

bool plot_curves(const char *stem, const PlotCurves *curves, unsigned formats)
{
    if (!plot_formats_check(&formats, "plot_curves") || !check(curves))
        return false;
    PlotCurves titled = *curves;
    titled.title = plot_page_title(curves->title);
    Picture p = {.d = {.who = "plot_curves",
                       .formats = formats,
                       .body = write_body,
                       .data = write_data,
                       .settings = write_settings,
                       .axes = true},
                 .curves = &titled};
    choose_axes(&p);
    bool ok = plot_draw(&p.d, stem);
    note_outside(&p);
    return ok;
}
