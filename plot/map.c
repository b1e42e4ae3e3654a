/* map.c: checks the caller's tensors and copies them into a Sheet of plain arrays.
 *
 * Every error in the arguments is found here, before a file is written. */
#include "plot/internal.h"

#include <math.h>

/* ---- one tensor ------------------------------------------------------------------------------ */

/* A map seen as (B, H, T, S): axes that it lacks have length 1. */
typedef struct {
    const real *at;
    int64_t items, heads, rows, columns;
    int64_t stride[4];
} Map;

/* The values or the gradient, with the tensor's strides. A view's gradient may be stored in its
 * base alone. */
static const real *numbers(const Tensor *t, bool gradient)
{
    if (!gradient)
        return t->data;
    return t->grad || !t->base || !t->base->grad ? t->grad : t->base->grad + t->offset;
}

static bool map_open(Map *m, const Tensor *t, bool gradient, const char *who)
{
    if (tensor_is_poison(t))
        return tensor_fail(
            "%s: map is NULL or poison; expected a tensor from a call that succeeded", who);
    if (!tensor_is_current(t, who))
        return false;
    int rank = t->shape.rank;
    if (rank < 2 || rank > 4 || t->ids)
        return tensor_fail("%s: map is %s%s; expected numbers (T, S), (H, T, S) or (B, H, T, S)",
                           who, t->ids ? "ids " : "", tensor_describe(t));
    if (shape_size(t->shape) == 0)
        return tensor_fail("%s: map is %s; expected at least one number", who, tensor_describe(t));
    int64_t length[4] = {1, 1, 1, 1};
    *m = (Map){.at = numbers(t, gradient)};
    if (!m->at)
        return tensor_fail("%s: map %s has no %s", who, tensor_describe(t),
                           gradient
                               ? "gradient; expected one (name the map or set keep_grad before "
                                 "ag_backward)"
                               : "numbers");
    for (int i = 0; i < rank; i++) {
        length[4 - rank + i] = t->shape.dim[i];
        m->stride[4 - rank + i] = t->stride[i];
    }
    m->items = length[0], m->heads = length[1], m->rows = length[2], m->columns = length[3];
    if (m->rows > PLOT_LONGEST || m->columns > PLOT_LONGEST)
        return tensor_fail("%s: map is %s; expected at most %d rows and columns", who,
                           tensor_describe(t), PLOT_LONGEST);
    return true;
}

static bool in_range(const char *what, int64_t i, int64_t low, int64_t high, const char *who)
{
    return (i >= low && i <= high) ||
           tensor_fail("%s: %s is %lld; expected %lld to %lld", who, what, (long long)i,
                       (long long)low, (long long)high);
}

/* The first rows x columns numbers of one item and head, or of the mean over heads. */
static void map_read(const Map *m, int item, int head, int rows, int columns, real *out)
{
    int64_t first = head == PLOT_MEAN ? 0 : head, last = head == PLOT_MEAN ? m->heads - 1 : head;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            const real *at = m->at + item * m->stride[0] + i * m->stride[2] + j * m->stride[3];
            double sum = 0;
            for (int64_t h = first; h <= last; h++)
                sum += (double)at[h * m->stride[1]];
            *out++ = (real)(sum / (double)(last - first + 1));
        }
}

/* ---- one block ------------------------------------------------------------------------------- */

static const char *text_or(const char *text, const char *otherwise)
{
    return text ? text : otherwise;
}

/* Checks how many rows and columns are drawn against the map, and allocates the cells. */
static bool block_size(Block *b, const Map *m, int row_count, int column_count, const char *who)
{
    if (!in_range("row_count", row_count, 0, m->rows, who) ||
        !in_range("column_count", column_count, 0, m->columns, who))
        return false;
    b->rows = row_count ? row_count : (int)m->rows;
    b->columns = column_count ? column_count : (int)m->columns;
    int64_t cells, bytes;
    if (!tensor_checked_mul((int64_t)b->down * b->across, (int64_t)b->rows * b->columns, &cells) ||
        !tensor_checked_mul(cells, (int64_t)sizeof(real), &bytes))
        return tensor_fail("%s: %d x %d maps of (%d, %d); expected fewer numbers", who, b->down,
                           b->across, b->rows, b->columns);
    b->cells = mem_alloc((size_t)bytes);
    return b->cells != NULL;
}

static void block_labels(Block *b, const char *const *rows, const char *const *columns)
{
    if (!columns && b->rows == b->columns)
        columns = rows; /* self-attention: queries and keys are the same tokens */
    b->row_labels = (Labels){.text = rows, .count = b->rows};
    b->column_labels = (Labels){.text = columns, .count = b->columns};
}

static bool block_of_map(Block *b, const PlotHeatmap *h, const char *who)
{
    Map m;
    *b = (Block){.down = 1, .across = 1, .panels = 1, .heads = 1};
    b->title = text_or(h->title, "");
    b->row_name = text_or(h->row_name, h->pixels ? "" : "query");
    b->column_name = text_or(h->column_name, h->pixels ? "" : "key");
    if (!map_open(&m, h->map, h->gradient, who) ||
        !in_range("item", h->item, 0, m.items - 1, who) ||
        !in_range("head", h->head, PLOT_MEAN, m.heads - 1, who) ||
        !block_size(b, &m, h->row_count, h->column_count, who))
        return false;
    block_labels(b, h->rows, h->columns);
    b->row_labels.blank = h->pixels && !h->rows;
    b->column_labels.blank = h->pixels && !h->columns;
    map_read(&m, h->item, h->head, b->rows, b->columns, b->cells);
    return true;
}

/* Opens layer k's map, which has to have the first one's shape. */
static bool layer_open(Map *m, const PlotGrid *g, int k, const char *who)
{
    if (!map_open(m, g->layers[k], g->gradient, who))
        return false;
    if (shape_equal(g->layers[k]->shape, g->layers[0]->shape))
        return true;
    return tensor_fail("%s: layer %d's map is %s, layer 1's %s; expected one shape", who, k + 1,
                       tensor_describe(g->layers[k]), tensor_describe(g->layers[0]));
}

/* The heads of a single layer stand in several rows, of which the last has the fewest gaps. */
static void wrap_heads(Block *b)
{
    int middle = (int)lround(sqrt(1.4 * b->heads)), fewest = b->heads;
    for (int across = middle + 1; b->heads > 3 && across >= middle - 1; across--) {
        int down = (b->heads + across - 1) / across, gaps = down * across - b->heads;
        if (gaps >= fewest)
            continue;
        fewest = gaps;
        b->across = across;
        b->down = down;
    }
}

static bool block_of_grid(Block *b, const PlotGrid *g, const char *who)
{
    Map m;
    *b = (Block){.down = g->layer_count, .grid = true};
    b->title = text_or(g->title, "");
    b->row_name = text_or(g->row_name, "query");
    b->column_name = text_or(g->column_name, "key");
    if (!g->layers || g->layer_count < 1 || g->layer_count > PLOT_LONGEST)
        return tensor_fail("%s: %d layers at %s; expected 1 to %d", who, g->layer_count,
                           g->layers ? "an array" : "NULL", PLOT_LONGEST);
    if (!layer_open(&m, g, 0, who) || !in_range("item", g->item, 0, m.items - 1, who) ||
        !in_range("number of heads", m.heads, 1, PLOT_LONGEST, who))
        return false;
    b->panels = g->layer_count * (int)m.heads;
    b->heads = b->across = (int)m.heads;
    if (g->layer_count == 1)
        wrap_heads(b);
    if (!block_size(b, &m, g->row_count, g->column_count, who))
        return false;
    block_labels(b, g->rows, g->columns);
    for (int k = 0; k < b->panels; k++) {
        if (!layer_open(&m, g, k / b->heads, who))
            return false;
        map_read(&m, g->item, k % b->heads, b->rows, b->columns, block_panel(b, k));
    }
    return true;
}

/* ---- sheets ---------------------------------------------------------------------------------- */

enum { MOST_BLOCKS = 64 };

static bool sheet_open(Sheet *s, const void *given, int count, const char *title, const char *who)
{
    *s = (Sheet){.title = plot_page_title(title)};
    if (!given || count < 1 || count > MOST_BLOCKS)
        return tensor_fail("%s: %d maps at %s; expected 1 to %d", who, count,
                           given ? "an array" : "NULL", MOST_BLOCKS);
    s->blocks = mem_alloc((size_t)count * sizeof *s->blocks);
    return s->blocks != NULL;
}

/* The first block that is not grey; 0 if all are. */
static int first_coloured(const Sheet *s)
{
    for (int k = 0; k < s->count; k++)
        if (!s->blocks[k].grey)
            return k;
    return 0;
}

/* The title of a single block becomes the title of the page. */
static void lift_title(Sheet *s)
{
    if (s->count == 1 && !*s->title) {
        s->title = plot_page_title(s->blocks[0].title);
        s->blocks[0].title = "";
    }
}

bool plot_sheet_of_maps(Sheet *s, const PlotHeatmap *maps, int count, const char *title,
                        const char *who)
{
    bool ok = sheet_open(s, maps, count, title, who);
    while (ok &&
           s->count < count) { /* counted before it is filled, so that plot_sheet_free finds it */
        int k = s->count++;
        ok = block_of_map(&s->blocks[k], &maps[k], who) &&
             plot_block_scale(&s->blocks[k], maps[k].scale, who);
    }
    int first = ok ? first_coloured(s) : 0;
    if (ok && plot_sheet_scale(s, maps[first].scale, maps[first].gradient, who)) {
        s->values = maps[0].values;
        s->pixels = maps[0].pixels;
        lift_title(s);
        return true;
    }
    plot_sheet_free(s);
    return false;
}

bool plot_sheet_of_grid(Sheet *s, const PlotGrid *grid, const char *who)
{
    bool ok = sheet_open(s, grid, 1, NULL, who);
    s->count = ok;
    if (ok && block_of_grid(s->blocks, grid, who) &&
        plot_block_scale(s->blocks, grid->scale, who) &&
        plot_sheet_scale(s, grid->scale, grid->gradient, who)) {
        lift_title(s);
        return true;
    }
    plot_sheet_free(s);
    return false;
}

void plot_sheet_free(Sheet *s)
{
    for (int k = 0; k < s->count; k++)
        mem_free(s->blocks[k].cells);
    mem_free(s->blocks);
    *s = (Sheet){0};
}
