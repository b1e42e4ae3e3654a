/* sweep.c: --sweep: every head, position or arc is changed by itself, with attribution patching
 * beside it, also as a page; and induction heads. See cause.h. */
#include "examples/common/cause.h"

#include <math.h>
#include <stdlib.h>

enum { FORMATS = PLOT_PNG | PLOT_SVG | PLOT_PDF, BEST = 5, LABEL = 24 };

/* changed: the true change of log p; predicted: the gradient's. */
typedef struct {
    const char *what;
    int rows, columns;
    Tensor *changed, *predicted;
    const char **row, **column; /* labels */
} Sweep;

/* ---- the numbers ----------------------------------------------------------------------------- */

/* Predicted is dlog p/dx times the change of x; NaN where no gradient reaches x. */
static bool change_one(CauseRun *r, Sweep *s, int i, int k)
{
    const int cell = i * s->columns + k, heads = r->c->heads;
    const bool positions = *s->what == 'p', arcs = *s->what == 'a';
    const Place at = positions ? (Place){i, -1, k, -1}
                     : arcs    ? (Place){i / heads, i % heads, r->c->position, k}
                               : (Place){i, k, -1, -1};
    const Tensor *x = cause_edit(r, arcs ? NULL : r->other, &at, 1), *logits = cause_edited(r);
    if (tensor_is_poison(logits))
        return false;
    PlotPageCut cut = cause_answer(r, logits, at);
    cut.change -= r->before;
    if (r->cut && !positions)
        r->cut[r->cuts++] = cut;
    const bool reached = x->grad && tensor_is_contiguous(x);
    double predicted = reached ? 0 : (double)NAN;
    const Tensor *y = tape_find(r->edited, x->name);
    for (int64_t e = 0; reached && e < tensor_size(x); e++)
        predicted -= (double)x->grad[e] * ((double)y->data[e] - (double)x->data[e]);
    s->changed->data[cell] = (real)cut.change;
    s->predicted->data[cell] = (real)predicted;
    return !tensor_failed();
}

double cause_prefix_matching(const Tensor *A, int b, int head, const int *ids)
{
    double sum = 0;
    int queries = 0;
    for (int q = 0; q < shape_last(A->shape); q++) {
        bool before = false;
        for (int k = 0; k < q; k++)
            if (ids[k] == ids[q])
                before = true, sum += (double)tensor_get(A, (int64_t[]){b, head, q, k + 1});
        queries += before;
    }
    return sum / queries;
}

static bool print_scores(const CauseRun *r)
{
    const Cause *c = r->c;
    printf("\nprefix-matching score of each head\n");
    for (int l = 0; l < c->layers; l++) {
        const Tensor *A = example_find(r->base, CAUSE_ATTN, l, "A", 0);
        if (tensor_is_poison(A))
            return false;
        printf("  layer %-2d", l + 1);
        for (int h = 0; h < c->heads; h++) {
            double score = c->ids ? cause_prefix_matching(A, 0, h, c->ids) : (double)NAN;
            if (isnan(score))
                options_refuse("--sweep induction: found no token twice, or a picture; expected a "
                               "text whose tokens repeat");
            printf(" %7.3f", score);
        }
        printf("\n");
    }
    return true;
}

/* ---- the table and the picture --------------------------------------------------------------- */

/* Of the changes and what the gradient predicted, where it reaches the cell: where weights are
 * frozen, none reaches the embedding. */
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

/* The largest in absolute value. */
static void print_best(const Sweep *s)
{
    const int cells = s->rows * s->columns;
    Tensor *size = tensor_clone(s->changed);
    for (int i = 0; size && i < cells; i++)
        size->data[i] = (real)fabs((double)size->data[i]);
    for (int n = 0; size && n < BEST && n < cells; n++) {
        int best = nn_greedy(size->data, cells);
        size->data[best] = -1;
        printf("  %-10s %-14s %+8.3f  predicted %+8.3f\n", s->row[best / s->columns],
               s->column[best % s->columns], (double)s->changed->data[best],
               (double)s->predicted->data[best]);
    }
    tensor_free(size);
}

static bool draw(const Sweep *s, const Common *common)
{
    char name[32], path[EXAMPLE_PATH];
    PlotHeatmap maps[2] = {{.map = s->changed, .rows = s->row, .columns = s->column}};
    maps[0].row_name = maps[0].column_name = "";
    maps[0].scale = (PlotScale){.diverging = true, .name = "change of log p"};
    maps[0].title = "changed by itself";
    maps[1] = maps[0];
    maps[1].map = s->predicted, maps[1].title = "gradient times difference";
    snprintf(name, sizeof name, "sweep-%s", s->what);
    return plot_terminal_heatmaps(stdout, maps, 1, PLOT_AUTO) &&
           plot_heatmaps(example_path(common, name, path), maps, 2,
                         "change of the answer's log probability", FORMATS);
}

/* Labels: of layers and heads, or tokens; an arc's row is a head, its column a key. */
static bool begin(Sweep *s, const Cause *c)
{
    const bool arcs = *s->what == 'a', positions = *s->what == 'p', heads = !arcs && !positions;
    s->rows = arcs ? c->layers * c->heads : c->layers + positions;
    s->columns = heads ? c->heads : c->count;
    const int labels = s->rows + s->columns;
    s->changed = tensor_new(shape2(s->rows, s->columns));
    s->predicted = tensor_new(shape2(s->rows, s->columns));
    s->row = example_alloc((size_t)labels * (sizeof *s->row + LABEL));
    if (!s->changed || !s->predicted || !s->row)
        return false;
    s->column = s->row + s->rows;
    char *text = (char *)(s->row + labels);
    for (int i = 0; i < labels; i++, text += LABEL) {
        if (i >= s->rows)
            snprintf(text, LABEL, "head %d", i - s->rows + 1);
        else if (arcs)
            snprintf(text, LABEL, "%d.%d", i / c->heads + 1, i % c->heads + 1);
        else
            snprintf(text, LABEL, heads ? "layer %d" : "resid.%d", i + heads);
        s->row[i] = i < s->rows || heads ? text : c->labels[i - s->rows];
    }
    return true;
}

static bool sweep(CauseRun *r, const char *what, const Common *common)
{
    Sweep s = {.what = what};
    bool ok = begin(&s, r->c);
    for (int i = 0; ok && i < s.rows * s.columns; i++)
        ok = change_one(r, &s, i / s.columns, i % s.columns);
    if (ok) {
        printf("\nchange of log p of %s where each of %s is %s, the largest first\n",
               r->c->name(r->c->model, r->right), what,
               r->other && *what != 'a' ? "that of --from"
               : *what == 'p'           ? "the mean of all positions"
                                        : "cut");
        print_best(&s);
        print_correlation(&s);
    }
    ok = ok && draw(&s, common);
    tensor_free(s.changed);
    tensor_free(s.predicted);
    free(s.row);
    return ok;
}

/* The maps of the input as it is, with the cuts. */
static bool write_page(const CauseRun *r, const Common *common)
{
    const Cause *c = r->c;
    char loss[100];
    const char *right = c->name(c->model, r->right);
    snprintf(loss, sizeof loss, "-log p of %s", right);
    Html html = {.wanted = true,
                 .loss = loss,
                 .file = "cuts.html",
                 .cuts = {right, r->cut, r->cuts}};
    const HtmlAttention a = {.path = CAUSE_ATTN,
                             .layers = c->layers,
                             .rows = c->labels,
                             .columns = c->labels};
    bool ok = html_add(&html, r->base, 0, NULL, &a, 1) &&
              html_write(&html, common, "What the answer depends on");
    html_free(&html);
    return ok;
}

bool cause_sweep(CauseRun *r, const CauseOptions *o, Tensor *logits, const Common *common)
{
    const int all = 1 + o->sweep.count * r->c->layers * r->c->heads * r->c->count;
    Tensor *right = tape_ids(r->base, &r->right, shape1(1));
    bool ok = ag_backward(ag_cross_entropy(ag_reshape(logits, shape2(1, -1)), right));
    r->cut = common->html && !r->other ? example_alloc((size_t)all * sizeof *r->cut) : NULL;
    if (r->cut)
        r->cut[r->cuts++] = cause_answer(r, logits, (Place){-1, -1, -1, -1});
    for (int i = 0; ok && i < o->sweep.count; i++)
        ok = *o->sweep.text[i] == 'i' ? print_scores(r) : sweep(r, o->sweep.text[i], common);
    ok = ok && (r->cuts < 2 || write_page(r, common));
    free(r->cut);
    return ok;
}
