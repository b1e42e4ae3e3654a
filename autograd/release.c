/* release.c: memory that is used again within a step.
 *
 * The arena hands memory out and takes all of it back at the reset. What ends earlier goes to a
 * list of free memory, from which tape_numbers takes first: the gradient of an activation whose
 * node is done (gradients.c), and without gradients the results of a layer that the next layer no
 * longer reads (tape_release_since). Layers of one shape find what the layer before them released,
 * so that a run needs the memory of one layer, whatever the depth. */
#include "autograd/tape.h"

#include <string.h>

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

/* Must t stay: is it x, a tensor with a name, or the owner of the numbers of one of these? */
static bool stays(const Tape *tape, const Tensor *t, const Tensor *x)
{
    bool needed = t == x || t == x->base;
    for (int i = 0; i < tape->names && !needed; i++)
        needed = t == tape->named[i] || t == tape->named[i]->base;
    return needed;
}

/* Views have no memory of their own; without gradients, nothing reads what forward saved. */
void tape_release_since(Tape *tape, int mark, const Tensor *x)
{
    bool keeps = tensor_is_poison(x) || tape_is_watched();
    for (int i = mark; i < tape->tensors && !keeps; i++) {
        Tensor *t = pool_header(tape, i);
        const Node *n = t->node;
        if (!n || !t->data || stays(tape, t, x))
            continue;
        GRADUS_INVARIANT(!t->needs_grad);
        tape_release_numbers(tape, t->data, tensor_size(t));
        if (n->saved)
            tape_release_numbers(tape, n->saved, n->op->saved(n));
        t->data = NULL;
    }
}
