/* plot_page.c: the kind page of the command `plot`: attention maps as a page for a browser.
 *
 * An array is one head (T, S), the heads of a layer (H, T, S), or those of all layers (L, H, T, S),
 * as plot_grid writes it beside its pictures. Several are several inputs of the page, which can be
 * seen side by side. */
#define GRADUS_INSIDE /* an error names the user's file, not this one */
#include "lectures/runner/plot_command.h"

#include "plot/pages.h"

/* One array, and what of it the page shows. */
typedef struct {
    Tensor layer[LAYERS_MAX];
    PlotPageLayer layers[LAYERS_MAX];
    PlotPageAttention attention;
} Map;

static bool open_map(Map *m, Sources *s, Source *from, const Wish *w)
{
    const int layers = source_layers(from, m->layer);
    if (layers == 0)
        return false;
    for (int l = 0; l < layers; l++)
        m->layers[l].map = &m->layer[l];
    m->attention.layers = m->layers;
    m->attention.layer_count = layers;
    Shape shape = from->numbers->shape;
    if (!source_labels(s, from, w, shape.dim[shape.rank - 2], shape_last(shape)))
        return false;
    m->attention.rows = from->rows;
    m->attention.columns = from->columns;
    return true;
}

bool draw_page(const Wish *w)
{
    static Map maps[SOURCES_MAX];
    static Sources s;
    PlotPageInput inputs[SOURCES_MAX];
    bool ok = sources_open(&s, w);
    for (int i = 0; ok && i < s.count; i++) {
        ok = open_map(&maps[i], &s, &s.source[i], w);
        inputs[i] = (PlotPageInput){.title = s.source[i].name,
                                    .attentions = &maps[i].attention,
                                    .attention_count = 1};
    }
    ok = ok && plot_page_attention(w->out, &(PlotPage){.title = w->title,
                                                       .inputs = inputs,
                                                       .input_count = s.count});
    sources_close(&s);
    return ok;
}
