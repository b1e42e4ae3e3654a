/* maps.c: see maps.h. */
#include "examples/common/maps.h"

enum { LAYERS_MAX = 64 };

bool maps_draw(Tape *tape, int layers, const char *const *words, const char *title,
               const char *stem, Html *html)
{
    const Tensor *maps[LAYERS_MAX];
    if (layers < 1 || layers > LAYERS_MAX)
        return tensor_fail("maps_draw: %d layers; expected 1 to %d", layers, LAYERS_MAX);
    if (!example_maps(tape, "blocks.%d.attn", layers, 0, maps))
        return false;
    const PlotGrid grid = {
        .layers = maps, .layer_count = layers, .rows = words, .columns = words, .title = title};
    const HtmlAttention all = {.path = "blocks.%d.attn",
                               .layers = layers,
                               .rows = words,
                               .columns = words};
    return plot_grid(stem, &grid, PLOT_PNG | PLOT_SVG | PLOT_PDF) &&
           html_add(html, tape, 0, title, &all, 1);
}

void print_bars(const PlotBars *groups, int count)
{
    for (int k = 0; k < count; k++) {
        printf("%s\n", groups[k].title);
        for (int i = 0; i < groups[k].count; i++)
            printf("  %-8s %.2f\n", groups[k].names[i], groups[k].values[i]);
    }
}
