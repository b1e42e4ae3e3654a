/* draw.c: see draw.h.
 *
 * Attention rollout (Abnar and Zuidema 2020): information flows from token to token through all
 * layers. Because of the residual connection, half of a token's information is its own, so a layer
 * is described by R = (mean over heads of A + I) / 2, and all layers together by R_L ... R_2
 * R_1. */
#include "examples/vit/draw.h"

#include "examples/common/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALL_FORMATS = PLOT_PNG | PLOT_SVG | PLOT_PDF,
    SHOWN = 3,
    HEADS_SHOWN = 8,
    TOKENS_MAX = 1025
};

/* A tensor to be filled by the caller, or NULL after an error. */
static Tensor *square(int n)
{
    return tensor_new(shape2(n, n));
}

/* ---- confusion matrix ------------------------------------------------------------------------ */

static bool draw_confusion(const Model *m, const Test *t, const Common *c)
{
    static const char *const digit[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    int n = m->config.classes;
    char path[EXAMPLE_PATH];
    Tensor *share = square(n);
    if (!share)
        return false;
    for (int i = 0; i < n; i++) {
        int all = 0;
        for (int j = 0; j < n; j++)
            all += t->count[i][j];
        for (int j = 0; j < n; j++)
            share->data[i * n + j] = all ? (real)t->count[i][j] / (real)all : 0;
    }
    PlotHeatmap map = {.map = share,
                       .rows = digit,
                       .columns = digit,
                       .title = "confusion matrix",
                       .row_name = "true class",
                       .column_name = "predicted class",
                       .scale = {.low = 0, .high = 1, .name = "share of the true class"},
                       .values = true};
    bool ok = plot_heatmap(example_path(c, "confusion", path), &map, ALL_FORMATS);
    tensor_free(share);
    return ok;
}

/* ---- attention maps -------------------------------------------------------------------------- */

/* The weight of each token in the pooled row: the class token's row of A, or the mean over all
 * rows. */
static void pooled_row(const Model *m, const real *rows, int tokens, double *weight)
{
    int first = m->class_token ? 1 : tokens;
    memset(weight, 0, (size_t)tokens * sizeof *weight);
    for (int i = 0; i < first; i++)
        for (int j = 0; j < tokens; j++)
            weight[j] += (double)rows[i * tokens + j] / first;
}

/* The side of a panel: the image's, and a line of one cell between patches. */
static int panel_side(const Model *m)
{
    return m->config.side + vit_grid(m) - 1;
}

/* Writes the image, or, where it is NULL, the weight of each pixel's patch. The lines have no
 * number. */
static void paint(const Model *m, const real *picture, const double *weight, real *out)
{
    int side = m->config.side, panel = panel_side(m), pitch = m->config.patch + 1;
    int skip = m->class_token ? 1 : 0;
    for (int y = 0; y < panel; y++)
        for (int x = 0; x < panel; x++) {
            int row = y / pitch, column = x / pitch;
            bool line = y % pitch == pitch - 1 || x % pitch == pitch - 1;
            out[y * panel + x] = line      ? (real)NAN
                                 : picture ? picture[(y - row) * side + x - column]
                                           : (real)weight[skip + row * vit_grid(m) + column];
        }
}

static Tensor *rollout(const Model *m, Tape *tape)
{
    const Tensor *maps[LAYERS_MAX];
    return example_maps(tape, "blocks.%d.attn", m->config.layers, 0, maps)
               ? plot_rollout(maps, m->config.layers, 0)
               : NULL;
}

/* The panels of one test image: the image, the heads of the last layer, the rollout. */
enum { PANELS = 2 + HEADS_SHOWN };
typedef struct {
    Tensor *map[PANELS];
    char title[PANELS][32];
    int count;
    double largest; /* weight of a patch in any panel */
} Panels;

static real *new_panel(Panels *p, const Model *m, const char *title, int number)
{
    Tensor *t = square(panel_side(m));
    if (!t)
        return NULL;
    snprintf(p->title[p->count], sizeof p->title[0], title, number);
    p->map[p->count++] = t;
    return t->data;
}

/* Adds the panel of one map of attention (tokens, tokens). */
static bool weight_panel(Panels *p, const Model *m, const real *rows, const char *title, int number)
{
    int tokens = vit_tokens(m);
    double weight[TOKENS_MAX];
    real *out = new_panel(p, m, title, number);
    if (out) {
        pooled_row(m, rows, tokens, weight);
        paint(m, NULL, weight, out);
        for (int j = m->class_token ? 1 : 0; j < tokens; j++)
            p->largest = fmax(p->largest, weight[j]);
    }
    return out != NULL;
}

/* The first colour channel represents the image. */
static bool fill_panels(Panels *p, const Model *m, Tape *tape, const real *picture, int label)
{
    int tokens = vit_tokens(m), heads = m->config.heads;
    Tensor *all = rollout(m, tape);
    real *out;
    Tensor *maps = example_find(tape, "blocks.%d.attn", m->config.layers - 1, "A", 0);
    bool ok = all && !tensor_is_poison(maps) && (out = new_panel(p, m, "a %d", label));
    if (ok)
        paint(m, picture, NULL, out);
    for (int h = 0; ok && h < heads && h < HEADS_SHOWN; h++)
        ok = weight_panel(p, m, maps->data + (int64_t)h * tokens * tokens, "head %d", h + 1);
    ok = ok && weight_panel(p, m, all->data, "rollout of %d layers", m->config.layers);
    tensor_free(all);
    return ok;
}

static bool draw_panels(const Panels *p, const Model *m, int number, const Common *c)
{
    PlotHeatmap maps[PANELS];
    char name[32], path[EXAMPLE_PATH];
    for (int i = 0; i < p->count; i++)
        maps[i] =
            (PlotHeatmap){.map = p->map[i],
                          .title = p->title[i],
                          .pixels = true,
                          .scale = {.high = p->largest, .name = "attention weight of a patch"}};
    maps[0].scale = (PlotScale){.high = 1, .grey = true};
    snprintf(name, sizeof name, "attention-%d", number);
    return plot_heatmaps(
        example_path(c, name, path), maps, p->count,
        m->class_token ? "attention of the class token: heads of the last layer, and rollout"
                       : "mean attention of the patches: heads of the last layer, and rollout",
        ALL_FORMATS);
}

/* ---- positional encodings -------------------------------------------------------------------- */

static double alike(const real *a, const real *b, int64_t n)
{
    double ab = 0, aa = 0, bb = 0;
    for (int64_t i = 0; i < n; i++) {
        ab += (double)a[i] * (double)b[i];
        aa += (double)a[i] * (double)a[i];
        bb += (double)b[i] * (double)b[i];
    }
    return ab / fmax(sqrt(aa * bb), 1e-12);
}

static bool draw_positions(const Model *m, const Common *c)
{
    int tokens = vit_tokens(m);
    int64_t n = m->config.channels;
    char path[EXAMPLE_PATH];
    const char **names = html_patch_names(vit_grid(m), m->class_token ? 1 : 0);
    Tensor *cosine = square(tokens);
    bool ok = names && cosine;
    for (int i = 0; ok && i < tokens * tokens; i++)
        cosine->data[i] = (real)alike(m->encoder.position.weight->data + i / tokens * n,
                                      m->encoder.position.weight->data + i % tokens * n, n);
    if (ok) {
        PlotHeatmap map = {.map = cosine,
                           .rows = names,
                           .columns = names,
                           .title = m->config.position == POSITION_LEARNED
                                        ? "cosine similarity of learned positional encodings"
                                        : "cosine similarity of sinusoidal positional encodings",
                           .row_name = "row, column of a patch",
                           .column_name = "row, column of another patch",
                           .scale = {.diverging = true, .high = 1, .name = "cosine"}};
        ok = plot_heatmap(example_path(c, "positions", path), &map, ALL_FORMATS);
    }
    tensor_free(cosine);
    free(names);
    return ok;
}

/* ---- one image ------------------------------------------------------------------------------- */

/* Forward with the maps kept and, for the page, backward from the loss of the true class. */
static bool pass(const Model *m, Tape *tape, const real *x, int label, bool gradients)
{
    const ModelConfig *k = &m->config;
    tape->keep_maps = true;
    tape->no_grad = !gradients;
    Tensor *logits = vit_logits(m, tape_input(tape, x, shape4(1, k->colours, k->side, k->side)));
    return !tensor_is_poison(logits) &&
           (!gradients || ag_backward(ag_cross_entropy(logits, tape_ids(tape, &label, shape1(1)))));
}

/* Adds an image with its maps to the page. */
static bool add_to_page(Html *html, const Model *m, Tape *tape, const real *x, int label,
                        int number)
{
    const ModelConfig *k = &m->config;
    char title[48];
    const int first = m->class_token ? 1 : 0;
    const char **names = html_patch_names(vit_grid(m), first);
    Tensor *image = tensor_from(x, shape3(k->colours, k->side, k->side));
    bool ok = names && image;
    if (ok) {
        snprintf(title, sizeof title, "test image %d, class %d", number, label);
        const HtmlAttention all = {.path = "blocks.%d.attn",
                                   .layers = k->layers,
                                   .rows = names,
                                   .columns = names,
                                   .picture = {.image = image, .patch = k->patch, .first = first}};
        ok = html_add(html, tape, 0, title, &all, 1);
    }
    tensor_free(image);
    free(names);
    return ok;
}

static bool draw_attention(const Model *m, const Pictures *pictures, int number, const Common *c,
                           Html *html)
{
    real *x = example_alloc((size_t)pictures_size(pictures) * sizeof *x);
    Tape *tape = tape_new(0);
    int32_t label;
    Panels panels = {0};
    bool ok = x && tape && pictures_test(pictures, number, 1, x, &label) &&
              pass(m, tape, x, label, html->wanted) && fill_panels(&panels, m, tape, x, label) &&
              draw_panels(&panels, m, number + 1, c) &&
              (!html->wanted || add_to_page(html, m, tape, x, label, number + 1));
    for (int i = 0; i < panels.count; i++)
        tensor_free(panels.map[i]);
    tape_free(tape);
    free(x);
    return ok;
}

bool draw_all(const Model *m, const Pictures *pictures, const Test *test, const Common *c)
{
    const bool few = vit_tokens(m) <= TOKENS_MAX;
    Html html = {.wanted = c->html && few, .loss = "-log p of the true class"};
    bool ok = draw_confusion(m, test, c);
    for (int i = 0; ok && few && i < SHOWN && i < pictures->test_count; i++)
        ok = draw_attention(m, pictures, i, c, &html);
    if (ok && few && m->config.position != POSITION_NONE)
        ok = draw_positions(m, c);
    ok = ok && html_write(&html, c, "Attention of a Vision Transformer");
    html_free(&html);
    if (ok)
        printf("%s in %s/\n", example_written(), c->out);
    return ok;
}
