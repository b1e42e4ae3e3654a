/* bars.c: named numbers as bars, such as the words that a model finds likeliest at a place.
 *
 * Groups stand beside each other, up to three in a line, all on one scale from 0 to the largest number. The
 * data file holds, for each group, lines "y from to number name" in points of the page. */
#include "inside.h"

#include <math.h>

enum {
    SIDE = 40,
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
    double names, longest; /* room for the names, bar          */
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
        if (!isfinite(g->values[i]) || g->values[i] < 0)
            return tensor_fail("%s: group %d, bar %d is %g; expected a number of 0 or more", who,
                               k + 1, i + 1, g->values[i]);
    return true;
}

/* The largest number of all groups, which is 0 where all are; -1 with an error. */
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

/* ---- where everything stands ------------------------------------------------------------------ */

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
    p->top = p->title && *p->title ? 2.6 * TITLE_FONT : 24;
    p->width = (PAGE_WIDTH - 2 * SIDE) / (double)p->across;
    p->height = (PAGE_HEIGHT - 16 - p->top) / p->down;
    p->pitch = less((p->height - 56) / most, WIDEST_PITCH);
    p->font = less(0.45 * p->pitch, LARGEST_FONT);
    p->names = less((less(ems, LABEL_EMS) + 0.1) * p->font, 0.42 * p->width) + 12;
    p->longest = p->width - p->names - 4 * p->font - 16; /* the number stands behind its bar */
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
    const double ems = (p->names - 12) / p->font;
    for (int k = 0; k < p->count; k++) {
        const PlotBars *g = &p->groups[k];
        for (int i = 0; i < g->count; i++) {
            const double part = p->largest > 0 ? g->values[i] / p->largest : 0;
            fprintf(out, "%.5g\t%.5g\t%.5g\t%.6g\t", top_of(p, k) + 48 + (i + 0.5) * p->pitch,
                    left_of(p, k), left_of(p, k) + part * p->longest, g->values[i]);
            plot_text_field(out, g->names[i], ems, NULL);
            if (p->fonts.count > 0) {
                fputc('\t', out);
                plot_text_field(out, g->names[i], ems, &p->fonts);
            }
            fputc('\n', out);
        }
        fputs("\n\n", out);
    }
}

static void write_heading(FILE *out, const Picture *p, int k, const Fonts *lack)
{
    const char *title = p->groups[k].title;
    const double room = p->width - 24, font = plot_text_fit(title ? title : "", room, 22, 11);
    if (!title || !*title)
        return;
    fputs("set label ", out);
    plot_text_quoted(out, title, room / font, lack);
    fprintf(out, " at %.5g,%.5g left font ',%.4g' noenhanced\n", left_of(p, k) - p->names + 12,
            top_of(p, k) + 22, font);
}

static void write_group(FILE *out, const Picture *p, int k, int field)
{
    fprintf(out,
            "%sdata index %d using (0.5 * ($2 + $3)):1:2:3:($1 - %.4g):($1 + %.4g) with boxxyerror "
            "fs solid noborder lc rgb '#0072B2'",
            k == 0 ? "plot " : ", \\\n     ", k, 0.36 * p->pitch, 0.36 * p->pitch);
    fprintf(out,
            ", \\\n     data index %d using ($2 - 10):1:%d with labels right font ',%.4g' "
            "noenhanced",
            k, field, p->font);
    fprintf(out,
            ", \\\n     data index %d using ($3 + 8):1:(sprintf('%s', $4)) with labels left font "
            "',%.4g' tc rgb '#404040' noenhanced",
            k, p->largest <= 1 ? "%.2f" : "%.3g", 0.85 * p->font);
}

static void write_body(FILE *out, const void *what, const Fonts *lack)
{
    const Picture *p = what;
    plot_script_title(out, p->title ? p->title : "", lack);
    for (int k = 0; k < p->count; k++)
        write_heading(out, p, k, lack);
    for (int k = 0; k < p->count; k++)
        write_group(out, p, k, lack ? 6 : 5);
    fputc('\n', out);
}

static void write_script(FILE *out, const void *what)
{
    const Picture *p = what;
    plot_script_begin(out, p->stem->base);
    plot_script_page(out);
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

/* ---- in the terminal ---------------------------------------------------------------------------- */

static void put_group(const Screen *s, const PlotBars *g, double largest)
{
    enum { LONGEST_NAME = 24, LONGEST_BAR = 40 };
    const Labels names = {.text = g->names, .count = g->count};
    const int name = plot_screen_labels(&names, LONGEST_NAME, NULL);
    const int room = s->width - name - 12, longest = room < LONGEST_BAR ? room : LONGEST_BAR;
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
