/* curves.c: series over x, such as losses over training steps.
 *
 * The data file holds each series as lines "x y", two empty lines between series; where there are
 * error bars, as lines "x y low high". Series differ in colour (Okabe and Ito's palette for
 * colour-blind readers) and in dash pattern. */
#include "plot/internal.h"

#include <math.h>

typedef struct {
    const PlotCurves *curves;
    const Stem *stem;
    Fonts fonts;
    unsigned formats;
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

/* ---- the files ------------------------------------------------------------------------------- */

static const double *errors_of(const PlotCurves *c, int k)
{
    return c->errors ? c->errors[k] : NULL;
}

/* The ends of an error bar; on a logarithmic axis the lower end stays above 0. */
static void write_bar(FILE *out, const PlotCurves *c, double y, double error)
{
    bool drawn = isfinite(error) && error >= 0;
    double low = c->log_y && y - error <= 0 ? y : y - error;
    fprintf(out, "\t%.9g\t%.9g", drawn ? low : (double)NAN, drawn ? y + error : (double)NAN);
}

static void write_data(FILE *out, const void *what)
{
    const PlotCurves *c = ((const Picture *)what)->curves;
    for (int k = 0; k < c->count; k++) {
        const PlotSeries *s = &c->series[k];
        for (int i = 0; i < s->count; i++) {
            double x = x_at(s, i), y = s->y[i];
            bool drawn = is_drawn(c, x, y);
            fprintf(out, "%.9g\t%.9g", isfinite(x) ? x : (double)NAN, drawn ? y : (double)NAN);
            if (errors_of(c, k))
                write_bar(out, c, y, errors_of(c, k)[i]);
            fputc('\n', out);
        }
        fputs("\n\n", out);
    }
}

static void write_name(FILE *out, const char *axis, const char *name, const Fonts *lack)
{
    if (!name || !*name)
        return;
    fprintf(out, "set %slabel ", axis);
    plot_text_quoted(out, name, 40, lack);
    fputs(" font ',20' noenhanced\n", out);
}

static void write_axes(FILE *out, const PlotCurves *c)
{
    fputs(
        "\nset lmargin at screen 0.105\nset rmargin at screen 0.965\nset bmargin at screen 0.125\n"
        "set border 3 lc rgb '#404040'\nset tics nomirror out scale 0.6 font ',18'\n"
        "set grid lt 1 lc rgb '#e0e0e0' lw 0.8\n",
        out);
    if (c->log_x)
        fputs("set logscale x\nset format x '%g'\n", out);
    if (c->log_y)
        fputs("set logscale y\nset format y '%g'\n", out);
    if (c->y_low != 0 || c->y_high != 0)
        fprintf(out, "set yrange [%.9g:%.9g]\n", c->y_low, c->y_high);
}

static bool is_named(const PlotSeries *s)
{
    return s->name && *s->name;
}

/* The legend is placed between the title and the curves, where it covers none of them. */
static void write_legend(FILE *out, const PlotCurves *c)
{
    double widest = 0, top = c->title && *c->title ? 0.915 : 0.975;
    int named = 0;
    for (int k = 0; k < c->count; k++)
        if (is_named(&c->series[k])) {
            double ems = plot_text_ems(c->series[k].name);
            widest = ems > widest ? ems : widest;
            named++;
        }
    int across = (int)(58 / ((widest < NAME_EMS ? widest : NAME_EMS) + 5));
    across = across < 1 ? 1 : across > named ? named : across;
    int lines = named ? (named + across - 1) / across : 0;
    double margin = top - 0.045 * lines - 0.015;
    fprintf(out, "set tmargin at screen %.4g\n", margin < 0.4 ? 0.4 : margin);
    if (named)
        fprintf(out,
                "set key at screen 0.535, screen %.4g center top horizontal maxcols %d Left "
                "reverse samplen 3 "
                "font ',18' noenhanced\n",
                top, across);
}

static void write_series(FILE *out, const PlotCurves *c, int k, const Fonts *lack)
{
    static const char *const colour[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                         "#E69F00", "#56B4E9", "#000000"};
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
        plot_text_quoted(out, s->name, NAME_EMS, lack);
    } else {
        fputs(" notitle", out);
    }
    if (errors_of(c, k))
        fprintf(out,
                ", \\\n     data index %d using 1:2:3:4 with yerrorbars pt 7 ps 0.9 lw 2 lc rgb "
                "'%s' notitle",
                k, colour[k % 7]);
}

static void write_label(FILE *out, const PlotLabel *l, const Fonts *lack)
{
    fputs("set label ", out);
    plot_text_quoted(out, l->text, LABEL_EMS, lack);
    fprintf(out, " at first %.9g,%.9g %s offset character %s,0 font ',18' noenhanced\n", l->x, l->y,
            l->left ? "right" : "left", l->left ? "-0.8" : "0.8");
}

static void write_body(FILE *out, const void *what, const Fonts *lack)
{
    const PlotCurves *c = ((const Picture *)what)->curves;
    plot_script_title(out, c->title ? c->title : "", lack);
    write_name(out, "x", c->x_name, lack);
    write_name(out, "y", c->y_name, lack);
    for (int i = 0; i < c->label_count; i++)
        write_label(out, &c->labels[i], lack);
    for (int k = 0; k < c->count; k++)
        write_series(out, c, k, lack);
    fputc('\n', out);
}

static void write_script(FILE *out, const void *what)
{
    const Picture *p = what;
    plot_script_begin(out, p->stem->base);
    write_axes(out, p->curves);
    write_legend(out, p->curves);
    plot_script_pictures(out, p->formats, &p->fonts, write_body, p);
}

/* ---- the picture ----------------------------------------------------------------------------- */

static bool ask_fonts(Fonts *f, const PlotCurves *c, unsigned formats)
{
    if (!(formats & (PLOT_PNG | PLOT_PDF)))
        return true;
    bool ok = plot_fonts_want(f, c->title) && plot_fonts_want(f, c->x_name) &&
              plot_fonts_want(f, c->y_name);
    for (int k = 0; ok && k < c->count; k++)
        ok = plot_fonts_want(f, c->series[k].name);
    for (int i = 0; ok && i < c->label_count; i++)
        ok = plot_fonts_want(f, c->labels[i].text);
    return ok && plot_fonts_ask(f);
}

bool plot_curves(const char *stem, const PlotCurves *curves, unsigned formats)
{
    Stem s;
    if (!plot_formats_check(formats, "plot_curves") || !check(curves) ||
        !plot_stem_open(&s, stem, "plot_curves"))
        return false;
    Picture p = {.curves = curves, .stem = &s, .formats = formats};
    bool ok =
        ask_fonts(&p.fonts, curves, formats) && plot_file_write(s.path, ".tsv", write_data, &p) &&
        plot_file_write(s.path, ".gp", write_script, &p) && plot_render(&s, formats, "plot_curves");
    plot_fonts_free(&p.fonts);
    plot_stem_close(&s);
    return ok;
}
