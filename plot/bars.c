/* bars.c: named numbers as bars, such as the most probable words at a position.
 *
 * Groups are placed side by side, up to three in a row, with one scale from 0 to the largest number
 * of all. The data file has a line "row number name" for each bar of a group. The script alone
 * contains positions, so that the data is the same with a title and without. */
#include "plot/internal.h"

#include <math.h>

enum {
    SIDE = 40,
    UNTITLED_TOP = 24,
    ACROSS = 3,
    MOST_GROUPS = 6,
    MOST_BARS = 64,
    LARGEST_FONT = 28,
    WIDEST_PITCH = 96
};

typedef struct {
    const PlotBars *groups;
    int count;
    const char *title;
    const Stem *stem;
    Fonts fonts;
    unsigned formats;
    double largest;        /* number: as long as a bar may be  */
    int across, down;      /* groups                           */
    double top;            /* below the title                  */
    double width, height;  /* of a group                       */
    double pitch, font;    /* from bar to bar; of the names    */
    double names, longest; /* the widths of names and of a bar */
    double ems;            /* as long as a name may be         */
} Picture;

static double less(double a, double b)
{
    return a < b ? a : b;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static bool check_group(const PlotBars *g, int k, const char *who)
{
    if (!g->names || !g->values || g->count < 1 || g->count > MOST_BARS)
        return tensor_fail("%s: group %d has %d bars%s; expected 1 to %d with names and values",
                           who, k + 1, g->count, g->names && g->values ? "" : " at NULL",
                           MOST_BARS);
    for (int i = 0; i < g->count; i++)
        if (!g->names[i])
            return tensor_fail("%s: group %d, the name of bar %d is NULL; expected a text", who,
                               k + 1, i + 1);
    for (int i = 0; i < g->count; i++)
        if (!isfinite(g->values[i]) || g->values[i] < 0)
            return tensor_fail("%s: group %d, bar %d is %g; expected a number of 0 or more", who,
                               k + 1, i + 1, g->values[i]);
    return true;
}

/* The largest number of all groups; -1 with an error. */
static double check(const PlotBars *groups, int count, const char *who)
{
    double largest = 0;
    if (!groups || count < 1 || count > MOST_GROUPS)
        return tensor_fail("%s: %d groups at %s; expected 1 to %d", who, count,
                           groups ? "an array" : "NULL", MOST_GROUPS),
               -1;
    for (int k = 0; k < count; k++) {
        if (!check_group(&groups[k], k, who))
            return -1;
        for (int i = 0; i < groups[k].count; i++)
            largest = groups[k].values[i] > largest ? groups[k].values[i] : largest;
    }
    return largest;
}

/* ---- positions ------------------------------------------------------------------------------- */

/* The distance from bar to bar if the groups begin at `top`; sets the groups' height, too. */
static double pitch_below(Picture *p, double top, int most)
{
    p->top = top;
    p->height = (PAGE_HEIGHT - 16 - top) / p->down;
    return less((p->height - 56) / most, WIDEST_PITCH);
}

static double font_of(double pitch)
{
    return less(0.45 * pitch, LARGEST_FONT);
}

/* Names are cut for the larger font of the picture without a title, so that one data file serves
 * both pictures. */
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
    const double largest = font_of(pitch_below(p, UNTITLED_TOP, most));
    p->ems = less(less(ems, LABEL_EMS) + 0.1, 0.42 * p->width / largest);
    p->pitch = pitch_below(p, p->title && *p->title ? 2.6 * TITLE_FONT : UNTITLED_TOP, most);
    p->font = font_of(p->pitch);
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

static void write_data(FILE *out, const void *what)
{
    const Picture *p = what;
    for (int k = 0; k < p->count; k++) {
        const PlotBars *g = &p->groups[k];
        for (int i = 0; i < g->count; i++) {
            fprintf(out, "%d\t%.6g\t", i + 1, g->values[i]);
            plot_text_field(out, g->names[i], p->ems, NULL);
            if (p->fonts.count > 0) {
                fputc('\t', out);
                plot_text_field(out, g->names[i], p->ems, &p->fonts);
            }
            fputc('\n', out);
        }
        fputs("\n\n", out);
    }
}

static void write_heading(FILE *out, const Picture *p, int k, const Fonts *lack)
{
    const char *title = p->groups[k].title;
    const double widest = p->width - 24, font = plot_text_fit(title ? title : "", widest, 22, 11);
    if (!title || !*title)
        return;
    fputs("set label ", out);
    plot_text_quoted(out, title, widest / font, lack);
    fprintf(out, " at %.5g,%.5g left font ',%.4g' noenhanced\n", left_of(p, k) - p->names + 12,
            top_of(p, k) + 22, font);
}

/* Positions as functions of a line's row and number. */
static void write_positions(FILE *out, const Picture *p)
{
    fprintf(out, "pitch = %.5g\nleft = '", p->pitch);
    for (int k = 0; k < p->count; k++)
        fprintf(out, "%s%.5g", k ? " " : "", left_of(p, k));
    fputs("'\ntop = '", out);
    for (int k = 0; k < p->count; k++)
        fprintf(out, "%s%.5g", k ? " " : "", top_of(p, k) + 48);
    fprintf(out,
            "'\nx0(k) = real(word(left, k + 1))\nx(k, number) = x0(k) + %.6g * number\n"
            "y(k, row) = real(word(top, k + 1)) + (row - 0.5) * pitch\n",
            p->largest > 0 ? p->longest / p->largest : 0);
}

static void write_group(FILE *out, const Picture *p, int k, int field)
{
    fprintf(out,
            "%sdata index %d using (0.5 * (x0(%d) + x(%d, $2))):(y(%d, $1)):(x0(%d)):(x(%d, $2))"
            ":(y(%d, $1 - 0.36)):(y(%d, $1 + 0.36)) with boxxyerror "
            "fs solid noborder lc rgb '#0072B2'",
            k == 0 ? "plot " : ", \\\n     ", k, k, k, k, k, k, k, k);
    fprintf(out,
            ", \\\n     data index %d using (x0(%d) - 10):(y(%d, $1)):%d with labels right font "
            "',%.4g' noenhanced",
            k, k, k, field, p->font);
    fprintf(out,
            ", \\\n     data index %d using (x(%d, $2) + 8):(y(%d, $1)):(sprintf('%s', $2)) with "
            "labels left font ',%.4g' tc rgb '#404040' noenhanced",
            k, k, k, p->largest <= 1 ? "%.2f" : "%.3g", 0.85 * p->font);
}

static void write_body(FILE *out, const void *what, const Fonts *lack)
{
    const Picture *p = what;
    plot_script_title(out, p->title ? p->title : "", lack);
    for (int k = 0; k < p->count; k++)
        write_heading(out, p, k, lack);
    for (int k = 0; k < p->count; k++)
        write_group(out, p, k, lack ? 4 : 3);
    fputc('\n', out);
}

static void write_script(FILE *out, const void *what)
{
    const Picture *p = what;
    plot_script_begin(out, p->stem->base);
    plot_script_page(out);
    write_positions(out, p);
    plot_script_pictures(out, p->formats, &p->fonts, write_body, p);
}

/* ---- the picture ----------------------------------------------------------------------------- */

static bool ask_fonts(Picture *p)
{
    if (!(p->formats & (PLOT_PNG | PLOT_PDF)))
        return true;
    bool ok = plot_fonts_want(&p->fonts, p->title);
    for (int k = 0; ok && k < p->count; k++) {
        ok = plot_fonts_want(&p->fonts, p->groups[k].title);
        for (int i = 0; ok && i < p->groups[k].count; i++)
            ok = plot_fonts_want(&p->fonts, p->groups[k].names[i]);
    }
    return ok && plot_fonts_ask(&p->fonts);
}

bool plot_bars(const char *stem, const PlotBars *groups, int count, const char *title,
               unsigned formats)
{
    Stem s;
    if (!plot_formats_check(formats, "plot_bars"))
        return false;
    const double largest = check(groups, count, "plot_bars");
    if (largest < 0 || !plot_stem_open(&s, stem, "plot_bars"))
        return false;
    Picture p = {.groups = groups,
                 .count = count,
                 .title = title,
                 .stem = &s,
                 .formats = formats,
                 .largest = largest};
    layout(&p);
    bool ok = ask_fonts(&p) && plot_file_write(s.path, ".tsv", write_data, &p) &&
              plot_file_write(s.path, ".gp", write_script, &p) &&
              plot_render(&s, formats, "plot_bars");
    plot_fonts_free(&p.fonts);
    plot_stem_close(&s);
    return ok;
}

/* ---- in the terminal ------------------------------------------------------------------------- */

static void put_group(const Screen *s, const PlotBars *g, double largest)
{
    enum { LONGEST_NAME = 24, LONGEST_BAR = 40 };
    const Labels names = {.text = g->names, .count = g->count};
    const int name = plot_screen_labels(&names, LONGEST_NAME, NULL);
    const int left = s->width - name - 12, longest = left < LONGEST_BAR ? left : LONGEST_BAR;
    plot_screen_heading(s->out, g->title ? g->title : "");
    for (int i = 0; i < g->count; i++) {
        const double part = largest > 0 ? g->values[i] / largest : 0;
        fputs("  ", s->out);
        plot_screen_text(s->out, g->names[i], name, false);
        fprintf(s->out, largest <= 1 ? "  %.2f " : "  %-6.3g ", g->values[i]);
        plot_screen_bar(s, (int)lround(part * longest), part);
        fputc('\n', s->out);
    }
}

bool plot_terminal_bars(FILE *out, const PlotBars *groups, int count, PlotTerminal mode)
{
    Screen s;
    const char *who = "plot_terminal_bars";
    const double largest = check(groups, count, who);
    if (largest < 0 || !plot_screen_open(&s, out, mode, who))
        return false;
    for (int k = 0; k < count; k++)
        put_group(&s, &groups[k], largest);
    return plot_screen_close(&s, who);
}
