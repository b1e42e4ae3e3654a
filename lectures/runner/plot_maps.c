/* plot_maps.c: the kinds heatmap, heads, arcs and links of the command `plot`. */
#define GRADUS_INSIDE /* an error names the user's file, not this one */
#include "lectures/runner/plot_command.h"

#include <stdlib.h>
#include <string.h>

/* ---- heatmap --------------------------------------------------------------------------------- */

/* A single row of numbers is a map of one row. */
static bool open_map(Sources *s, Source *from, const Wish *w, PlotHeatmap *h)
{
    Tensor *t = from->numbers;
    if (t->shape.rank == 1)
        tensor_set_contiguous(t, shape2(1, t->shape.dim[0]));
    if (!source_part(from, w, &h->item, &h->head) ||
        !source_labels(s, from, w, t->shape.dim[t->shape.rank - 2], shape_last(t->shape)))
        return false;
    h->map = t;
    h->rows = from->rows;
    h->columns = from->columns;
    h->row_name = w->y ? w->y : "";
    h->column_name = w->x ? w->x : "";
    h->title = s->count > 1 ? from->name : NULL;
    h->values = true;
    return true;
}

bool draw_heatmap(const Wish *w)
{
    static Sources s;
    PlotHeatmap maps[SOURCES_MAX] = {0};
    WordList classes;
    PlotScale scale = wish_scale(w, &classes);
    bool ok = sources_open(&s, w);
    for (int i = 0; ok && i < s.count; i++) {
        ok = open_map(&s, &s.source[i], w, &maps[i]);
        maps[i].scale = scale;
    }
    ok = ok && plot_heatmaps(w->out, maps, s.count, w->title, w->formats) &&
         plot_terminal_heatmaps(stdout, maps, s.count, PLOT_AUTO);
    sources_close(&s);
    return ok;
}

/* ---- heads ----------------------------------------------------------------------------------- */

/* An array (L, H, T, S) is that of all layers; with --item it is (B, H, T, S), of one layer. */
static int take_layers(const Source *from, const Wish *w, Tensor *layer, const Tensor **layers)
{
    const int count = from->numbers->shape.rank < 3 ? 0 : source_layers(from, layer);
    for (int l = 0; l < count; l++)
        layers[l] = &layer[l];
    if (from->numbers->shape.rank < 3)
        tensor_fail("%s: found %s; expected the heads of a layer (H, T, S), or of a model "
                    "(L, H, T, S)",
                    from->name, shape_str(from->numbers->shape));
    if (!count || !options_given("item"))
        return count;
    if (w->item > count)
        return tensor_fail("--item: found %d; expected 1 to %d, since %s is %s", w->item, count,
                           from->name, shape_str(from->numbers->shape)),
               0;
    layers[0] = &layer[w->item - 1];
    return 1;
}

bool draw_heads(const Wish *w)
{
    static Sources s;
    static Tensor layer[LAYERS_MAX];
    const Tensor *layers[LAYERS_MAX];
    WordList classes;
    PlotGrid g = {.layers = layers,
                  .title = w->title,
                  .scale = wish_scale(w, &classes),
                  .row_name = w->y ? w->y : "",
                  .column_name = w->x ? w->x : ""};
    bool ok = sources_open(&s, w);
    if (ok && s.count > 1)
        ok = tensor_fail("found %d arrays; expected one: the heads of several do not fit a picture",
                         s.count);
    ok = ok && (g.layer_count = take_layers(&s.source[0], w, layer, layers)) > 0 &&
         source_labels(&s, &s.source[0], w, layer[0].shape.dim[1], layer[0].shape.dim[2]);
    g.rows = s.source[0].rows;
    g.columns = s.source[0].columns;
    ok = ok && plot_grid(w->out, &g, w->formats);
    if (ok && g.layer_count > 1 && strstr(plot_notes(), "labels"))
        fprintf(stderr, "./gradus plot heads: --item 1 to %d draws one layer, with more space\n",
                g.layer_count);
    sources_close(&s);
    return ok;
}

/* ---- arcs ------------------------------------------------------------------------------------ */

/* The row that --row names: its number, from 1, or its label. -1, with an error. */
static int find_row(const Wish *w, const char *const *labels, int64_t rows)
{
    char *end;
    long row = w->row ? strtol(w->row, &end, 10) : 1;
    if (!w->row && rows > 1)
        return tensor_fail("expected --row, the word where the arcs begin: 1 to %lld, or the word",
                           (long long)rows),
               -1;
    if (!w->row || (*w->row && !*end && row >= 1 && row <= rows))
        return (int)row - 1;
    for (int i = 0; labels && i < rows; i++)
        if (strcmp(labels[i], w->row) == 0)
            return i;
    return tensor_fail("--row: found '%s'; expected 1 to %lld%s", w->row, (long long)rows,
                       labels ? ", or a label" : ""),
           -1;
}

bool draw_links(const Wish *w)
{
    static Sources s;
    PlotHeatmap map = {0};
    int from = -1;
    bool ok = sources_open(&s, w);
    if (ok && s.count > 1)
        ok = tensor_fail("found %d arrays; expected one", s.count);
    ok = ok && open_map(&s, &s.source[0], w, &map);
    if (ok && w->row)
        ok = (from = find_row(w, map.rows, map.map->shape.dim[map.map->shape.rank - 2])) >= 0;
    map.title = w->title;
    ok = ok && plot_links(w->out, &map, from, w->formats) &&
         plot_terminal_heatmaps(stdout, &map, 1, PLOT_AUTO);
    sources_close(&s);
    return ok;
}

bool draw_arcs(const Wish *w)
{
    static Sources s;
    PlotArcs arcs[SOURCES_MAX] = {0};
    PlotHeatmap maps[SOURCES_MAX] = {0};
    bool ok = sources_open(&s, w);
    for (int i = 0; ok && i < s.count; i++) {
        PlotHeatmap *map = &maps[i];
        ok = open_map(&s, &s.source[i], w, map);
        if (!ok)
            break;
        const Shape *shape = &map->map->shape;
        const char *const *words = map->columns ? map->columns : map->rows;
        if (!words)
            words = source_counted(&s.source[i], shape_last(*shape));
        arcs[i] = (PlotArcs){.words = words,
                             .map = map->map,
                             .item = map->item,
                             .head = map->head,
                             .title = map->title};
        arcs[i].from =
            words ? find_row(w, map->rows ? map->rows : words, shape->dim[shape->rank - 2]) : -1;
        ok = arcs[i].from >= 0;
    }
    ok = ok && plot_arcs(w->out, arcs, s.count, w->title, w->formats) &&
         plot_terminal_heatmaps(stdout, maps, s.count, PLOT_AUTO);
    sources_close(&s);
    return ok;
}
