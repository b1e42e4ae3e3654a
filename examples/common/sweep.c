/* sweep.c: --sweep: every head, position or arc is changed by itself; attribution patching beside
 * it. See cause.h. */
#include "examples/common/cause.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FORMATS = PLOT_PNG | PLOT_SVG | PLOT_PDF, BEST = 5 };

/* Rows and columns of a sweep; changed: the true change of log p, predicted: the gradient's. */
typedef struct {
    const char *what;
    int rows, columns;
    Tensor *changed, *predicted;
    char (*label)[24];
    const char **row;
    const char **column;
} Sweep;

static Intervention cell(const CauseRun *r, const Sweep *s, int row, int column)
{
    if (*s->what == 'h')
        return cause_head(r, row, column, -1);
    if (*s->what == 'p')
        return cause_position(r, row, column);
    return cause_arc(r, row / r->c->heads, row % r->c->heads, r->c->position, column);
}

/* A contiguous copy of x's numbers or of its gradient. */
static Tensor *numbers_of(const Tensor *x, bool gradient)
{
    Tensor part = *x;
    part.data = gradient ? x->grad : x->data;
    return part.data ? tensor_clone(&part) : NULL;
}

/* The change of log p to first order: dlog p/dx times the change of x. The tape of edited runs
 * serves to apply the edit to x alone. */
static double predicted(CauseRun *r, const Intervention *e)
{
    const Tensor *x = tape_find(r->base, e->name);
    Tensor *before = tensor_is_poison(x) ? NULL : numbers_of(x, false);
    Tensor *gradient = tensor_is_poison(x) ? NULL : numbers_of(x, true);
    double sum = before && gradient ? 0 : (double)NAN;
    tape_reset(r->edited);
    if (before && gradient && tape_edit(r->edited, e->name, e->edit)) {
        Tensor *after = ag_name(tape_input(r->edited, before->data, before->shape), "%s", e->name);
        for (int64_t i = 0; !tensor_is_poison(after) && i < tensor_size(after); i++)
            sum -= (double)gradient->data[i] * ((double)after->data[i] - (double)before->data[i]);
    }
    tensor_free(before);
    tensor_free(gradient);
    return sum;
}

/* Backward of -log p of the right answer on the base tape. */
static bool differentiate(CauseRun *r)
{
    tape_reset(r->base);
    Tensor *logits = r->c->logits(r->c->model, r->base, 0);
    if (tensor_is_poison(logits))
        return false;
    logits = ag_reshape(logits, shape2(1, -1));
    return ag_backward(ag_cross_entropy(logits, tape_ids(r->base, &r->right, shape1(1))));
}

static bool fill(CauseRun *r, Sweep *s)
{
    if (!differentiate(r))
        return false;
    for (int i = 0; i < s->rows; i++)
        for (int k = 0; k < s->columns; k++) {
            Intervention e = cell(r, s, i, k);
            int best;
            double p;
            Tensor *logits = cause_edited(r, &e, 1);
            if (tensor_is_poison(logits))
                return false;
            s->changed->data[i * s->columns + k] =
                (real)(cause_log_p(logits, r->right, &best, &p) - r->before);
            s->predicted->data[i * s->columns + k] = (real)predicted(r, &e);
        }
    return !tensor_failed();
}

/* ---- the table and the picture --------------------------------------------------------------- */

/* Over the cells that a gradient reaches: where weights are frozen, none reaches the embedding. */
static double correlation(const Sweep *s, int *cells)
{
    double n = *cells = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < s->rows * s->columns; i++) {
        double a = (double)s->changed->data[i], b = (double)s->predicted->data[i];
        if (isnan(b))
            continue;
        x += a, y += b, xx += a * a, yy += b * b, xy += a * b, n = ++*cells;
    }
    return (n * xy - x * y) / sqrt((n * xx - x * x) * (n * yy - y * y));
}

static void print_best(const Sweep *s)
{
    bool *taken = example_alloc((size_t)(s->rows * s->columns) * sizeof *taken);
    for (int n = 0; taken && n < BEST && n < s->rows * s->columns; n++) {
        int best = -1;
        for (int i = 0; i < s->rows * s->columns; i++)
            if (!taken[i] && (best < 0 || fabs((double)s->changed->data[i]) >
                                              fabs((double)s->changed->data[best])))
                best = i;
        taken[best] = true;
        printf("  %-10s %-14s %+8.3f  predicted %+8.3f\n", s->row[best / s->columns],
               s->column[best % s->columns], (double)s->changed->data[best],
               (double)s->predicted->data[best]);
    }
    free(taken);
}

static bool draw(const Sweep *s, const Common *common)
{
    char name[32], path[EXAMPLE_PATH];
    double most = 1e-9;
    for (int i = 0; i < s->rows * s->columns; i++)
        most = fmax(most,
                    fmax(fabs((double)s->changed->data[i]), fabs((double)s->predicted->data[i])));
    PlotHeatmap maps[2];
    for (int i = 0; i < 2; i++)
        maps[i] = (PlotHeatmap){
            .map = i ? s->predicted : s->changed,
            .rows = s->row,
            .columns = s->column,
            .title = i ? "gradient times difference" : "changed by itself",
            .row_name = *s->what == 'p' ? "after layer" : "",
            .column_name = *s->what == 'h' ? "head, from 0" : "",
            .scale = {.diverging = true, .low = -most, .high = most, .name = "change of log p"}};
    snprintf(name, sizeof name, "sweep-%s", s->what);
    return plot_terminal_heatmaps(stdout, maps, 1, PLOT_AUTO) &&
           plot_heatmaps(example_path(common, name, path), maps, 2,
                         "change of the answer's log probability", FORMATS);
}

/* Labels: of layers and heads, or of positions; an arc's row is a head, its column a key. */
static bool begin(Sweep *s, const CauseRun *r)
{
    const Cause *c = r->c;
    bool heads = *s->what == 'h', arcs = *s->what == 'a';
    s->rows = heads ? c->layers : arcs ? c->layers * c->heads : c->layers + 1;
    s->columns = heads ? c->heads : arcs ? c->column_count : c->row_count;
    s->changed = tensor_new(shape2(s->rows, s->columns));
    s->predicted = tensor_new(shape2(s->rows, s->columns));
    int labels = s->rows + s->columns;
    s->label = example_alloc((size_t)labels * sizeof *s->label);
    s->row = example_alloc((size_t)labels * sizeof *s->row);
    if (!s->changed || !s->predicted || !s->label || !s->row)
        return false;
    s->column = s->row + s->rows;
    for (int i = 0; i < s->rows; i++)
        if (arcs)
            snprintf(s->label[i], sizeof *s->label, "%d.%d", i / c->heads + 1, i % c->heads + 1);
        else
            snprintf(s->label[i], sizeof *s->label, heads ? "layer %d" : "resid.%d", i + heads);
    for (int k = 0; k < s->columns; k++)
        snprintf(s->label[s->rows + k], sizeof *s->label, "head %d", k + 1);
    for (int i = 0; i < labels; i++)
        s->row[i] = s->label[i];
    for (int k = 0; !heads && k < s->columns; k++)
        s->column[k] = arcs ? c->columns[k] : c->rows[k];
    return true;
}

bool cause_sweep(CauseRun *r, const char *what, const Common *common)
{
    Sweep s = {.what = what};
    bool ok = begin(&s, r) && fill(r, &s);
    if (ok) {
        printf("\nchange of log p of %s where each of %s is %s, the largest first\n",
               r->c->name(r->c->model, r->right), what,
               r->patched && *what != 'a' ? "that of --from"
               : *what == 'p'             ? "the mean of all positions"
                                          : "cut");
        int cells;
        print_best(&s);
        double alike = correlation(&s, &cells);
        printf("correlation with gradient times difference, over %d: %.3f\n\n", cells, alike);
        ok = draw(&s, common);
    }
    tensor_free(s.changed);
    tensor_free(s.predicted);
    free(s.label);
    free(s.row);
    return ok;
}
