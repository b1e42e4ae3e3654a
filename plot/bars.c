/* bars.c: named numbers as bars, such as the most probable words at a position.
 *
 * Groups are placed side by side, up to three in a row, with one scale from 0, or the least number
 * below it, to the largest of all. Where a name has several bars, one a series, these stand one
 * below the other in colours that a legend explains. The data file has a line "row number name" for
 * each bar of a group and series; the script has the positions. */
#include "plot/internal.h"

#include <math.h>

enum {
    SIDE = 40,
    UNTITLED_TOP = 24,
    ACROSS = 3,
    MOST_GROUPS = 6,
    MOST_BARS = 64,
    LARGEST_FONT = 28,
    WIDEST_PITCH = 96,
    LEGEND_LINE = 34
};
static const double slack = 1.00001; /* what the digits of the data file may round */

/* The ends of the scale, of which 0 is one or lies between them, and the bars of each name. */
typedef struct {
    double low, high;
    int series;
} BarScale;

typedef struct {
    AnyPicture d;
    const PlotBars *groups;
    int count;
    const char *title;
    BarScale scale;
    int every;             /* every so many-th name is written */
    int across, down;      /* groups                           */
    double top;            /* below the title                  */
    double width, height;  /* of a group                       */
    double pitch, font;    /* from name to name; of the names  */
    double number_font;    /* 0: the numbers are not written   */
    double names, longest; /* the widths of names and of a bar */
    double ems;            /* as long as a name may be         */
} Picture;

/* ---- checks ---------------------------------------------------------------------------------- */

static bool check_group(const PlotBars *g, int series, int k)
{
    if (!g->names || !g->values || g->count < 1 || g->count > MOST_BARS)
        return tensor_fail(
            "plot_bars: group %d has %d bars%s; expected 1 to %d with names and values", k + 1,
            g->count, g->names && g->values ? "" : " at NULL", MOST_BARS);
    for (int i = 0; i < g->count; i++)
        if (!g->names[i])
            return tensor_fail("plot_bars: group %d, the name of bar %d is NULL; expected a text",
                               k + 1, i + 1);
    for (int i = 0; i < g->count * series; i++)
        if (!isfinite(g->values[i]))
            return tensor_fail("plot_bars: group %d, bar %d is %g; expected a finite number", k + 1,
                               i + 1, g->values[i]);
    return true;
}

/* Checks the caller's groups and finds their common scale. */
static bool find_scale(const PlotBars *groups, int count, BarScale *scale)
{
    if (!groups || count < 1 || count > MOST_GROUPS)
        return tensor_fail("plot_bars: %d groups at %s; expected 1 to %d", count,
                           groups ? "an array" : "NULL", MOST_GROUPS);
    if (groups->series < 0 || groups->series > SERIES_COLOURS || groups->high < 0 ||
        !isfinite(groups->high))
        return tensor_fail("plot_bars: %d series, a scale to %g; expected 0 to %d, and 0 or more",
                           groups->series, groups->high, SERIES_COLOURS);
    *scale = (BarScale){.series = groups->series > 0 ? groups->series : 1};
    for (int k = 0; k < count; k++) {
        if (!check_group(&groups[k], scale->series, k))
            return false;
        for (int i = 0; i < groups[k].count * scale->series; i++) {
            scale->high = fmax(groups[k].values[i], scale->high);
            scale->low = fmin(groups[k].values[i], scale->low);
        }
    }
    scale->high = groups->high > 0 ? groups->high : scale->high;
    return true;
}

/* ---- positions ------------------------------------------------------------------------------- */

/* The distance from bar to bar if the groups begin at `top`; sets the groups' height, too. */
static double pitch_below(Picture *p, double top, int most)
{
    p->top = top;
    p->height = (PAGE_HEIGHT - 16 - top) / p->down;
    return fmin((p->height - 56) / most, WIDEST_PITCH + 30.0 * (p->scale.series - 1));
}

static double font_of(double pitch)
{
    return fmax(fmin(0.45 * pitch, LARGEST_FONT), plot_look().least);
}

/* Names and numbers as large as their lines allow, and never too small to be read. */
static void choose_fonts(Picture *p)
{
    const double line = 0.8 * p->pitch / p->scale.series;
    p->font = fmax(fmin(font_of(p->pitch), 0.42 * p->width / p->ems), plot_look().least);
    p->every = (int)ceil(1.05 * p->font / p->pitch);
    p->number_font = fmax(fmin(0.85 * p->font, 0.95 * line), plot_look().least);
    p->number_font = p->number_font <= 1.05 * line ? p->number_font : 0;
}

static bool has_legend(const Picture *p)
{
    return p->scale.series > 1 && p->groups->legend;
}

static void layout(Picture *p)
{
    double ems = 1;
    int most = 1;
    for (int k = 0; k < p->count; k++) {
        const Labels names = {.text = p->groups[k].names, .count = p->groups[k].count};
        ems = plot_labels_ems(&names) > ems ? plot_labels_ems(&names) : ems;
        most = p->groups[k].count > most ? p->groups[k].count : most;
    }
    p->across = p->count == 4 ? 2 : p->count < ACROSS ? p->count : ACROSS;
    p->down = (p->count + p->across - 1) / p->across;
    p->width = (PAGE_WIDTH - 2 * SIDE) / (double)p->across;
    const double legend = has_legend(p) ? LEGEND_LINE : 0;
    p->pitch = pitch_below(p, (*p->title ? 2.6 * TITLE_FONT : UNTITLED_TOP) + legend, most);
    const double largest =
        fmax(fmin(font_of(p->pitch), 0.42 * p->width / fmin(ems, LABEL_EMS)), plot_look().least);
    p->ems = fmin(fmin(ems, LABEL_EMS) + 0.1, 0.42 * p->width / largest);
    choose_fonts(p);
    p->names = p->ems * p->font + 12;
    p->longest = p->width - p->names - 4 * p->font - 16; /* the number is written after its bar */
}

static double left_of(const Picture *p, int k)
{
    return SIDE + (k % p->across) * p->width + p->names;
}

static double top_of(const Picture *p, int k)
{
    return p->top + (k / p->across) * p->height;
}

/* ---- the files ------------------------------------------------------------------------------- */

static void write_series(FILE *out, const Picture *p, const PlotBars *g, int series)
{
    for (int i = 0; i < g->count; i++) {
        fprintf(out, "%d\t%.6g\t", i + 1, g->values[i * p->scale.series + series]);
        plot_text_fields(out, g->names[i], p->ems);
        fputc('\n', out);
    }
    fputs("\n\n", out);
}

static void write_data(FILE *out, const void *what)
{
    const Picture *p = what;
    for (int k = 0; k < p->count; k++) {
        for (int j = 0; j < p->scale.series; j++)
            write_series(out, p, &p->groups[k], j);
    }
}

/* The names of the series in a line below the title, each beside a square of its colour. */
static void write_legend(FILE *out, const Picture *p)
{
    const Look look = plot_look();
    const double y = p->top - LEGEND_LINE / 2.0, widest = PAGE_WIDTH - 2 * SIDE;
    double ems = 0;
    for (int j = 0; j < p->scale.series; j++)
        ems += plot_text_ems(p->groups->legend[j]);
    const double font =
        fmax(fmin(LEGEND_FONT, (widest - 48 * p->scale.series) / fmax(ems, 1)), look.least);
    const double most = (widest / p->scale.series - 48) / font,
                 width = ems * font + 48 * p->scale.series;
    double x = (PAGE_WIDTH - fmin(width, widest)) / 2;
    for (int j = 0; j < p->scale.series; j++) {
        const char *name = p->groups->legend[j];
        const double own = width <= widest ? plot_text_ems(name) : fmin(plot_text_ems(name), most);
        fprintf(out,
                "set object rectangle from %.5g,%.5g to %.5g,%.5g fc rgb '%s' fs solid noborder\n",
                x, y - 10, x + 20, y + 10, look.series[j]);
        plot_script_label(out, name, x + 28, y, "left", own + 0.01, font);
        x += own * font + 48;
    }
}

static void write_heading(FILE *out, const Picture *p, int k)
{
    const char *title = p->groups[k].title;
    const double widest = p->width - 24, font = plot_text_fit(title ? title : "", widest, 22, 14);
    plot_script_label(out, title ? title : "", left_of(p, k) - p->names + 12, top_of(p, k) + 22,
                      "left", widest / font, font);
}

/* Positions as functions of a line's row and number: of a group's left edge, of 0, of the end of a
 * bar. */
static void write_positions(FILE *out, const void *what)
{
    const Picture *p = what;
    const double range = p->scale.high - p->scale.low, unit = range > 0 ? p->longest / range : 0;
    fprintf(out, "pitch = %.5g\nleft = '", p->pitch);
    for (int k = 0; k < p->count; k++)
        fprintf(out, "%s%.5g", k ? " " : "", left_of(p, k));
    fputs("'\ntop = '", out);
    for (int k = 0; k < p->count; k++)
        fprintf(out, "%s%.5g", k ? " " : "", top_of(p, k) + 48);
    fprintf(out,
            "'\nedge(k) = real(word(left, k + 1))\n"
            "x0(k) = edge(k) + %.6g\n"
            "x(k, number) = x0(k) + %.6g * (number > %.9g ? %.9g : number)\n"
            "y(k, row) = real(word(top, k + 1)) + (row - 0.5) * pitch\n",
            -p->scale.low * unit, unit, p->scale.high, p->scale.high);
}

/* The bars of a series, a gap in those that are longer than the scale, and the numbers. */
static void write_bars(FILE *out, const Picture *p, int k, int j)
{
    const Look look = plot_look();
    const int index = k * p->scale.series + j;
    const double height = 0.72 / p->scale.series, from = (j - p->scale.series / 2.0) * height;
    const char *colour = p->scale.series > 1 ? look.series[j] : look.accent;
    fprintf(out,
            "%sdata index %d using (0.5 * (x0(%d) + x(%d, $2))):(y(%d, $1)):(x0(%d)):(x(%d, $2))"
            ":(y(%d, $1 + %.4g)):(y(%d, $1 + %.4g)) with boxxyerror "
            "fs solid noborder lc rgb '%s'",
            index == 0 ? "plot " : ", \\\n     ", index, k, k, k, k, k, k, from, k, from + height,
            colour);
    fprintf(out,
            ", \\\n     data index %d using ($2 > %.9g ? x(%d, $2) - 24 : NaN):(y(%d, $1 + %.4g))"
            ":(4):(%.4g * pitch) with boxxyerror fs solid noborder lc rgb '%s'",
            index, slack * p->scale.high, k, k, from + height / 2, height / 2, look.paper);
    if (p->number_font > 0)
        fprintf(out,
                ", \\\n     data index %d using (x(%d, $2 > 0 ? $2 : 0) + 8):(y(%d, $1 + %.4g)):"
                "(sprintf('%s', $2)) with labels left font ',%.4g' tc rgb '%s' noenhanced",
                index, k, k, from + height / 2,
                p->scale.high <= 1 && p->scale.low >= -1 ? "%.2f" : "%.3g", p->number_font,
                look.soft);
}

static void write_group(FILE *out, const Picture *p, int k, int field)
{
    for (int j = 0; j < p->scale.series; j++)
        write_bars(out, p, k, j);
    fprintf(
        out,
        ", \\\n     data index %d every %d using (edge(%d) - 10):(y(%d, $1)):%d with labels right "
        "font ',%.4g' tc rgb '%s' noenhanced",
        k * p->scale.series, p->every, k, k, field, p->font, plot_look().ink);
}

static void write_body(FILE *out, const void *what)
{
    const Picture *p = what;
    plot_script_title(out, p->title);
    for (int k = 0; k < p->count; k++)
        write_heading(out, p, k);
    if (has_legend(p))
        write_legend(out, p);
    for (int k = 0; k < p->count; k++)
        write_group(out, p, k, plot_fonts_field(3));
    fputc('\n', out);
}

static void note_all(const Picture *p)
{
    int longer = 0;
    for (int k = 0; k < p->count; k++)
        for (int i = 0; i < p->groups[k].count * p->scale.series; i++)
            longer += p->groups[k].values[i] > slack * p->scale.high;
    if (longer)
        plot_note("above %g, the end of the scale: %d numbers, whose bars have a gap",
                  p->scale.high, longer);
    plot_note_every("names", p->every);
    if (p->number_font == 0)
        plot_note("the numbers beside the bars are left out: there is no space for them");
}

/* ---- the picture ----------------------------------------------------------------------------- */

bool plot_bars(const char *stem, const PlotBars *groups, int count, const char *title,
               unsigned formats)
{
    BarScale scale;
    if (!plot_formats_check(&formats, "plot_bars") || !find_scale(groups, count, &scale))
        return false;
    Picture p = {.d = {.who = "plot_bars",
                       .formats = formats,
                       .body = write_body,
                       .data = write_data,
                       .settings = write_positions},
                 .groups = groups,
                 .count = count,
                 .title = plot_page_title(title),
                 .scale = scale};
    layout(&p);
    note_all(&p);
    return plot_draw(&p.d, stem);
}
