/* attention.c: the data of a page on attention, which attention.js draws.
 *
 *   {"inputs": [{"title", "loss", "focus", "right", "cuts", "attentions": [
 *       {"name", "rows", "columns", "weights", "gradients", "q", "k", "picture"}]}]}
 *
 * weights, gradients, q and k have one packed array a layer, so that each layer has its own range
 * of numbers and is decoded when it is first looked at. */
#include "plot/html/page.h"
#include "plot/pages.h"

static const char who[] = "plot_page_attention";

/* Up to this many numbers of weights a page, its numbers are stored in 16 bits. */
enum { EXACT_NUMBERS = 150000 };

/* ---- checks ---------------------------------------------------------------------------------- */

/* The gradient of a view may be stored in its base alone. */
static bool has_gradient(const PlotPageLayer *layer)
{
    const Tensor *t = layer->map;
    return layer->gradient || t->grad || (t->base && t->base->grad);
}

static bool layers_fit(const PlotPageAttention *a, const char *name)
{
    if (!a->layers || a->layer_count < 1)
        return tensor_fail("%s: %s has %d layers; expected at least 1", who, name, a->layer_count);
    for (int l = 0; l < a->layer_count; l++) {
        const PlotPageLayer *layer = &a->layers[l];
        if (tensor_is_poison(layer->map) || layer->map->shape.rank < 2)
            return tensor_fail(
                "%s: the map of layer %d of %s is %s; expected (T, S), (H, T, S) or (B, H, T, S)",
                who, l + 1, name, layer->map ? tensor_describe(layer->map) : "NULL");
        if (!layer->gradient != !a->layers[0].gradient ||
            (layer->gradient && (tensor_is_poison(layer->gradient) ||
                                 !shape_equal(layer->gradient->shape, layer->map->shape))))
            return tensor_fail("%s: layer %d of %s has a map %s and %s%s; expected a gradient of "
                               "the map's shape in "
                               "all layers, or none",
                               who, l + 1, name, shape_str(layer->map->shape),
                               layer->gradient ? "a gradient " : "no gradient",
                               layer->gradient ? shape_str(layer->gradient->shape) : "");
        if (!tensor_is_current(layer->map, who) ||
            (layer->gradient && !tensor_is_current(layer->gradient, who)))
            return false;
        if (!layer->q != !a->layers[0].q || !layer->k != !layer->q)
            return tensor_fail(
                "%s: layer %d of %s has %s q and %s k; expected both in all layers, or none", who,
                l + 1, name, layer->q ? "a" : "no", layer->k ? "a" : "no");
    }
    return true;
}

/* Adds an attention's numbers to the total, and refuses what a browser could not show. */
static bool size_fits(const PlotPageAttention *a, int64_t *total)
{
    Shape s = a->layers[0].map->shape;
    int64_t T = s.dim[s.rank - 2], S = shape_last(s), H = s.rank > 2 ? s.dim[s.rank - 3] : 1;
    T = a->row_count > 0 && a->row_count < T ? a->row_count : T;
    S = a->column_count > 0 && a->column_count < S ? a->column_count : S;
    if (T > PLOT_PAGE_TOKENS || S > PLOT_PAGE_TOKENS)
        return tensor_fail("%s: maps of (%lld, %lld) tokens; expected at most %d: use a shorter "
                           "text, or row_count and "
                           "column_count",
                           who, (long long)T, (long long)S, PLOT_PAGE_TOKENS);
    *total += (int64_t)a->layer_count * H * T * S;
    return *total <= PLOT_PAGE_NUMBERS ||
           tensor_fail("%s: more than %d attention weights; expected at most so many: use fewer "
                       "layers, inputs or tokens",
                       who, PLOT_PAGE_NUMBERS);
}

/* Sets the number of all weights. */
static bool page_fits(const PlotPage *page, int64_t *total)
{
    *total = 0;
    if (!page || !page->inputs || page->input_count < 1)
        return tensor_fail("%s: no input; expected at least one, with its attention maps", who);
    for (int i = 0; i < page->input_count; i++) {
        const PlotPageInput *input = &page->inputs[i];
        if (!input->attentions || input->attention_count < 1)
            return tensor_fail("%s: input %d has no attention; expected at least one", who, i + 1);
        for (int k = 0; k < input->attention_count; k++) {
            const PlotPageAttention *a = &input->attentions[k];
            if (!layers_fit(a, a->name ? a->name : "self-attention") || !size_fits(a, total))
                return false;
        }
    }
    return true;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Are all numbers to the right of the diagonal that ends in the last column 0? */
static bool is_causal(const real *x, int64_t maps, int64_t T, int64_t S)
{
    for (int64_t i = 0; i < maps * T; i++)
        for (int64_t j = i % T + 1 + S - T; j < S; j++)
            if (j >= 0 && x[i * S + j] != 0)
                return false;
    return S > 1;
}

/* A member with one packed array (T, T) a layer: the rollout through this layer and those before
 * it. */
static bool put_rollout(Page *p, const Block *maps, int bits)
{
    Rollout r;
    if (!plot_rollout_open(&r, maps->rows))
        return false;
    page_key_array(p, "rollout");
    for (int l = 0; l < maps->down; l++)
        page_packed(p, plot_rollout_add(&r, block_panel(maps, l * maps->across), maps->across),
                    shape2(r.T, r.T), bits, false);
    page_end(p);
    plot_rollout_close(&r);
    return true;
}

/* One member: what the grid reads from the tensors, an array a layer. rollout: one more, where
 * queries and keys are the same tokens. */
static bool put_layers(Page *p, const char *key, const PlotGrid *grid, int bits, bool rollout)
{
    Sheet s;
    if (!plot_sheet_of_grid(&s, grid, who))
        return false;
    const Block *b = s.blocks;
    page_key_array(p, key);
    for (int l = 0; l < b->down; l++) {
        const real *x = block_panel(b, l * b->across);
        Shape shape = shape3(b->across, b->rows, b->columns);
        page_packed(p, x, shape, bits, is_causal(x, b->across, b->rows, b->columns));
    }
    page_end(p);
    bool ok = !rollout || b->rows != b->columns || put_rollout(p, b, bits);
    plot_sheet_free(&s);
    return ok;
}

/* What of each layer a member shows. */
typedef enum { WEIGHTS, GRADIENTS, QUERIES, KEYS } Part;

static bool put_part(Page *p, const char *key, const PlotPageAttention *a, Part part, int bits)
{
    bool separate = a->layers[0].gradient != NULL;
    const Tensor **layers = mem_alloc((size_t)a->layer_count * sizeof *layers);
    if (!layers)
        return false;
    for (int l = 0; l < a->layer_count; l++)
        layers[l] = part == QUERIES                 ? a->layers[l].q
                    : part == KEYS                  ? a->layers[l].k
                    : part == GRADIENTS && separate ? a->layers[l].gradient
                                                    : a->layers[l].map;
    PlotGrid grid = {.layers = layers,
                     .layer_count = a->layer_count,
                     .item = a->item,
                     .gradient = part == GRADIENTS && !separate};
    grid.row_count = part == KEYS ? a->column_count : a->row_count;
    grid.column_count = part == WEIGHTS || part == GRADIENTS ? a->column_count : 0;
    bool ok = put_layers(p, key, &grid, bits, part == WEIGHTS);
    mem_free(layers);
    return ok;
}

/* q (.., H, T, d) and k (.., H, S, d) of a map (.., H, T, S)? */
static bool projections_fit(const PlotPageLayer *layer, int l)
{
    const Shape m = layer->map->shape;
    if (tensor_is_poison(layer->q) || tensor_is_poison(layer->k) || m.rank < 3)
        return tensor_fail(
            "%s: q or k of layer %d is poison, or its map is (T, S); expected maps with heads", who,
            l + 1);
    if (!tensor_is_current(layer->q, who) || !tensor_is_current(layer->k, who))
        return false;
    Shape q = m, k = m;
    int64_t d = shape_last(layer->q->shape);
    q.dim[m.rank - 1] = k.dim[m.rank - 1] = d;
    k.dim[m.rank - 2] = m.dim[m.rank - 1];
    if (layer->k->shape.rank == m.rank && layer->k->shape.dim[m.rank - 3] > 0 &&
        m.dim[m.rank - 3] % layer->k->shape.dim[m.rank - 3] == 0)
        k.dim[m.rank - 3] = layer->k->shape.dim[m.rank - 3]; /* keys for several heads of queries */
    return (shape_equal(layer->q->shape, q) && shape_equal(layer->k->shape, k)) ||
           tensor_fail(
               "%s: layer %d has q %s and k %s for a map %s; expected (..., T, d) and (..., S, d)",
               who, l + 1, shape_str(layer->q->shape), shape_str(layer->k->shape), shape_str(m));
}

static bool put_projections(Page *p, const PlotPageAttention *a, int bits)
{
    if (!a->layers[0].q)
        return true;
    for (int l = 0; l < a->layer_count; l++)
        if (!projections_fit(&a->layers[l], l))
            return false;
    return put_part(p, "q", a, QUERIES, bits) && put_part(p, "k", a, KEYS, bits);
}

/* ---- pictures -------------------------------------------------------------------------------- */

static bool put_picture(Page *p, const PlotPagePicture *picture, int64_t columns)
{
    if (!picture->image)
        return true;
    const Tensor *image = picture->image;
    if (!tensor_is_current(image, who))
        return false;
    Shape s = image->shape;
    int64_t h = s.rank >= 2 ? s.dim[s.rank - 2] : 0, w = s.rank >= 2 ? shape_last(s) : 0,
            side = picture->patch;
    bool colours = s.rank == 2 || (s.rank == 3 && (s.dim[0] == 1 || s.dim[0] == 3));
    if (tensor_is_poison(image) || !image->data || !colours || side < 1 || h % side || w % side ||
        picture->first < 0 || picture->first + (h / side) * (w / side) != columns)
        return tensor_fail("%s: an image %s in patches of side %lld after %d tokens, for %lld "
                           "columns; expected (h, w), (1, h, "
                           "w) or (3, h, w) with as many patches as columns",
                           who, shape_str(s), (long long)side, picture->first, (long long)columns);
    Tensor *copy = tensor_clone(image);
    if (!copy)
        return false;
    page_key(p, "picture");
    page_object(p);
    page_key(p, "image");
    page_packed(p, copy->data, s, 8, false);
    page_key_count(p, "patch", side);
    page_key_count(p, "first", picture->first);
    page_end(p);
    tensor_free(copy);
    return true;
}

/* ---- the page -------------------------------------------------------------------------------- */

static bool put_attention(Page *p, const PlotPageAttention *a, int bits)
{
    Shape s = a->layers[0].map->shape;
    int64_t T = a->row_count ? a->row_count : s.dim[s.rank - 2],
            S = a->column_count ? a->column_count : shape_last(s);
    bool gradients = true;
    for (int l = 0; l < a->layer_count; l++)
        gradients = gradients && has_gradient(&a->layers[l]);
    page_object(p);
    page_key_text(p, "name", a->name ? a->name : "self-attention");
    bool ok = put_part(p, "weights", a, WEIGHTS, bits) &&
              (!gradients || put_part(p, "gradients", a, GRADIENTS, bits)) &&
              put_projections(p, a, bits) && put_picture(p, &a->picture, S);
    if (!ok)
        return false;
    page_texts(p, "rows", a->rows, (int)T);
    page_texts(p, "columns", a->columns ? a->columns : T == S ? a->rows : NULL, (int)S);
    page_end(p);
    return true;
}

/* Each as an array of its members. The first, of nothing, has a layer of -1. */
static bool put_cuts(Page *p, const PlotPageCuts *cuts, const PlotPageAttention *a)
{
    const Shape s = a->layers[0].map->shape;
    const int64_t heads = s.rank > 2 ? s.dim[s.rank - 3] : 1;
    page_key_text(p, "right", cuts->right);
    page_key_array(p, "cuts");
    for (int i = 0; i < cuts->count; i++) {
        const PlotPageCut *c = &cuts->cut[i];
        if ((i > 0 && (c->layer < 0 || c->head < 0)) || c->layer >= a->layer_count ||
            c->head >= heads || c->row >= s.dim[s.rank - 2] || c->column >= shape_last(s))
            return tensor_fail("%s: cut %d is of layer %d, head %d, row %d, column %d; expected "
                               "those of a map %s in %d layers",
                               who, i, c->layer, c->head, c->row, c->column, shape_str(s),
                               a->layer_count);
        page_array(p);
        page_count(p, c->layer);
        page_count(p, c->head);
        page_count(p, c->row);
        page_count(p, c->column);
        page_text(p, c->answer);
        page_number(p, c->probability);
        page_number(p, c->change);
        page_end(p);
    }
    page_end(p);
    return true;
}

static bool put_focus(Page *p, const PlotPageFocus *f, const PlotPageAttention *a)
{
    const Shape s = a->layers[0].map->shape;
    const int64_t heads = s.rank > 2 ? s.dim[s.rank - 3] : 1;
    if (!f->query && !f->key)
        return true;
    if (f->query < 1 || f->query > s.dim[s.rank - 2] || f->key < 1 || f->key > shape_last(s) ||
        f->layer < 0 || f->layer > a->layer_count || f->head < 0 || f->head > heads ||
        !f->layer != !f->head)
        return tensor_fail(
            "%s: the focus is layer %d, head %d, query %d, key %d; expected those of "
            "a map %s in %d layers, from 1",
            who, f->layer, f->head, f->query, f->key, shape_str(s), a->layer_count);
    page_key_array(p, "focus");
    page_count(p, f->layer);
    page_count(p, f->head);
    page_count(p, f->query);
    page_count(p, f->key);
    page_end(p);
    return true;
}

static bool put_input(Page *p, const PlotPageInput *input, int bits)
{
    page_object(p);
    page_key_text(p, "title", input->title);
    page_key_text(p, "loss", input->loss);
    if (!put_focus(p, &input->focus, input->attentions))
        return false;
    if (input->cuts.count > 0 && !put_cuts(p, &input->cuts, input->attentions))
        return false;
    page_key_array(p, "attentions");
    for (int k = 0; k < input->attention_count; k++)
        if (!put_attention(p, &input->attentions[k], bits))
            return false;
    page_end(p);
    page_end(p);
    return true;
}

static bool put_inputs(Page *p, const PlotPage *page, int64_t total)
{
    bool ok = p != NULL;
    page_key_array(p, "inputs");
    for (int i = 0; ok && i < page->input_count; i++)
        ok = put_input(p, &page->inputs[i], total <= EXACT_NUMBERS ? 16 : 8);
    page_end(p);
    return ok;
}

bool plot_page_attention(const char *path, const PlotPage *page)
{
    int64_t total;
    if (!page_fits(page, &total))
        return false;
    Page *p = page_new("attention", page->title ? page->title : "Attention", who);
    if (put_inputs(p, page, total) && page_live(p, page->live, who))
        return page_write(p, path);
    page_free(p);
    return false;
}

size_t plot_page_attention_data(char *text, size_t size, const PlotPage *page)
{
    int64_t total;
    if (!page_fits(page, &total))
        return 0;
    Page *p = page_data_new(who);
    size_t length = put_inputs(p, page, total) ? page_data(p, text, size) : 0;
    page_free(p);
    return length;
}
