/* edit.c: interventions. A named result is replaced before any op uses it.
 *
 *   y_i = e_i where index i is in the edit's part, x_i elsewhere      (ag_where)
 *   e = 0; the mean of x along an axis; factor x; x + v; the numbers of another tape's tensor
 *
 * ag_name is where a result and its name meet, and modules continue with what it returns: so an
 * edit is applied there, by ordinary ops, whose backward gives the derivative of what was computed.
 * Activation patching: Vig et al. 2020; Meng et al. 2022. Mean ablation: Wang et al. 2023. */
#include "autograd/tape.h"

#include "tensor/memory.h"
#include "tensor/strided_rows.h"

#include <string.h>

struct PendingEdit {
    PendingEdit *next;
    Edit edit;
    char name[TENSOR_NAME_MAX];
    bool used;
};

/* ---- the list of a step's edits -------------------------------------------------------------- */

/* A contiguous copy on this tape, since the other tape may be reset before the edit is applied. */
static const Tensor *copy_of(Tape *tape, const Tensor *with)
{
    Tensor *copy = tape_tensor(tape, with->shape);
    StridedElements e = strided_elements(with);
    for (int64_t i = 0; copy && i < tensor_size(with); i++, strided_elements_next(&e))
        copy->data[i] = with->data[e.at];
    return copy;
}

/* What can be said of an edit before its tensor exists; else an error. */
static bool edit_fits(const Tape *tape, const char *name, const Edit *e)
{
    bool wants = e->kind == EDIT_ADD || e->kind == EDIT_PATCH;
    if (!name || !*name || strlen(name) >= TENSOR_NAME_MAX || tape->backward_done)
        return tensor_fail("tape_edit: the name is '%.*s'%s; expected 1 to %d characters, before "
                           "the forward pass",
                           TENSOR_NAME_MAX, name ? name : "NULL",
                           tape->backward_done ? ", after backward" : "", TENSOR_NAME_MAX - 1);
    if (e->kind < EDIT_ZERO || e->kind > EDIT_PATCH || wants != (e->with != NULL) ||
        (e->kind != EDIT_SCALE && e->factor != 0) || (e->kind != EDIT_MEAN && e->axis != 0))
        return tensor_fail("tape_edit: '%s' has kind %d, with a member that it does not read or "
                           "without one that it reads; expected an EditKind, `with` for EDIT_ADD "
                           "and EDIT_PATCH, `factor` for EDIT_SCALE, `axis` for EDIT_MEAN",
                           name, (int)e->kind);
    if (wants && (tensor_is_poison(e->with) || e->with->ids || !e->with->data))
        return tensor_fail("tape_edit: '%s': `with` is %s; expected a tensor of real numbers", name,
                           tensor_describe(e->with));
    return !wants || !e->with->tape || tensor_is_current(e->with, "tape_edit");
}

/* Edits are kept in order: several of one name are applied one after another. */
bool tape_edit(Tape *tape, const char *name, Edit edit)
{
    if (!tape_accepts(tape, shape0(), "tape_edit"))
        return false;
    PendingEdit *p = edit_fits(tape, name, &edit) ? arena_alloc(&tape->arena, sizeof *p) : NULL;
    if (p && edit.with)
        edit.with = copy_of(tape, edit.with);
    if (!p || ((edit.kind == EDIT_ADD || edit.kind == EDIT_PATCH) && !edit.with)) {
        tape->failed = true;
        return false;
    }
    *p = (PendingEdit){.edit = edit};
    snprintf(p->name, sizeof p->name, "%s", name);
    PendingEdit **end = &tape->inside->edits;
    while (*end)
        end = &(*end)->next;
    *end = p;
    return true;
}

bool tape_edits_used(Tape *tape)
{
    if (!tape_accepts(tape, shape0(), "tape_edits_used"))
        return false;
    for (const PendingEdit *p = tape->inside->edits; p; p = p->next)
        if (!p->used) {
            tape_error(tape,
                       "tape_edit: no tensor has the name '%s'; expected one of this step's names: "
                       "%s",
                       p->name, tape_names(tape));
            return false;
        }
    return true;
}

bool tape_names_all(const Tape *tape)
{
    return tape_is_watched() || tape->keep_names || tape->inside->edits;
}

/* Of an attention's parts, "PATH.A", "PATH.scores" and "PATH.products" alone begin so; which of
 * several calls it is, "PATH.A#2", shows only when A gets its name. */
bool tape_edits_map(const Tape *tape, const char *path)
{
    size_t length = path ? strlen(path) : 0;
    for (const PendingEdit *p = tape->inside->edits; p && path; p = p->next)
        if (strncmp(p->name, path, length) == 0 && p->name[length] == '.' &&
            strchr("Asp", p->name[length + 1]))
            return true;
    return false;
}

/* ---- applying an edit ------------------------------------------------------------------------ */

/* 1 for the indices in the edit's part, 0 elsewhere: an axis that is taken whole has length 1. */
static Tensor *part_mask(Tape *tape, Shape s, const Edit *e)
{
    Shape shape = s;
    for (int a = 0; a < s.rank; a++)
        if (e->part[a].end == 0)
            shape.dim[a] = 1;
    Tensor *mask = tape_full(tape, 1, shape);
    for (int64_t i = 0; !tensor_is_poison(mask) && i < tensor_size(mask); i++)
        for (int64_t a = s.rank - 1, rest = i; a >= 0; rest /= shape.dim[a--]) {
            int64_t at = rest % shape.dim[a];
            if (e->part[a].end > 0 && (at < e->part[a].begin || at >= e->part[a].end))
                mask->data[i] = 0;
        }
    return mask;
}

/* Is the part within x, and has `with` a shape for it? */
static bool matches(const Tensor *x, const Edit *e)
{
    bool fits = x->shape.rank > 0;
    for (int a = 0; a < TENSOR_MAX_RANK; a++) {
        int64_t length = a < x->shape.rank ? x->shape.dim[a] : 0;
        fits &= e->part[a].begin >= 0 && e->part[a].end <= length &&
                (e->part[a].end > e->part[a].begin || (!e->part[a].end && !e->part[a].begin));
    }
    bool vector = e->kind == EDIT_ADD && e->with->shape.rank == 1;
    if (e->with)
        fits &= vector ? e->with->shape.dim[0] == shape_last(x->shape)
                       : shape_equal(e->with->shape, x->shape);
    return fits && (e->kind != EDIT_MEAN || (e->axis >= 0 && e->axis < x->shape.rank));
}

static Tensor *replacement(Tensor *x, const Edit *e)
{
    Tensor *with = (Tensor *)(uintptr_t)e->with; /* a constant of this tape */
    switch (e->kind) {
    case EDIT_ZERO:
        return tape_full(x->tape, 0, shape1(1));
    case EDIT_MEAN:
        return ag_mean_axis(x, e->axis, true);
    case EDIT_SCALE:
        return ag_scale(x, (real)e->factor);
    case EDIT_ADD:
        return ag_add(x, with);
    default:
        return with;
    }
}

Tensor *tape_edited(Tensor *x)
{
    Tape *tape = x->tape;
    for (PendingEdit *p = tape->inside->edits; p && !tensor_is_poison(x); p = p->next) {
        if (strcmp(p->name, x->name) != 0)
            continue;
        if (x->ids || !matches(x, &p->edit))
            return tape_error(tape,
                              "tape_edit: %s: a part, an axis or a tensor that does not fit it; "
                              "expected parts within its axes, and a tensor of its shape; the "
                              "names so far: %s",
                              tensor_describe(x), tape_names(tape));
        Tensor *y = replacement(x, &p->edit);
        y = ag_where(part_mask(tape, x->shape, &p->edit), y, x);
        if (!tensor_is_poison(y))
            tape_rename(x, y);
        p->used = true;
        x = y;
    }
    return x;
}

/* ---- results that another tape has computed -------------------------------------------------- */

/* For sweeps, which compute one step many times with another edit each time. */

bool tape_reuse(Tape *tape, const Tape *computed)
{
    if (!tape_accepts(tape, shape0(), "tape_reuse"))
        return false;
    bool ok = computed && computed != tape && !computed->failed && !tape->training &&
              !computed->training && tape->nodes == 0;
    if (!ok) {
        tape_error(tape, "tape_reuse: a tape after its first op, or one that trains, has failed, "
                         "is NULL or the same; expected two tapes, and a step that begins");
        return false;
    }
    tape->inside->reuse = computed;
    tape->inside->reused = 0;
    return true;
}

/* Results and weights are the same if their numbers are in the same memory, since a result that was
 * taken from the other tape is; inputs are copies, whose numbers are compared. */
static bool same_operand(const Tensor *x, const Tensor *y)
{
    if (!x || !y)
        return x == y;
    if (!shape_equal(x->shape, y->shape) || !x->data != !y->data || !x->ids != !y->ids ||
        memcmp(x->stride, y->stride, (size_t)x->shape.rank * sizeof *x->stride) != 0)
        return false;
    if (x->ids)
        return memcmp(x->ids, y->ids, (size_t)tensor_size(x) * sizeof *x->ids) == 0;
    return x->data == y->data ||
           (!x->node && !x->base && !y->node && tensor_is_contiguous(x) &&
            memcmp(x->data, y->data, (size_t)tensor_size(x) * sizeof(real)) == 0);
}

const Node *tape_computed(Tape *tape, const Node *n, size_t attrs_size, bool needs_grad)
{
    struct TapeInside *in = tape->inside;
    const Tape *other = in->reuse;
    bool same = other && in->reused < other->nodes;
    const Node *old = same ? other->node[in->reused] : NULL;
    same = same && old->op == n->op && old->inputs == n->inputs && old->out->data &&
           old->out->needs_grad == needs_grad && (!n->attrs == !old->attrs) &&
           (!n->attrs || memcmp(n->attrs, old->attrs, attrs_size) == 0);
    for (int i = 0; same && i < n->inputs; i++)
        same = same_operand(n->in[i], old->in[i]);
    if (!same)
        in->reused = INT32_MAX; /* the first op that differs ends it */
    return same ? other->node[in->reused++] : NULL;
}
