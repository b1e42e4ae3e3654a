/* sweep.c: --sweep: every head, position or arc is changed by itself, with attribution patching
 * beside it, also as a page; and induction heads. See cause.h. */
#include "examples/common/cause.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FORMATS = PLOT_PNG | PLOT_SVG | PLOT_PDF, BEST = 5 };

/* changed: the true change of log p, or a head's score; predicted: the gradient's, NULL of
 * scores. */
typedef struct {
    const char *what;
    int rows, columns;
    Tensor *changed, *predicted;
    char (*label)[24];
    const char **row, **column;
} Sweep;

/* ---- the numbers ----------------------------------------------------------------------------- */

/* dlog p/dx times the change of x by the last edit. NaN where no gradient reaches x. */
static double predicted(const CauseRun *r, const char *name)
{
    const Tensor *x = tape_find(r->base, name), *y = tape_find(r->edited, name);
    double sum = 0;
    if (tensor_is_poison(x) || tensor_is_poison(y) || !x->grad || !tensor_is_contiguous(x))
        return (double)NAN;
    for (int64_t i = 0; i < tensor_size(x); i++)
        sum -= (double)x->grad[i] * ((double)y->data[i] - (double)x->data[i]);
    return sum;
}

static bool change_one(CauseRun *r, Sweep *s, int i, int k)
{
    const int cell = i * s->columns + k, heads = r->c->heads;
    const bool positions = *s->what == 'p', arcs = *s->what == 'a';
    const Place at = positions ? (Place){i, -1, k, -1}
                     : arcs    ? (Place){i / heads, i % heads, r->c->position, k}
                               : (Place){i, k, -1, -1};
    Intervention e = cause_at(r, r->patched && !arcs, at);
    Tensor *logits = cause_edited(r, &e, 1);
    if (tensor_is_poison(logits))
        return false;
    PlotPageCut cut = cause_answer(r, logits, at);
    cut.change -= r->before;
    s->changed->data[cell] = (real)cut.change;
    s->predicted->data[cell] = (real)predicted(r, e.name);
    if (r->cut && !positions)
        r->cut[r->cuts++] = cut;
    return !tensor_failed();
}

double cause_prefix_matching(const Tensor *A, int b, int head, const int *ids)
{
    double sum = 0;
    int queries = 0;
    for (int q = 0; q < shape_last(A->shape); q++) {
        bool before = false;
        for (int k = 0; k < q; k++)
            if (ids[k] == ids[q]) {
                before = true;
                sum += (double)tensor_get(A, (int64_t[]){b, head, q, k + 1});
            }
        queries += before;
    }
    return sum / queries;
}

/* Tokens are the same if their labels are. */
static bool score_one(CauseRun *r, Sweep *s, int layer, int head)
{
    const Cause *c = r->c;
    char name[TENSOR_NAME_MAX];
    const Tensor *A = tape_find(r->base, cause_path(c, layer, true, "A", name));
    int *ids = example_alloc((size_t)c->row_count * sizeof *ids);
    if (!ids || tensor_is_poison(A))
        return false;
    for (int i = 0; i < c->row_count; i++)
        while (strcmp(c->rows[ids[i]], c->rows[i]) != 0)
            ids[i]++;
    double score = c->rows == c->columns ? cause_prefix_matching(A, 0, head, ids) : (double)NAN;
    if (isnan(score))
        options_refuse("--sweep induction: found no token twice, or cross-attention; expected a "
                       "text whose tokens repeat");
    s->changed->data[layer * s->columns + head] = (real)score;
    free(ids);
    return true;
}

/* ---- the table and the picture --------------------------------------------------------------- */

/* Over the cells that a gradient reaches: where weights are frozen, none reaches the embedding. */
static void print_correlation(const Sweep *s)
{
    double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < s->rows * s->columns; i++) {
        double a = (double)s->changed->data[i], b = (double)s->predicted->data[i];
        if (!isnan(b))
            x += a, y += b, xx += a * a, yy += b * b, xy += a * b, n++;
    }
    printf("correlation with gradient times difference, over %g: %.3f\n\n", n,
           (n * xy - x * y) / sqrt((n * xx - x * x) * (n * yy - y * y)));
}

/* The largest in absolute value. Returns the very largest, also of what was predicted. */
static double print_best(const Sweep *s)
{
    const int cells = s->rows * s->columns;
    double most = 1e-9;
    Tensor *size = tensor_clone(s->changed);
    for (int i = 0; size && i < cells; i++) {
        size->data[i] = (real)fabs((double)size->data[i]);
        most = fmax(most, (double)size->data[i]);
        most = fmax(most, s->predicted ? fabs((double)s->predicted->data[i]) : 0);
    }
    for (int n = 0; size && n < BEST && n < cells; n++) {
        int best = nn_greedy(size->data, cells);
        size->data[best] = -1;
        printf("  %-10s %-14s %+8.3f", s->row[best / s->columns], s->column[best % s->columns],
               (double)s->changed->data[best]);
        if (s->predicted)
            printf("  predicted %+8.3f", (double)s->predicted->data[best]);
        printf("\n");
    }
    tensor_free(size);
    return most;
}

static bool draw(const Sweep *s, double most, const Common *common)
{
    char name[32], path[EXAMPLE_PATH];
    const PlotScale score = {.high = 1, .name = "score"};
    const PlotScale changes = {.low = -most,
                               .high = most,
                               .diverging = true,
                               .name = "change of log p"};
    PlotHeatmap map = {.map = s->changed, .rows = s->row, .columns = s->column};
    map.row_name = map.column_name = "";
    map.scale = s->predicted ? changes : score;
    PlotHeatmap maps[] = {map, map};
    maps[1].map = s->predicted;
    maps[0].title = s->predicted ? "changed by itself" : "prefix-matching score";
    maps[1].title = "gradient times difference";
    snprintf(name, sizeof name, "sweep-%s", s->what);
    return plot_terminal_heatmaps(stdout, maps, 1, PLOT_AUTO) &&
           plot_heatmaps(example_path(common, name, path), maps, s->predicted ? 2 : 1,
                         s->predicted ? "change of the answer's log probability" : NULL, FORMATS);
}

/* Labels: of layers and heads, or tokens; an arc's row is a head, its column a key. */
static bool begin(Sweep *s, const Cause *c)
{
    const bool arcs = *s->what == 'a', positions = *s->what == 'p', heads = !arcs && !positions;
    s->rows = arcs ? c->layers * c->heads : c->layers + positions;
    s->columns = heads ? c->heads : arcs ? c->column_count : c->row_count;
    const size_t labels = (size_t)(s->rows + s->columns);
    s->changed = tensor_new(shape2(s->rows, s->columns));
    s->predicted = *s->what == 'i' ? NULL : tensor_new(shape2(s->rows, s->columns));
    s->label = example_alloc(labels * sizeof *s->label);
    s->row = example_alloc(labels * sizeof *s->row);
    if (!s->changed || (*s->what != 'i' && !s->predicted) || !s->label || !s->row)
        return false;
    s->column = s->row + s->rows;
    for (int i = 0; i < s->rows; i++)
        if (arcs)
            snprintf(s->label[i], sizeof *s->label, "%d.%d", i / c->heads + 1, i % c->heads + 1);
        else
            snprintf(s->label[i], sizeof *s->label, heads ? "layer %d" : "resid.%d", i + heads);
    for (int k = 0; k < s->columns; k++)
        snprintf(s->label[s->rows + k], sizeof *s->label, "head %d", k + 1);
    for (int i = 0; i < (int)labels; i++)
        s->row[i] = i < s->rows || heads ? s->label[i] : (arcs ? c->columns : c->rows)[i - s->rows];
    return true;
}

static bool sweep(CauseRun *r, const char *what, const Common *common)
{
    Sweep s = {.what = what};
    const bool scores = *what == 'i', patched = r->patched && *what != 'a';
    bool ok = begin(&s, r->c);
    for (int i = 0; ok && i < s.rows * s.columns; i++)
        ok = (scores ? score_one : change_one)(r, &s, i / s.columns, i % s.columns);
    if (ok && scores)
        printf("\nprefix-matching scores, the largest first\n");
    else if (ok)
        printf("\nchange of log p of %s where each of %s is %s, the largest first\n",
               r->c->name(r->c->model, r->right), what,
               patched        ? "that of --from"
               : *what == 'p' ? "the mean of all positions"
                              : "cut");
    double most = ok ? print_best(&s) : 0;
    if (ok && !scores)
        print_correlation(&s);
    ok = ok && draw(&s, most, common);
    tensor_free(s.changed);
    tensor_free(s.predicted);
    free(s.label);
    free(s.row);
    return ok;
}

/* The maps of the input as it is, with the cuts. */
static bool write_page(const CauseRun *r, const Common *common)
{
    const Cause *c = r->c;
    char path[TENSOR_NAME_MAX], loss[100];
    const char *right = c->name(c->model, r->right);
    snprintf(path, sizeof path, "%s.%s", c->block, c->attn);
    snprintf(loss, sizeof loss, "-log p of %s", right);
    Html html = {.wanted = true,
                 .loss = loss,
                 .file = "cuts.html",
                 .cuts = {right, r->cut, r->cuts}};
    const HtmlAttention a = {.path = path,
                             .layers = c->layers,
                             .rows = c->rows,
                             .columns = c->columns};
    bool ok = html_add(&html, r->base, 0, NULL, &a, 1) &&
              html_write(&html, common, "What the answer depends on");
    html_free(&html);
    return ok;
}

bool cause_sweep(CauseRun *r, const CauseOptions *o, Tensor *logits, const Common *common)
{
    const Cause *c = r->c;
    const size_t all = (size_t)o->sweep.count * (size_t)(c->layers * c->heads * c->column_count);
    Tensor *right = tape_ids(r->base, &r->right, shape1(1));
    bool ok = ag_backward(ag_cross_entropy(ag_reshape(logits, shape2(1, -1)), right));
    r->cut = common->html && !r->patched ? example_alloc((1 + all) * sizeof *r->cut) : NULL;
    if (r->cut)
        r->cut[r->cuts++] = cause_answer(r, logits, (Place){-1, -1, -1, -1});
    for (int i = 0; ok && i < o->sweep.count; i++)
        ok = sweep(r, o->sweep.text[i], common);
    ok = ok && (r->cuts < 2 || write_page(r, common));
    free(r->cut);
    return ok;
}
