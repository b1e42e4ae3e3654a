/* show.c: paragraphs that fit the terminal, and a measurement: a table, and maps of plot/. See
 * mystery.h. */
#include "lectures/mystery/mystery.h"

#include "plot/system.h"

#include <stdarg.h>
#include <string.h>

void show_text(const char *label, int indent, const char *format, ...)
{
    enum { NARROWEST = 40, WIDEST = 96 };
    const int width = system_terminal_width(stdout);
    const int most = width <= 0 || width > WIDEST ? WIDEST : width < NARROWEST ? NARROWEST : width;
    char text[4096], *word = text;
    int column = printf("%-*s", indent, label);
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    while (*word) {
        const int n = (int)strcspn(word, " ");
        const bool full = column > indent && column + 1 + n > most;
        column = full ? printf("\n%*s", indent, "") - 1 : column;
        column += printf(column > indent ? " %.*s" : "%.*s", n, word);
        word += n + (word[n] == ' ');
    }
    putchar('\n');
    fflush(stdout);
}

static const struct {
    const char *name, *what;
    const char *columns[2]; /* of lines with two numbers */
} measures[MEASURES] = {
    [LOSSES] = {"losses",
                "of training and held-out data, beside the entropy",
                {"training", "held-out"}},
    [GRADIENTS] = {"gradients",
                   "norms by layer, before clipping, and of all after it; of the first 10 steps "
                   "and the last 10",
                   {"first", "last"}},
    [ACTIVATIONS] = {"activations", "root mean square after each block", {NULL}},
    [MAPS] = {"maps", "attention of the first block; pictures on a grid of z", {NULL}},
    [SAMPLES] = {"samples", "what the model writes", {NULL}},
    [TWICE] = {"twice",
               "the held-out loss, computed once more: only the autoencoder draws noise in it",
               {NULL}},
    [DATA] = {"data", "a sentence of each of the first two batches, with its labels", {NULL}},
    [LATENTS] = {"latents", "reconstruction, KL divergence, z", {NULL}},
};

Measure measure_named(const Run *r, const char *name)
{
    for (int i = 0; i < r->lines; i++)
        if (strcmp(measures[r->line[i].of].name, name) == 0)
            return r->line[i].of;
    return MEASURES;
}

void show_lists(const Run *r)
{
    printf("measurements\n");
    for (int m = 0; m < MEASURES; m++)
        if (measure_named(r, measures[m].name) < MEASURES)
            show_text(measures[m].name, 20, "%s", measures[m].what);
    printf("faults\n");
    for (const Fault *f = mystery_faults; f->row; f++)
        if (f->learner == r->learner)
            show_text(f->name, 20, "%s", f->what);
}

bool show_measure(const Run *r, const Run *sound, Measure m)
{
    const Run *runs[] = {r, sound};
    const char *const *columns = measures[m].columns;
    const int names = columns[0] ? 18 : 34, numbers = columns[0] ? 20 : 10;
    printf("%*s%*s%*s\n", names, "", numbers, "this run", numbers, "sound run");
    if (columns[0])
        printf("%*s%10s%10s%10s%10s\n", names, "", columns[0], columns[1], columns[0], columns[1]);
    for (int i = 0; i < r->lines; i++) {
        const Line *line = &r->line[i];
        if (line->of != m)
            continue;
        printf(line->values ? "   %-*s" : "   %-*s %s", names - 3, line->name, sound->line[i].name);
        for (int k = 0; k < 2 * line->values; k++)
            printf("%#10.4g", runs[k / line->values]->line[i].value[k % line->values]);
        putchar('\n');
    }
    PlotHeatmap maps[] = {r->map, sound->map};
    maps[0].title = "this run";
    maps[1].title = "sound run";
    bool ok = m != MAPS || plot_terminal_heatmaps(stdout, maps, 2, PLOT_AUTO);
    fflush(stdout);
    return ok;
}
