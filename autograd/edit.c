/* edit.c: interventions. A named result is replaced before any op uses it.
 *
 *   y_i = e_i where index i is in the edit's part, x_i elsewhere      (ag_where)
 *   e = 0; the mean of x along an axis; factor x; x + v; the numbers of another tape's tensor
 *
 * ag_name is where a result and its name meet, and modules continue with what it returns: so an
 * edit is applied there, by ordinary ops, whose backward gives the derivative of what was computed.
 * Activation patching: Vig et al. 2020; Meng et al. 2022. Mean ablation: Wang et al. 2023. */
#include "autograd/tape.h"

#include "tensor/strided_rows.h"

#include <string.h>

struct PendingEdit {
    PendingEdit *next;
    Edit edit;
    char name[TENSOR_NAME_MAX];
    bool used;
};

/* ---- the list of a step's edits -------------------------------------------------------------- */

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

/* Edits are kept in order: several of one name are applied one after another. Numbers of another
 * tape are copied, since it may be reset before the edit is applied. */
bool tape_edit(Tape *tape, const char *name, Edit edit)
{
    if (!tape_accepts(tape, shape0(), "tape_edit"))
        return false;
    PendingEdit *p = edit_fits(tape, name, &edit) ? tape_memory(tape, sizeof *p) : NULL;
    Tensor *copy = p && edit.with ? tape_tensor(tape, edit.with->shape) : NULL;
    if (!p || (edit.with && !copy)) {
        tape_fail(tape);
        return false;
    }
    if (copy)
        tensor_read(edit.with, copy->data);
    edit.with = copy;
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
    const PendingEdit *p = tape->inside->edits;
    while (p && p->used)
        p = p->next;
    if (p)
        tape_error(tape,
                   "tape_edit: no tensor has the name '%s'; expected one of this step's names: %s",
                   p->name, tape_names(tape));
    return !p;
}

bool tape_names_all(const Tape *tape)
{
    return tape_is_watched() || tape->keep_names || tape->inside->edits;
}

/* ---- applying an edit ------------------------------------------------------------------------ */

/* 1 for the indices in the edit's part, 0 elsewhere. */
static Tensor *part_mask(Tape *tape, Shape shape, const Edit *e)
{
    Tensor *mask = tape_full(tape, 0, shape), *part = mask;
    for (int a = 0; a < shape.rank; a++)
        if (e->part[a].end > 0)
            part = ag_slice(part, a, e->part[a].begin, e->part[a].end);
    StridedElements at = strided_elements(part);
    for (int64_t i = 0; !tensor_is_poison(part) && i < tensor_size(part);
         i++, strided_elements_next(&at))
        part->data[at.at] = 1;
    return mask;
}

/* Is the part within x, and does `with` broadcast to it? */
static bool matches(const Tensor *x, const Edit *e)
{
    Shape both = x->shape;
    bool fits = x->shape.rank > 0 && (!e->with || shape_broadcast(both, e->with->shape, &both));
    for (int a = 0; a < TENSOR_MAX_RANK; a++) {
        int64_t length = a < x->shape.rank ? x->shape.dim[a] : 0;
        fits &= e->part[a].begin >= 0 && e->part[a].end <= length &&
                (e->part[a].end > e->part[a].begin || (!e->part[a].end && !e->part[a].begin));
    }
    return fits && shape_equal(both, x->shape) &&
           (e->kind != EDIT_MEAN || (e->axis >= 0 && e->axis < x->shape.rank));
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
                              "expected parts within its axes, and a tensor that broadcasts to "
                              "its shape; the names so far: %s",
                              tensor_describe(x), tape_names(tape));
        Tensor *y = replacement(x, &p->edit);
        y = ag_where(part_mask(tape, x->shape, &p->edit), y, x);
        if (!tensor_is_poison(y)) {
            tensor_set_name(y, "%s", x->name);
            *x->name = 0;
        }
        p->used = true;
        x = y;
    }
    return x;
}
