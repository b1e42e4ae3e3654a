/* cause.c: --cut, --patch and --lens. See cause.h. */
#include "examples/common/cause.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

PlotPageCut cause_answer(const CauseRun *r, const Tensor *logits, Place at)
{
    PlotPageCut a = {at.layer, at.head, at.row, at.column, "", 0, 0};
    int64_t V = tensor_size(logits);
    int best = nn_greedy(logits->data, V);
    double sum = 0, most = (double)logits->data[best];
    for (int64_t i = 0; i < V; i++)
        sum += exp((double)logits->data[i] - most);
    a.probability = 1 / sum;
    a.change = (double)logits->data[r->right] - most - log(sum);
    snprintf(a.answer, sizeof a.answer, "%s", r->c->name(r->c->model, best));
    return a;
}

/* ---- interventions --------------------------------------------------------------------------- */

const char *cause_path(const Cause *c, int layer, bool attn, const char *part, char *name)
{
    int used = snprintf(name, TENSOR_NAME_MAX / 2, c->block, layer);
    snprintf(name + used, TENSOR_NAME_MAX / 2, ".%s%s%s", attn ? c->attn : "", attn ? "." : "",
             part);
    return name;
}

Intervention cause_at(const CauseRun *r, bool patch, Place at)
{
    const bool stream = at.head < 0, arc = at.column >= 0;
    const int index[] = {-1, stream ? at.row : at.head, stream ? -1 : at.row, at.column};
    Intervention e = {.edit = {.kind = stream ? EDIT_MEAN : EDIT_ZERO, .axis = stream}};
    if (stream)
        cause_path(r->c, at.layer ? at.layer - 1 : 0, false, at.layer ? "out" : "in", e.name);
    else
        cause_path(r->c, at.layer, true, arc ? "A" : "heads", e.name);
    for (int axis = 0; axis < 4; axis++)
        if (index[axis] >= 0)
            e.edit.part[axis].begin = index[axis], e.edit.part[axis].end = index[axis] + 1;
    if (patch)
        e.edit.kind = EDIT_PATCH, e.edit.axis = 0, e.edit.with = tape_find(r->other, e.name);
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
    if (sscanf(text, "%d.%d%n", layer, head, &used) != 2 || *layer < 1 || *layer > c->layers ||
        *head < 1 || *head > c->heads)
        options_refuse("--%s: found '%s'; expected LAYER.HEAD, of %d layers with %d heads", option,
                       text, c->layers, c->heads);
    --*layer, --*head;
    return text + used;
}

/* L.H[:QUERY:KEY] of a cut; resid.L[:TOKEN] or L.H[:TOKEN] of a patch. */
static Place read_place(const Cause *c, const char *option, const char *text)
{
    const bool cut = *option == 'c';
    Place at = {0, -1, -1, -1};
    int used = 0;
    bool stream = !cut && sscanf(text, "resid.%d%n", &at.layer, &used) == 1;
    if (stream && (at.layer < 0 || at.layer > c->layers))
        options_refuse("--patch: found '%s'; expected resid.0 to resid.%d", text, c->layers);
    const char *rest = stream ? text + used : head_of(c, option, text, &at.layer, &at.head);
    const char *key = *rest && cut ? strchr(rest + 1, ':') : NULL;
    if (*rest && (*rest != ':' || cut != (key != NULL)))
        options_refuse("--%s: found '%s'; expected %s", option, text,
                       cut ? "L.H or L.H:QUERY:KEY" : "resid.L:TOKEN, L.H:TOKEN or L.H-L.H.q");
    if (*rest)
        at.row = position_of(option, rest + 1, key ? (size_t)(key - rest - 1) : strlen(rest + 1),
                             c->rows, c->row_count);
    if (key)
        at.column = position_of(option, key + 1, strlen(key + 1), c->columns, c->column_count);
    return at;
}

/* ---- printing -------------------------------------------------------------------------------- */

static bool print_answer(const CauseRun *r, const char *what, const Tensor *logits)
{
    if (tensor_is_poison(logits))
        return false;
    PlotPageCut a = cause_answer(r, logits, (Place){0, 0, 0, 0});
    printf("  %-26s %-14s p %.3f   log p of %s %8.3f", what, a.answer, a.probability,
           r->c->name(r->c->model, r->right), a.change);
    if (logits->tape == r->edited)
        printf("  (%+.3f)", a.change - r->before);
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
    e[0] = cause_at(r, true, (Place){from, head, -1, -1});
    for (int layer = from + 1; layer < to; layer++, n++) {
        cause_path(c, layer, true, "heads", e[n].name);
        e[n].edit = (Edit){.kind = EDIT_PATCH, .with = tape_find(r->base, e[n].name)};
    }
    cause_path(c, to, true, (const char[]){rest[1], 0}, last.name);
    Tensor *heard = tensor_is_poison(cause_edited(r, e, n))
                        ? NULL
                        : tensor_clone(tape_find(r->edited, last.name));
    last.edit = (Edit){.kind = EDIT_PATCH, .with = heard, .part = {[1] = {receiver, receiver + 1}}};
    Tensor *logits = heard ? cause_edited(r, &last, 1) : tensor_poison();
    tensor_free(heard);
    free(e);
    return logits;
}

/* Each cut by itself, then all together; and each patch. */
static bool print_interventions(CauseRun *r, const CauseOptions *o)
{
    Intervention cuts[TEXTS_MAX], patch;
    char what[64];
    bool ok = true;
    for (int i = 0; ok && i < o->cut.count; i++) {
        cuts[i] = cause_at(r, false, read_place(r->c, "cut", o->cut.text[i]));
        snprintf(what, sizeof what, "cut %s", o->cut.text[i]);
        ok = print_answer(r, what, cause_edited(r, &cuts[i], 1));
    }
    if (ok && o->cut.count > 1)
        ok = print_answer(r, "all of them cut", cause_edited(r, cuts, o->cut.count));
    for (int i = 0; ok && i < o->patch.count; i++) {
        const char *text = o->patch.text[i], *path = strchr(text, ':') ? NULL : strchr(text, '-');
        snprintf(what, sizeof what, "patched %s", text);
        if (!path)
            patch = cause_at(r, true, read_place(r->c, "patch", text));
        ok = print_answer(r, what, path ? path_patched(r, text) : cause_edited(r, &patch, 1));
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
    Tensor *heads = tape_find(r->base, cause_path(c, layer, true, "heads", name));
    Tensor *W = params_find(c->params, cause_path(c, layer, true, "out_proj.weight", name));
    Tensor *y = ag_slice(heads, 1, h, h + 1), *x = stream;
    int64_t d = shape_last(y->shape), t = c->position;
    W = ag_slice(tape_param(r->base, W), 1, h * d, (h + 1) * d);
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
    for (int l = 0; l <= c->layers; l++) {
        stream = tape_find(r->base, cause_path(c, l ? l - 1 : 0, false, l ? "out" : "in", name));
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
    return o->cut.count || o->patch.count || o->from || o->lens || o->sweep.count;
}

void cause_check(const CauseOptions *o, const char *other)
{
    static const char *const sweeps[] = {"heads", "positions", "arcs", "induction", NULL};
    bool reads = o->patch.count > 0;
    for (int i = 0; i < o->sweep.count; i++)
        reads |= options_one_of("sweep", o->sweep.text[i], sweeps) < 2;
    if (o->patch.count && !o->from)
        options_refuse("--patch: found no --from; expected it as well: the input to take from");
    if (o->from && !reads)
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
    CauseRun r = {.c = c, .right = c->right, .patched = o->from != NULL};
    r.base = open_tape(), r.other = open_tape(), r.edited = open_tape();
    Tensor *logits = r.base && r.other && r.edited ? c->logits(c->model, r.base, 0) : NULL;
    bool ok = !tensor_is_poison(logits);
    if (ok && r.right < 0)
        r.right = nn_greedy(logits->data, tensor_size(logits));
    if (ok)
        r.before = cause_answer(&r, logits, (Place){0, 0, 0, 0}).change;
    Tensor *other = ok && o->from ? c->logits(c->model, r.other, 1) : NULL;
    printf("\nwhat the answer depends on\n");
    ok = ok && print_answer(&r, "as it is", logits) &&
         (!o->from || print_answer(&r, "of --from", other)) && print_interventions(&r, o) &&
         (!o->lens || print_lens(&r)) && (!o->sweep.count || cause_sweep(&r, o, logits, common));
    tape_free(r.edited);
    tape_free(r.other);
    tape_free(r.base);
    return ok;
}
