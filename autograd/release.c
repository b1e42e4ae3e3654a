/* release.c: memory that is used again within a step.
 *
 * The arena hands memory out and takes all of it back at the reset. What ends earlier goes to a
 * list of free memory, from which tape_numbers takes first: the gradient of an activation whose
 * node is done (gradients.c), and without gradients the results of a layer that the next layer no
 * longer reads (tape_release_since). Layers of one shape find what the layer before them released,
 * so that a run needs the memory of one layer, whatever the depth. */
#include "autograd/tape.h"

#include <string.h>

/* ---- the list of free memory ----------------------------------------------------------------- */

/* Stands at the beginning of the free memory itself. */
struct ReleasedNumbers {
    ReleasedNumbers *next;
    int64_t count; /* numbers that fit */
};

/* Less memory than this cannot become a ReleasedNumbers. */
enum { LEAST = sizeof(ReleasedNumbers) / sizeof(real) };

/* Is this memory in the list? For an invariant. */
static bool is_free(const Tape *tape, const real *numbers)
{
    for (const ReleasedNumbers *f = tape->inside->released; f; f = f->next)
        if ((const real *)(const void *)f == numbers)
            return true;
    return false;
}

void tape_release_numbers(Tape *tape, real *numbers, int64_t count)
{
    if (count < LEAST)
        return;
    GRADUS_INVARIANT(!is_free(tape, numbers));
#ifdef GRADUS_DEBUG
    memset(numbers, 0xFF, (size_t)count * sizeof *numbers); /* NaN, as the arena's free memory */
#endif
    ReleasedNumbers *f = (ReleasedNumbers *)(void *)numbers;
    f->count = count;
    f->next = tape->inside->released;
    tape->inside->released = f;
}

/* The smallest memory that holds `count` numbers and at most twice as many. */
real *tape_take_released(Tape *tape, int64_t count)
{
    ReleasedNumbers **best = NULL;
    for (ReleasedNumbers **f = &tape->inside->released; *f; f = &(*f)->next)
        if ((*f)->count >= count && (*f)->count <= 2 * count &&
            (!best || (*f)->count < (*best)->count))
            best = f;
    if (!best)
        return NULL;
    ReleasedNumbers *found = *best;
    *best = found->next;
    return (real *)found;
}

/* ---- the results of a layer ------------------------------------------------------------------ */

int tape_mark(const Tape *tape)
{
    if (!tape)
        tensor_fail("tape_mark: the tape is NULL; expected one from tape_new");
    return tape ? pool_used(tape) : 0;
}

/* Must t stay: is it x, a tensor with a name, or the owner of the numbers of one of these? */
static bool stays(const Tape *tape, const Tensor *t, const Tensor *x)
{
    bool needed = t == x || t == x->base;
    for (int i = 0; i < tape->names && !needed; i++)
        needed = t == tape->named[i] || t == tape->named[i]->base;
    return needed;
}

/* Can all results since the mark be released, for what is to stay? */
static bool releasable(Tape *tape, int mark, const Tensor *x)
{
    const char *const function = "tape_release_since";
    if (!x)
        return tensor_fail("%s: x is NULL; expected the tensor that stays", function);
    if (!tape_is_current(x, function))
        return false;
    if (x->tape != tape)
        return tensor_fail("%s: x, %s, is not on this tape; expected a tensor on it", function,
                           tensor_describe(x));
    if (mark < 0 || mark > pool_used(tape))
        return tensor_fail("%s: the mark is %d; expected one of tape_mark in this step, 0 to %d",
                           function, mark, pool_used(tape));
    for (int i = mark; i < pool_used(tape); i++)
        if (pool_header(tape, i)->node && pool_header(tape, i)->needs_grad)
            return tensor_fail("%s: %s needs a gradient; expected tape->no_grad since the mark",
                               function, tensor_describe(pool_header(tape, i)));
    return true;
}

/* Nothing reads what forward keeps for backward. */
static void release_result(Tape *tape, Tensor *t)
{
    const Node *n = t->node;
    tape_release_numbers(tape, t->data, tensor_size(t));
    if (n->saved)
        tape_release_numbers(tape, n->saved, n->op->saved(n));
    t->released = true;
}

/* A view is released with its base, which has the memory. Its header records that. */
bool tape_release_since(Tape *tape, int mark, Tensor *x)
{
    if (!tape_accepts(tape, shape0(), "tape_release_since") || (x && tensor_is_poison(x)))
        return false;
    if (!releasable(tape, mark, x)) {
        tape->failed = true;
        return false;
    }
    bool kept = tape_is_watched() || tape->inside->reuse; /* someone else reads them */
    for (int i = mark; i < pool_used(tape) && !kept; i++) {
        Tensor *t = pool_header(tape, i);
        if (t->released || stays(tape, t, x))
            continue;
        if (t->node)
            release_result(tape, t);
        else
            t->released = t->base && t->base->released;
    }
    return true;
}
