/* cause.c: --cut, --patch and --lens. See cause.h. */
#include "examples/common/cause.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double cause_log_p(const Tensor *logits, int right, int *best, double *probability)
{
    int64_t V = tensor_size(logits);
    double sum = 0;
    *best = nn_greedy(logits->data, V);
    for (int64_t i = 0; i < V; i++)
        sum += exp((double)logits->data[i] - (double)logits->data[*best]);
    *probability = 1 / sum;
    return (double)logits->data[right < 0 ? *best : right] - (double)logits->data[*best] - log(sum);
}

/* ---- interventions --------------------------------------------------------------------------- */

/* "blocks.1.attn.heads": the part of this layer, from 0. */
static void path_of(const Cause *c, int layer, const char *part, char *name)
{
    char block[TENSOR_NAME_MAX / 2];
    snprintf(block, sizeof block, c->block, layer);
    snprintf(name, TENSOR_NAME_MAX, "%s.%s", block, part);
}

static void path_in_attention(const Cause *c, int layer, const char *part, char *name)
{
    char whole[TENSOR_NAME_MAX / 2];
    snprintf(whole, sizeof whole, "%s.%s", c->attn, part);
    path_of(c, layer, whole, name);
}

/* Cut, or taken from the other tape. */
static void cut_or_patch(const CauseRun *r, Intervention *e)
{
    if (r->patched) {
        e->edit.kind = EDIT_PATCH;
        e->edit.with = tape_find(r->other, e->name);
    }
}

Intervention cause_head(const CauseRun *r, int layer, int head, int row)
{
    Intervention e = {.edit = {.part = {[1] = {head, head + 1}}}};
    path_in_attention(r->c, layer, "heads", e.name);
    if (row >= 0)
        e.edit.part[2].begin = row, e.edit.part[2].end = row + 1;
    cut_or_patch(r, &e);
    return e;
}

Intervention cause_position(const CauseRun *r, int layer, int row)
{
    Intervention e = {.edit = {.kind = EDIT_MEAN, .axis = 1}};
    path_of(r->c, layer ? layer - 1 : 0, layer ? "out" : "in", e.name);
    if (row >= 0)
        e.edit.part[1].begin = row, e.edit.part[1].end = row + 1;
    if (r->patched)
        e.edit.axis = 0;
    cut_or_patch(r, &e);
    return e;
}

Intervention cause_arc(const CauseRun *r, int layer, int head, int row, int column)
{
    Intervention e = {.edit = {.part = {[1] = {head, head + 1}, [3] = {column, column + 1}}}};
    path_in_attention(r->c, layer, "A", e.name);
    if (row >= 0)
        e.edit.part[2].begin = row, e.edit.part[2].end = row + 1;
    return e;
}

Tensor *cause_edited(CauseRun *r, const Intervention *e, int count)
{
    tape_reset(r->edited);
    bool ok = tape_reuse(r->edited, r->base);
    for (int i = 0; ok && i < count; i++)
        ok = tape_edit(r->edited, e[i].name, e[i].edit);
    Tensor *logits = ok ? r->c->logits(r->c->model, r->edited, 0) : tensor_poison();
    return tape_edits_used(r->edited) ? logits : tensor_poison();
}

/* ---- reading the options --------------------------------------------------------------------- */

/* The position of a label, or of its number from 1; ends the program where there is none. */
static int position_of(const char *option, const char *text, size_t length,
                       const char *const *labels, int count)
{
    for (int i = 0; i < count; i++)
        if (strlen(labels[i]) == length && strncmp(labels[i], text, length) == 0)
            return i;
    char *end;
    long number = strtol(text, &end, 10);
    if (end != text + length || number < 1 || number > count)
        options_refuse("--%s: found '%.*s'; expected one of the input's %d tokens, or its number",
                       option, (int)length, text, count);
    return (int)number - 1;
}

/* Reads "L.H" and returns what follows it; layer and head count from 0 then. */
static const char *head_of(const Cause *c, const char *option, const char *text, int *layer,
                           int *head)
{
    int used = 0;
    bool ok = sscanf(text, "%d.%d%n", layer, head, &used) == 2 && *layer >= 1 &&
              *layer <= c->layers && *head >= 1 && *head <= c->heads;
    if (!ok)
        options_refuse("--%s: found '%s'; expected LAYER.HEAD, of %d layers with %d heads", option,
                       text, c->layers, c->heads);
    --*layer, --*head;
    return text + used;
}

static Intervention read_cut(const CauseRun *r, const char *text)
{
    const Cause *c = r->c;
    int layer, head;
    const char *rest = head_of(c, "cut", text, &layer, &head), *colon;
    CauseRun cut = *r;
    cut.patched = false;
    if (!*rest)
        return cause_head(&cut, layer, head, -1);
    colon = strchr(rest + 1, ':');
    if (*rest != ':' || !colon)
        options_refuse("--cut: found '%s'; expected L.H or L.H:QUERY:KEY", text);
    int row = position_of("cut", rest + 1, (size_t)(colon - rest - 1), c->rows, c->row_count);
    int column = position_of("cut", colon + 1, strlen(colon + 1), c->columns, c->column_count);
    return cause_arc(&cut, layer, head, row, column);
}

static Intervention read_patch(const CauseRun *r, const char *text)
{
    const Cause *c = r->c;
    const char *colon = strchr(text, ':');
    int row =
        colon ? position_of("patch", colon + 1, strlen(colon + 1), c->rows, c->row_count) : -1;
    int layer, head, used = 0;
    if (sscanf(text, "resid.%d%n", &layer, &used) == 1) {
        if (layer < 0 || layer > c->layers || (text[used] && text[used] != ':'))
            options_refuse("--patch: found '%s'; expected resid.0 to resid.%d, and :TOKEN", text,
                           c->layers);
        return cause_position(r, layer, row);
    }
    const char *rest = head_of(c, "patch", text, &layer, &head);
    if (*rest && *rest != ':')
        options_refuse("--patch: found '%s'; expected resid.L:TOKEN, L.H:TOKEN or L.H-L.H.q", text);
    return cause_head(r, layer, head, row);
}

/* ---- printing -------------------------------------------------------------------------------- */

static bool print_answer(const CauseRun *r, const char *what, const Tensor *logits)
{
    int best;
    double probability, log_p;
    if (tensor_is_poison(logits))
        return false;
    log_p = cause_log_p(logits, r->right, &best, &probability);
    printf("  %-26s %-14s p %.3f   log p of %s %8.3f", what, r->c->name(r->c->model, best),
           probability, r->c->name(r->c->model, r->right), log_p);
    if (logits->tape == r->edited)
        printf("  (%+.3f)", log_p - r->before);
    printf("\n");
    return true;
}

/* The sender's head changes; all other heads between it and the receiver are as they were, so that
 * the receiver's queries, keys or values hear of it directly, or through feed-forward layers. */
static Tensor *path_patched(CauseRun *r, const char *text)
{
    const Cause *c = r->c;
    int from, head, to, receiver, n = 1;
    const char *rest = head_of(c, "patch", text, &from, &head);
    rest = head_of(c, "patch", rest + 1, &to, &receiver);
    if (*rest != '.' || !rest[1] || !strchr("qkv", rest[1]) || rest[2] || from >= to)
        options_refuse("--patch: found '%s'; expected L.H-L.H.q, .k or .v, to a later layer", text);
    Intervention *e = example_alloc((size_t)(to - from + 1) * sizeof *e), last = {0};
    if (!e)
        return tensor_poison();
    e[0] = cause_head(r, from, head, -1);
    for (int layer = from + 1; layer < to; layer++, n++) {
        path_in_attention(c, layer, "heads", e[n].name);
        e[n].edit = (Edit){.kind = EDIT_PATCH, .with = tape_find(r->base, e[n].name)};
    }
    path_in_attention(c, to, (const char[]){rest[1], 0}, last.name);
    Tensor *heard = tensor_is_poison(cause_edited(r, e, n))
                        ? NULL
                        : tensor_clone(tape_find(r->edited, last.name));
    last.edit = (Edit){.kind = EDIT_PATCH, .with = heard, .part = {[1] = {receiver, receiver + 1}}};
    Tensor *logits = heard ? cause_edited(r, &last, 1) : tensor_poison();
    tensor_free(heard);
    free(e);
    return logits;
}

/* Each cut by itself, then all together; likewise patches. */
static bool print_interventions(CauseRun *r, const CauseOptions *o)
{
    Intervention cuts[TEXTS_MAX], one;
    char what[64];
    bool ok = true;
    for (int i = 0; ok && i < o->cut.count; i++) {
        cuts[i] = read_cut(r, o->cut.text[i]);
        snprintf(what, sizeof what, "cut %s", o->cut.text[i]);
        ok = print_answer(r, what, cause_edited(r, &cuts[i], 1));
    }
    if (ok && o->cut.count > 1)
        ok = print_answer(r, "all of them cut", cause_edited(r, cuts, o->cut.count));
    for (int i = 0; ok && i < o->patch.count; i++) {
        const char *text = o->patch.text[i], *arrow = strchr(text, '-');
        snprintf(what, sizeof what, "patched %s", text);
        if (!arrow)
            one = read_patch(r, text);
        ok = print_answer(r, what, arrow ? path_patched(r, text) : cause_edited(r, &one, 1));
    }
    return ok;
}

/* ---- the lens -------------------------------------------------------------------------------- */

/* What head h adds to the logit of `right` minus that of `other`, while the last norm divides by
 * what it divides by: (gain (c - mean c) / deviation) (W_right - W_other), c = A_h v_h W_o. */
static double direct(const CauseRun *r, Tensor *stream, int layer, int h, int other)
{
    const Cause *c = r->c;
    char name[TENSOR_NAME_MAX];
    bool centred = c->norm->kind == NORM_LAYER;
    path_in_attention(c, layer, "heads", name);
    Tensor *y = ag_slice(tape_find(r->base, name), 1, h, h + 1), *x = stream;
    path_in_attention(c, layer, "out_proj.weight", name);
    int64_t d = shape_last(y->shape), t = c->position;
    Tensor *W = ag_slice(tape_param(r->base, params_find(c->params, name)), 1, h * d, (h + 1) * d);
    y = ag_linear(ag_slice(y, 2, t, t + 1), W, NULL); /* (1, 1, 1, C) */
    x = ag_slice(x, 1, t, t + 1);
    if (centred)
        y = ag_sub(y, ag_mean_axis(y, -1, true)), x = ag_sub(x, ag_mean_axis(x, -1, true));
    y = ag_linear(ag_mul(y, c->norm->weight), c->head->weight, NULL);
    double variance = (double)tensor_item(ag_mean(ag_mul(x, x)));
    return tensor_failed() ? (double)NAN
                           : ((double)y->data[r->right] - (double)y->data[other]) /
                                 sqrt(variance + (double)c->norm->epsilon);
}

/* The answer of each layer's stream, then what the heads add. */
static bool print_lens(CauseRun *r)
{
    const Cause *c = r->c;
    char name[TENSOR_NAME_MAX], what[64];
    Tensor *stream = NULL, *logits = NULL;
    int second = -1;
    if (!c->read)
        options_refuse("--lens: this model has no reading of its layers; expected one that has");
    for (int l = 0; l <= c->layers; l++) {
        path_of(c, l ? l - 1 : 0, l ? "out" : "in", name);
        stream = tape_find(r->base, name);
        logits = c->read(c->model, stream);
        snprintf(what, sizeof what, "read after layer %d", l);
        if (!print_answer(r, what, logits))
            return false;
    }
    if (!c->norm || !c->head || c->position < 0)
        return true;
    for (int i = 0; i < (int)tensor_size(logits); i++)
        if (i != r->right && (second < 0 || logits->data[i] > logits->data[second]))
            second = i;
    printf("what each head adds to the logit of %s, minus", c->name(c->model, r->right));
    printf(" that of %s:\n", c->name(c->model, second));
    for (int l = 0; l < c->layers; l++) {
        printf("  layer %-2d", l + 1);
        for (int h = 0; h < c->heads; h++)
            printf(" %7.3f", direct(r, stream, l, h, second));
        printf("\n");
    }
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

bool cause_wanted(const CauseOptions *o)
{
    return o->cut.count || o->patch.count || o->from || o->lens || o->sweep;
}

void cause_check(const CauseOptions *o, const char *other)
{
    static const char *const sweeps[] = {"heads", "positions", "arcs", NULL};
    if (o->sweep)
        options_one_of("sweep", o->sweep, sweeps);
    if (o->patch.count && !o->from)
        options_refuse("--patch: found no --from; expected it as well: the input to take from");
    if (o->from && !o->patch.count && (!o->sweep || strcmp(o->sweep, "arcs") == 0))
        options_refuse(
            "--from: found neither --patch nor --sweep heads or positions; expected one");
    if (other && cause_wanted(o))
        options_refuse("--cut, --patch, --from, --lens, --sweep: found %s as well; expected one of "
                       "them, since no answer is asked there",
                       other);
}

/* A tape whose modules name everything; attention by single ops, so that maps can be edited. */
static Tape *open_tape(void)
{
    Tape *tape = example_tape(0);
    if (tape)
        tape->keep_names = tape->keep_maps = true;
    return tape;
}

bool cause_run(const Cause *c, const CauseOptions *o, const Common *common)
{
    if (!cause_wanted(o))
        return true;
    CauseRun r = {c, open_tape(), open_tape(), open_tape(), c->right, 0, o->from != NULL};
    Tensor *logits = r.base && r.other && r.edited ? c->logits(c->model, r.base, 0) : NULL;
    bool ok = !tensor_is_poison(logits);
    int best;
    double probability;
    if (ok) {
        cause_log_p(logits, -1, &best, &probability);
        r.right = c->right < 0 ? best : c->right;
        r.before = cause_log_p(logits, r.right, &best, &probability);
    }
    Tensor *other = ok && o->from ? c->logits(c->model, r.other, 1) : NULL;
    printf("\nwhat the answer depends on\n");
    ok = ok && print_answer(&r, "as it is", logits) &&
         (!o->from || print_answer(&r, "of --from", other)) && print_interventions(&r, o) &&
         (!o->lens || print_lens(&r)) && (!o->sweep || cause_sweep(&r, o->sweep, common));
    tape_free(r.edited);
    tape_free(r.other);
    tape_free(r.base);
    return ok;
}
