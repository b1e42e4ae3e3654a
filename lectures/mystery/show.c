/* show.c: a measurement in the terminal: a table, and maps of plot/. See mystery.h. */
#include "lectures/mystery/mystery.h"

#include "lectures/runner/wrapped.h"

#include <string.h>

static const struct {
    const char *name, *what;
    const char *columns[2]; /* of rows with two numbers */
} measures[MEASURES] = {
    [LOSSES] = {"losses",
                "of training and held-out data, beside the entropy",
                {"training", "held-out"}},
    [GRADIENTS] = {"gradients",
                   "norms by layer, before clipping, and of all after it; of the first 10 steps "
                   "and the last 10",
                   {"first", "last"}},
    [ACTIVATIONS] = {"activations", "root mean square after each block"},
    [MAPS] = {"maps", "attention of the first block; pictures on a grid of z"},
    [SAMPLES] = {"samples", "what the model writes"},
    [TWICE] = {"twice",
               "the held-out loss, computed once more: only the autoencoder draws noise in it"},
    [DATA] = {"data", "the first two batches with their labels"},
    [LATENTS] = {"latents", "reconstruction, KL divergence, z"},
};

static bool has(const Run *r, int m)
{
    bool found = false;
    for (int i = 0; i < r->lines; i++)
        found |= r->line[i].of == (Measure)m;
    return found;
}

Measure measure_named(const Run *r, const char *name)
{
    int m = 0;
    while (m < MEASURES && (strcmp(measures[m].name, name) != 0 || !has(r, m)))
        m++;
    return (Measure)m;
}

void show_measures(const Run *r)
{
    for (int m = 0; m < MEASURES; m++)
        if (has(r, m))
            wrapped_say(measures[m].name, 20, "%s", measures[m].what);
}

static void print_values(const Line *line)
{
    for (int k = 0; k < line->values; k++) {
        double x = line->value[k];
        printf(fabs(x) >= 1e4 || (x != 0 && fabs(x) < 1e-3) ? " %9.1e" : " %9.4f", x);
    }
}

bool show_measure(const Run *r, const Run *sound, Measure m)
{
    const char *const *columns = measures[m].columns;
    const int names = columns[0] ? 18 : 34, numbers = columns[0] ? 20 : 10;
    PlotHeatmap maps[] = {r->map, sound->map};
    printf("%*s%*s%*s\n", names, "", numbers, "this run", numbers, "sound run");
    if (columns[0])
        printf("%*s%10s%10s%10s%10s\n", names, "", columns[0], columns[1], columns[0], columns[1]);
    for (int i = 0; i < r->lines; i++) {
        const Line *line = &r->line[i];
        if (line->of != m)
            continue;
        printf(line->values ? "   %-*s" : "   %-*s %s", names - 4, line->name, sound->line[i].name);
        print_values(line);
        print_values(&sound->line[i]);
        putchar('\n');
    }
    maps[0].title = "this run";
    maps[1].title = "sound run";
    bool ok = m != MAPS || plot_terminal_heatmaps(stdout, maps, 2, PLOT_AUTO);
    fflush(stdout);
    return ok;
}
