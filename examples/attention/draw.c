/* draw.c: see draw.h.
 *
 * A forward pass with tape.keep_maps leaves each block's A (B, H, T, S) on the tape by name; the
 * pictures show these tensors. All sentences run on one tape, so that their maps exist together:
 * the second sentence's are "blocks.0.attn.A#2", the third's "#3". */
#include "examples/attention/draw.h"

#include <stdio.h>

enum { ALL_FORMATS = PLOT_PNG | PLOT_SVG | PLOT_PDF, SENTENCES_MAX = 4 };

/* ---- choosing the head to show --------------------------------------------------------------- */

typedef struct {
    int layer, head;
} Place;

/* The weight from the query to its target or, without a target, the largest weight on another
 * word. */
static double weight_of(const Tensor *map, int head, const Question *q)
{
    const Sentence *s = &q->sentence;
    const int target = question_target(q);
    double most = 0;
    for (int j = 0; j < s->length; j++) {
        double w = tensor_get(map, (int64_t[]){0, head, s->query, j});
        if (j == target || (target < 0 && j != s->query && w > most))
            most = w;
    }
    return most;
}

/* The head whose smallest weight from query to target, over all sentences, is largest. A head that
 * always attends to the first noun is not chosen. */
static Place best_head(const Model *m, const Tensor *maps[][LAYERS_MAX], const Question *s,
                       int count)
{
    Place best = {0, 0};
    double most = -1;
    for (int l = 0; l < m->config.layers; l++)
        for (int h = 0; h < m->config.heads; h++) {
            double least = 1;
            for (int k = 0; k < count; k++) {
                double w = weight_of(maps[k][l], h, &s[k]);
                least = w < least ? w : least;
            }
            if (least > most) {
                most = least;
                best = (Place){l, h};
            }
        }
    return best;
}

/* ---- the pictures ---------------------------------------------------------------------------- */

typedef struct {
    const Model *model;
    const Question *sentences;
    int count;
    const Tensor *maps[SENTENCES_MAX][LAYERS_MAX];
    Place best;
    const Common *common;
} Gallery;

static PlotGrid grid_of(const Gallery *g, int k, bool gradient)
{
    return (PlotGrid){.layers = g->maps[k],
                      .layer_count = g->model->config.layers,
                      .gradient = gradient,
                      .rows = g->sentences[k].words,
                      .columns = g->sentences[k].words,
                      .title = g->sentences[k].title};
}

/* One sentence a picture, whose words fit beside the grid: sentence-1, sentence-2, ... */
static bool draw_grids(const Gallery *g, bool gradient)
{
    bool ok = true;
    for (int k = 0; ok && k < g->count; k++) {
        char name[32], path[EXAMPLE_PATH];
        PlotGrid grid = grid_of(g, k, gradient);
        snprintf(name, sizeof name, gradient ? "grid-gradient-%d" : "sentence-%d", k + 1);
        ok = plot_grid(example_path(g->common, name, path), &grid, ALL_FORMATS);
    }
    return ok;
}

static void fill_heads(const Gallery *g, bool gradient, PlotHeatmap heads[])
{
    for (int k = 0; k < g->count; k++)
        heads[k] = (PlotHeatmap){.map = g->maps[k][g->best.layer],
                                 .head = g->best.head,
                                 .gradient = gradient,
                                 .rows = g->sentences[k].words,
                                 .columns = g->sentences[k].words,
                                 .title = g->sentences[k].title};
}

static bool draw_heads(const Gallery *g, bool gradient)
{
    PlotHeatmap heads[SENTENCES_MAX];
    char path[EXAMPLE_PATH], title[96];
    fill_heads(g, gradient, heads);
    snprintf(title, sizeof title, "layer %d, head %d", g->best.layer + 1, g->best.head + 1);
    return plot_heatmaps(example_path(g->common, gradient ? "head-gradient" : "head", path), heads,
                         g->count, title, ALL_FORMATS);
}

static bool draw_arcs(const Gallery *g)
{
    PlotArcs arcs[SENTENCES_MAX];
    char path[EXAMPLE_PATH];
    for (int k = 0; k < g->count; k++)
        arcs[k] = (PlotArcs){.words = g->sentences[k].words,
                             .map = g->maps[k][g->best.layer],
                             .head = g->best.head,
                             .from = g->sentences[k].sentence.query,
                             .title = g->sentences[k].title};
    return plot_arcs(example_path(g->common, "arcs", path), arcs, g->count, NULL, ALL_FORMATS);
}

static bool print_head(const Gallery *g)
{
    PlotHeatmap heads[SENTENCES_MAX];
    fill_heads(g, false, heads);
    printf("\nattention weights of layer %d, head %d (rows: queries, columns: keys)\n\n",
           g->best.layer + 1, g->best.head + 1);
    return plot_terminal_heatmaps(stdout, heads, g->count, PLOT_AUTO);
}

static bool write_page(const Gallery *g, Tape *tape, const PlotPageLive *live, const Common *c)
{
    Html html = {.wanted = c->html, .live = live};
    bool ok = questions_html(&html, g->model, tape, g->sentences, g->count) &&
              html_write(&html, c, "Attention");
    html_free(&html);
    return ok;
}

bool draw_attention(const Model *m, const Question *sentences, int count, bool gradients,
                    const PlotPageLive *live, const Common *c)
{
    Gallery g = {.model = m, .sentences = sentences, .count = count, .common = c};
    Tape *tape = tape_new(0);
    bool ok = tape && count <= SENTENCES_MAX &&
              questions_run(m, tape, sentences, count, gradients || c->html);
    for (int k = 0; ok && k < count; k++)
        ok = example_maps(tape, "blocks.%d.attn", m->config.layers, k, g.maps[k]);
    if (ok) {
        g.best = best_head(m, g.maps, sentences, count);
        ok = draw_grids(&g, false) && draw_heads(&g, false) && draw_arcs(&g) &&
             (!gradients || (draw_grids(&g, true) && draw_heads(&g, true))) && print_head(&g) &&
             write_page(&g, tape, live, c);
    }
    tape_free(tape);
    return ok;
}
