/* colour_bar.c: what explains the colours of a heatmap: a bar with numbers, or a legend of classes.
 *
 * Numbers outside of the scale have colours that the bar has not; a square above the bar or below
 * it shows them. */
#include "plot/heatmap.h"

#include <math.h>

double plot_largest_end(const Sheet *s)
{
    return fabs(s->low) > fabs(s->high) ? fabs(s->low) : fabs(s->high);
}

/* The name of the colour bar and, if the numbers in the cells have another unit, that unit. */
static void write_bar_name(FILE *out, const Sheet *s, const Layout *l)
{
    int exponent;
    char unit[40] = "";
    plot_value_format(plot_largest_end(s), &exponent);
    if (l->value_font > 0 && exponent != 0)
        snprintf(unit, sizeof unit, "   (in the cells: 1e%d)", exponent);
    char *name = plot_text_join(s->scale_name, unit, "");
    if (!name || !*name) {
        mem_free(name);
        return;
    }
    fputs("set cblabel ", out);
    plot_text_quoted(out, name, l->bar_height / 16);
    fprintf(out, " font ',16' tc rgb '%s' noenhanced\n", plot_look().ink);
    mem_free(name);
}

/* In place of the bar: a square for each class, the last at the top, and its name. */
static void write_legend(FILE *out, const Sheet *s, const Layout *l)
{
    double height = (2 * s->classes - 1) * LEGEND_SIDE;
    double top = l->bar_y + (l->bar_height - height) / 2, right = l->bar_x + LEGEND_SIDE;
    for (int i = 0; i < s->classes; i++) {
        double y = top + 2 * LEGEND_SIDE * (s->classes - 1 - i);
        fprintf(out,
                "set object rectangle from %.5g,%.5g to %.5g,%.5g fc rgb '%s' fs solid noborder\n",
                l->bar_x, y, right, y + LEGEND_SIDE, plot_colours_class(i));
        fputs("set label ", out);
        plot_text_quoted(out, s->legend[i], LABEL_EMS);
        fprintf(out, " at %.5g,%.5g left font ',%d' tc rgb '%s' noenhanced\n", right + 7,
                y + LEGEND_SIDE / 2.0, LEGEND_FONT, plot_look().ink);
    }
}

/* "> 1" beside a square of the colour of numbers above the bar. */
static void write_outside(FILE *out, const Sheet *s, const Layout *l, bool above)
{
    enum { SIDE = 20 };
    const double end = above ? s->high : s->low;
    const double y = above ? l->bar_y - 8 - SIDE : l->bar_y + l->bar_height + 8;
    fprintf(out, "set object rectangle from %.5g,%.5g to %.5g,%.5g %s\n", l->bar_x, y,
            l->bar_x + SIDE, y + SIDE, plot_colours_outside(s, above ? 1 : -1));
    fprintf(out, "set label '%s %.3g' at %.5g,%.5g left font ',15' tc rgb '%s' noenhanced\n",
            above ? ">" : "<", end, l->bar_x + SIDE + 7, y + SIDE / 2.0, plot_look().ink);
}

void plot_colour_bar(FILE *out, const Sheet *s, const Layout *l)
{
    if (s->legend)
        write_legend(out, s, l);
    else if (!s->grey)
        write_bar_name(out, s, l);
    if (plot_colours_negative(s))
        fprintf(out,
                "set style textbox opaque noborder margins 0.4,0.4 fc rgb '#ffffff'\n"
                "set object rectangle from %.5g,%.5g to %.5g,%.5g front %s\n",
                l->bar_x, l->bar_y + l->bar_height / 2, l->bar_x + 20, l->bar_y + l->bar_height,
                plot_colours_negative(s));
    if (s->above)
        write_outside(out, s, l, true);
    if (s->below)
        write_outside(out, s, l, false);
}

void plot_colour_scale(FILE *out, const Sheet *s, const Layout *l)
{
    if (s->grey) {
        fputs("unset colorbox\n", out);
        return;
    }
    if (s->legend) {
        fputs("\n# One colour for each class.\n", out);
        plot_colours_classes(out, s->classes);
        fprintf(out, "set cbrange [-0.5:%d.5]\nunset colorbox\n", s->classes - 1);
        return;
    }
    fputs("\n# One scale and one bar for all panels.\n", out);
    plot_colours_script(out, s);
    fprintf(out, "set cbrange [%.9g:%.9g]\n", s->low, s->high);
    fprintf(out,
            "set colorbox user origin screen %.5g, screen %.5g size screen %.5g, screen %.5g\n",
            l->bar_x / PAGE_WIDTH, 1 - (l->bar_y + l->bar_height) / PAGE_HEIGHT, 20.0 / PAGE_WIDTH,
            l->bar_height / PAGE_HEIGHT);
    fprintf(out,
            "set border lc rgb '%s'\nset cbtics nomirror scale 0.5 font ',15' tc rgb '%s' "
            "noenhanced\n",
            plot_look().soft, plot_look().ink);
}
