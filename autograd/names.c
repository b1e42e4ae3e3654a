/* names.c: tensors that a program finds again by a name, and gradients that it keeps.
 *
 * Names belong to one step. An edit (edit.c) is applied where its tensor gets its name. A module
 * that is called twice gives the same name twice; the second tensor then gets "name#2", so that
 * each name means one tensor. */
#include "autograd/tape.h"

#include <stdarg.h>
#include <string.h>

/* The tensor of this step with that name, or NULL. A step has few names, so a list is searched. */
static Tensor *named(const Tape *tape, const char *name)
{
    for (int i = 0; i < tape->names; i++)
        if (strcmp(tape->named[i]->name, name) == 0)
            return tape->named[i];
    return NULL;
}

/* A view's gradient is part of its base's, which must then stay, too. */
static Tensor *keep(Tensor *t)
{
    t->keep_grad = true;
    if (t->base && t->base->tape) /* a weight keeps its own, and other threads may read it */
        t->base->keep_grad = true;
    return t;
}

/* Unlike ag_name it does not list the tensor: for those to which the program has a pointer. */
Tensor *ag_keep(Tensor *t)
{
    if (!t)
        tensor_fail("ag_keep: t is NULL; expected a tensor");
    return tensor_is_poison(t) || !tape_is_current(t, "ag_keep") ? tensor_poison() : keep(t);
}

/* Writes `wanted`, or wanted#2, wanted#3, ..., the first that no other tensor of the step has. */
static void unique_name(const Tape *tape, const Tensor *t, const char *wanted, char *unique,
                        size_t size)
{
    snprintf(unique, size, "%s", wanted);
    for (int k = 2; named(tape, unique) && named(tape, unique) != t; k++)
        snprintf(unique, size, "%.*s#%d", TENSOR_NAME_MAX - 8, wanted, k);
}

/* A tensor that has a name already gets the new one and stays in the list once. A longer name is
 * refused: tape_find would not find a cut one. */
Tensor *ag_name(Tensor *t, const char *format, ...)
{
    if (!tape_has(t, "ag_name"))
        return tensor_poison();
    Tape *tape = t->tape;
    char wanted[TENSOR_NAME_MAX], unique[TENSOR_NAME_MAX + 16];
    va_list args;
    va_start(args, format);
    int length = format ? vsnprintf(wanted, sizeof wanted, format, args) : 0;
    va_end(args);
    if (length <= 0 || length >= TENSOR_NAME_MAX)
        return tape_error(tape, "ag_name: the name has %d characters; expected 1 to %d", length,
                          TENSOR_NAME_MAX - 1);

    Tensor **list = mem_list(tape->named, tape->names, &tape->inside->name_capacity);
    if (!list)
        return tape_fail(tape);
    tape->named = list;
    unique_name(tape, t, wanted, unique, sizeof unique);
    int slot = 0;
    while (slot < tape->names && tape->named[slot] != t)
        slot++;
    bool listed = slot < tape->names, again = listed && strcmp(t->name, unique) == 0;
    tensor_set_name(t, "%s", unique);
    tape->named[slot] = keep(t);
    tape->names += !listed;
    t = again ? t : tape_edited(t);
    if (!tensor_is_poison(t))
        tape->named[slot] = keep(t);
    return t;
}

const char *tape_names(const Tape *tape)
{
    static _Thread_local char known[512];
    size_t used = 0;
    snprintf(known, sizeof known, "none");
    for (int i = 0; i < tape->names && used + TENSOR_NAME_MAX + 4 < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                 tape->named[i]->name);
    return known;
}

/* An unknown name is an error that lists the names there are, because a layer that is spelt
 * differently is the usual mistake. */
Tensor *tape_find(Tape *tape, const char *name)
{
    Tensor *t = tape && name ? named(tape, name) : NULL;
    if (t)
        return t;
    if (!tape_accepts(tape, shape0(), "tape_find"))
        return tensor_poison();
    if (!name)
        return tape_error(tape, "tape_find: the name is NULL; expected a name");
    return tape_error(tape, "tape_find: the name is '%.*s'; expected one of this step's names: %s",
                      TENSOR_NAME_MAX, name, tape_names(tape));
}
