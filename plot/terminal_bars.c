/* terminal_bars.c: bars in characters, the groups one below the other. */
#include "plot/bars.h"

#include <math.h>

enum { LONGEST_NAME = 24, LONGEST_BAR = 40 };

/* Bars of numbers below 0 end where those above begin. */
static void put_bar(const Screen *s, double value, const BarScale *scale, int longest)
{
    const double range = scale->high - scale->low, part = range > 0 ? fabs(value) / range : 0,
                 most = value > 0 ? scale->high : -scale->low;
    const int zero = range > 0 ? (int)lround(-scale->low / range * longest) : 0;
    const int bar = (int)lround(fmin(part, range > 0 ? most / range : 0) * longest);
    fprintf(s->out, scale->high <= 1 && scale->low >= -1 ? "  %.2f " : "  %-6.3g ", value);
    for (int i = 0; i < zero - (value < 0 ? bar : 0); i++)
        fputc(' ', s->out);
    plot_screen_bar(s, bar, fmin(part, 1));
    fputs(value > BARS_SLACK * scale->high ? ">\n" : "\n", s->out);
}

/* With several series each bar has a line, with the series' name after the name. */
static void put_group(const Screen *s, const PlotBars *g, const char *const *legend,
                      const BarScale *scale)
{
    const int series = scale->series;
    const Labels names = {.text = g->names, .count = g->count},
                 parts = {.text = legend, .count = series};
    const int name = plot_screen_labels(&names, LONGEST_NAME, NULL);
    const int part = legend && series > 1 ? plot_screen_labels(&parts, LONGEST_NAME, NULL) : 0;
    const int left = s->width - name - part - (part ? 14 : 12);
    plot_screen_heading(s->out, g->title ? g->title : "");
    for (int i = 0; i < g->count * series; i++) {
        fputs("  ", s->out);
        plot_screen_text(s->out, i % series ? "" : g->names[i / series], name, false);
        if (part) {
            fputs("  ", s->out);
            plot_screen_text(s->out, legend[i % series], part, false);
        }
        put_bar(s, g->values[i], scale, left < LONGEST_BAR ? left : LONGEST_BAR);
    }
}

bool plot_terminal_bars(FILE *out, const PlotBars *groups, int count, PlotTerminal mode)
{
    Screen s;
    BarScale scale;
    const char *who = "plot_terminal_bars";
    if (!plot_bars_scale(groups, count, who, &scale) || !plot_screen_open(&s, out, mode, who))
        return false;
    for (int k = 0; k < count; k++)
        put_group(&s, &groups[k], groups->legend, &scale);
    return plot_screen_close(&s, who);
}
