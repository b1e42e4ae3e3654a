/* cause.c: --cut, --patch and --lens. See cause.h. */
#include "examples/common/cause.h"

#include "autograd/inspect.h"

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

/* The name of the residual stream after so many blocks. What goes into the first block has the name
 * of the embedding, the last that was given before those of the block. */
static const char *stream_of(const CauseRun *r, int layer, char *name)
{
    int first = 0;
    example_name(CAUSE_BLOCK, layer ? layer - 1 : 0, "out", name);
    size_t path = strlen(name) - strlen("out");
    while (layer == 0 && first + 1 < r->base->names &&
           strncmp(r->base->named[first + 1]->name, name, path) != 0)
        first++;
    if (layer == 0 && r->base->names > 0)
        snprintf(name, TENSOR_NAME_MAX, "%s", r->base->named[first]->name);
    return name;
}

Tensor *cause_edit(CauseRun *r, Tape *from, const Place *at, int count)
{
    Tensor *x = NULL;
    tape_reset(r->edited);
    for (; count > 0; at++, count--) {
        const bool stream = at->head < 0;
        const int index[] = {-1, stream ? at->row : at->head, stream ? -1 : at->row, at->column};
        Edit edit = {.kind = stream ? EDIT_MEAN : EDIT_ZERO, .axis = stream};
        char name[TENSOR_NAME_MAX];
        for (int axis = 0; axis < 4; axis++)
            if (index[axis] >= 0)
                edit.part[axis].begin = index[axis], edit.part[axis].end = index[axis] + 1;
        stream_of(r, at->layer, name);
        if (!stream)
            example_name(CAUSE_ATTN, at->layer, at->column >= 0 ? "A" : "heads", name);
        x = tape_find(r->base, name);
        if (from)
            edit.kind = EDIT_PATCH, edit.axis = 0, edit.with = tape_find(from, name);
        tape_edit(r->edited, name, edit);
    }
    return x;
}

Tensor *cause_edited(CauseRun *r)
{
    Tensor *logits = r->c->logits(r->c->model, r->edited, 0);
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
    const char *rest = stream ? text + used : head_of(c, option, text, &at.layer, &at.head);
    const char *key = *rest && cut ? strchr(rest + 1, ':') : NULL;
    if ((*rest && (*rest != ':' || cut != (key != NULL))) || at.layer < 0 || at.layer > c->layers)
        options_refuse("--%s: found '%s'; expected %s, of %d layers", option, text,
                       cut ? "L.H or L.H:QUERY:KEY" : "resid.L:TOKEN, L.H:TOKEN or L.H-L.H.q",
                       c->layers);
    if (*rest)
        at.row = position_of(option, rest + 1, key ? (size_t)(key - rest - 1) : strlen(rest + 1),
                             c->labels, c->count);
    if (key)
        at.column = position_of(option, key + 1, strlen(key + 1), c->labels, c->count);
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
    int from, head, to, receiver;
    char name[TENSOR_NAME_MAX];
    const char *rest = head_of(c, "patch", text, &from, &head);
    rest = head_of(c, "patch", rest + 1, &to, &receiver);
    if (*rest != '.' || !rest[1] || !strchr("qkv", rest[1]) || rest[2] || from >= to)
        options_refuse("--patch: found '%s'; expected L.H-L.H.q, .k or .v, to a later layer", text);
    cause_edit(r, r->other, &(Place){from, head, -1, -1}, 1);
    for (int layer = from + 1; layer < to; layer++) {
        example_name(CAUSE_ATTN, layer, "heads", name);
        tape_edit(r->edited, name, (Edit){.kind = EDIT_PATCH, .with = tape_find(r->base, name)});
    }
    example_name(CAUSE_ATTN, to, rest + 1, name);
    Tensor *heard =
        tensor_is_poison(cause_edited(r)) ? NULL : tensor_clone(tape_find(r->edited, name));
    cause_edit(r, NULL, NULL, 0);
    tape_edit(r->edited, name,
              (Edit){.kind = EDIT_PATCH, .with = heard, .part = {[1] = {receiver, receiver + 1}}});
    tensor_free(heard);
    return cause_edited(r);
}

/* All cuts together, if there are several, each by itself, and each patch. */
static bool print_interventions(CauseRun *r, const CauseOptions *o)
{
    const int cuts = o->cut.count;
    Place at[TEXTS_MAX];
    char what[64] = "all of them cut";
    bool ok = true;
    for (int i = 0; i < cuts; i++)
        at[i] = read_place(r->c, "cut", o->cut.text[i]);
    for (int i = cuts > 1 ? -1 : 0; ok && i < cuts; i++) {
        if (i >= 0)
            snprintf(what, sizeof what, "cut %s", o->cut.text[i]);
        cause_edit(r, NULL, i < 0 ? at : at + i, i < 0 ? cuts : 1);
        ok = print_answer(r, what, cause_edited(r));
    }
    for (int i = 0; ok && i < o->patch.count; i++) {
        const char *text = o->patch.text[i];
        bool path = !strchr(text, ':') && strchr(text, '-');
        const Place patch = path ? (Place){0} : read_place(r->c, "patch", text);
        cause_edit(r, r->other, &patch, !path);
        snprintf(what, sizeof what, "patched %s", text);
        ok = print_answer(r, what, path ? path_patched(r, text) : cause_edited(r));
    }
    return ok;
}

/* ---- the lens -------------------------------------------------------------------------------- */

/* What head h adds to the logit of `right` minus that of `other`, while the last norm divides by
 * what it divides by: (gain (c - mean c) / deviation) (W_right - W_other), c = A_h v_h W_o. */
static bool print_direct(const CauseRun *r, Tensor *stream, int other)
{
    const Cause *c = r->c;
    const int64_t t = c->position;
    const bool centred = c->norm->kind == NORM_LAYER;
    char name[TENSOR_NAME_MAX];
    Tensor *x = ag_slice(stream, 1, t, t + 1);
    x = centred ? ag_sub(x, ag_mean_axis(x, -1, true)) : x;
    double variance = (double)tensor_item(ag_mean(ag_mul(x, x)));
    double deviation = sqrt(variance + (double)c->norm->epsilon);
    printf("what each head adds to the logit of %s, minus that of %s:\n",
           c->name(c->model, r->right), c->name(c->model, other));
    for (int l = 0; l < c->layers; l++) {
        Tensor *y = example_find(r->base, CAUSE_ATTN, l, "heads", 0); /* (1, H, T, d) */
        Tensor *W = params_find(c->params, example_name(CAUSE_ATTN, l, "out_proj.weight", name));
        W = ag_reshape(tape_param(r->base, W), shape3(-1, c->heads, shape_last(y->shape)));
        y = ag_matmul(ag_slice(y, 2, t, t + 1), ag_permute(W, (const int[]){1, 2, 0}));
        y = centred ? ag_sub(y, ag_mean_axis(y, -1, true)) : y;
        y = ag_linear(ag_mul(y, c->norm->weight), c->head->weight, NULL); /* (1, H, 1, V) */
        if (tensor_is_poison(y))
            return false;
        printf("  layer %-2d", l + 1);
        for (const real *v = y->data; v < y->data + tensor_size(y); v += shape_last(y->shape))
            printf(" %7.3f", ((double)v[r->right] - (double)v[other]) / deviation);
        printf("\n");
    }
    return true;
}

/* The answer of each layer's stream, then what the heads add. */
static bool print_lens(const CauseRun *r)
{
    const Cause *c = r->c;
    char name[TENSOR_NAME_MAX], what[64];
    Tensor *stream = NULL, *logits = NULL;
    int second = r->right == 0;
    for (int l = 0; l <= c->layers; l++) {
        stream = tape_find(r->base, stream_of(r, l, name));
        logits = c->read(c->model, stream);
        snprintf(what, sizeof what, "read after layer %d", l);
        if (!print_answer(r, what, logits))
            return false;
    }
    for (int i = 0; i < (int)tensor_size(logits); i++)
        if (i != r->right && logits->data[i] > logits->data[second])
            second = i;
    return !c->norm || !c->head || c->position < 0 || print_direct(r, stream, second);
}

/* ---- all of it ------------------------------------------------------------------------------- */

bool cause_wanted(const CauseOptions *o)
{
    return o->cut.count || o->patch.count || o->from || o->lens || o->sweep.count;
}

void cause_check(const CauseOptions *o)
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
}

/* A tape whose modules name everything; attention by single ops, so that maps can be edited. */
static Tape *open_tape(void)
{
    Tape *tape = tape_new(0);
    if (tape)
        tape->keep_names = tape->keep_maps = true;
    return tape;
}

bool cause_run(const Cause *c, const CauseOptions *o, const Common *common)
{
    if (!cause_wanted(o))
        return true;
    CauseRun r = {.c = c, .right = c->right};
    r.base = open_tape(), r.edited = open_tape(), r.other = o->from ? open_tape() : NULL;
    Tensor *logits = r.base && r.edited ? c->logits(c->model, r.base, 0) : NULL;
    bool ok = !tensor_is_poison(logits);
    if (ok && r.right < 0)
        r.right = nn_greedy(logits->data, tensor_size(logits));
    if (ok)
        r.before = cause_answer(&r, logits, (Place){0, 0, 0, 0}).change;
    Tensor *other = r.other && ok ? c->logits(c->model, r.other, 1) : NULL;
    printf("\nwhat the answer depends on\n");
    ok = ok && print_answer(&r, "as it is", logits) &&
         (!o->from || print_answer(&r, "of --from", other)) && print_interventions(&r, o) &&
         (!o->lens || print_lens(&r)) && (!o->sweep.count || cause_sweep(&r, o, logits, common));
    tape_free(r.edited);
    tape_free(r.other);
    tape_free(r.base);
    return ok;
}
