/* tape.c: what one step makes, and who owns it.
 *
 * The tape owns every tensor, node and number of a step. Numbers come from an arena that is reset as a
 * whole; tensor headers come from a pool that lives as long as the tape, in two halves used in turn, so
 * that the header of the step before is still there to be recognised when a program uses it by mistake.
 * Gradients of activations come and go during backward: a free list hands them on. */
#include "autograd/tape.h"

#include "tensor/kernels/strided.h"
#include "tensor/memory.h"
#include "tensor/threads/parallel.h"

#include <stdarg.h>
#include <string.h>

enum { POOL_BLOCK = 64 };

typedef struct {
    Tensor half[2][POOL_BLOCK];
} PoolBlock;

struct TensorPool {
    PoolBlock **block;
    int blocks, capacity;
    int used; /* headers taken of all blocks together */
};

/* A gradient's memory that waits for its next use. It lies in the memory itself. */
struct FreeGrad {
    FreeGrad *next;
    int64_t count; /* numbers that fit */
};

/* ---- who watches ------------------------------------------------------------------------------------ */

static TapeWatcher watcher;

void tape_on_event(TapeWatcher f)
{
    watcher = f;
}

void tape_tell(TapeEvent event, Tape *tape, const Node *node)
{
    if (watcher)
        watcher(event, tape, node);
}

bool tape_is_watched(void)
{
    return watcher != NULL;
}

/* ---- life ------------------------------------------------------------------------------------------ */

Tape *tape_new(uint64_t seed)
{
    Tape *tape = mem_zeroed(sizeof *tape + sizeof *tape->pool);
    if (!tape)
        return NULL;
    tape->pool = (TensorPool *)(tape + 1);
    tape->seed = seed;
    return tape;
}

void tape_free(Tape *tape)
{
    if (!tape)
        return;
    tape_tell(TAPE_OVER, tape, NULL);
    for (int i = 0; i < tape->pool->blocks; i++)
        mem_free(tape->pool->block[i]);
    mem_free(tape->pool->block);
    arena_free(&tape->arena);
    mem_free(tape->scratch);
    mem_free(tape->node);
    mem_free(tape->named);
    mem_free(tape);
}

void tape_reset(Tape *tape)
{
    if (!tape)
        return;
    tape_tell(TAPE_OVER, tape, NULL);
    tensor_clear_error();
    arena_reset(&tape->arena);
    tape->step++;
    tape->pool->used = 0;
    tape->free_grads = NULL;
    tape->nodes = tape->names = tape->placed = 0;
    tape->dropouts = 0;
    tape->failed = tape->backward_done = false;
}

/* ---- pieces ------------------------------------------------------------------------------------------ */

Tensor *tape_fail(Tape *tape)
{
    if (tape)
        tape->failed = true;
    return tensor_poison();
}

Tensor *tape_error(Tape *tape, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tensor_fail("%s", text);
    return tape_fail(tape);
}

/* The i-th header of this step. */
static Tensor *pool_header(const Tape *tape, int i)
{
    return &tape->pool->block[i / POOL_BLOCK]->half[tape->step % 2][i % POOL_BLOCK];
}

Tensor *tape_header(Tape *tape, Shape shape)
{
    TensorPool *pool = tape->pool;
    if (pool->used == pool->blocks * POOL_BLOCK) {
        PoolBlock **list = mem_list(pool->block, pool->blocks, &pool->capacity);
        pool->block = list ? list : pool->block;
        PoolBlock *block = list ? mem_zeroed(sizeof *block) : NULL;
        if (!block)
            return NULL;
        pool->block[pool->blocks++] = block;
    }
    Tensor *t = pool_header(tape, pool->used++);
    memset(t, 0, sizeof *t);
    tensor_set_contiguous(t, shape);
    t->tape = tape;
    t->step = tape->step;
    return t;
}

real *tape_numbers(Tape *tape, int64_t count)
{
    int64_t bytes;
    if (!tensor_checked_mul(count, sizeof(real), &bytes)) {
        tensor_fail("tape: %lld numbers are more than memory can hold", (long long)count);
        return NULL;
    }
    return arena_alloc(&tape->arena, (size_t)bytes);
}

enum { SCRATCH_ALIGNMENT = 64 };

bool tape_grow_scratch(Tape *tape)
{
    int threads = tensor_threads();
    if (kernels->scratch == 0 || tape->scratch_parts >= threads)
        return true;
    size_t bytes = (size_t)threads * KERNEL_SCRATCH_BYTES + SCRATCH_ALIGNMENT - 1;
    void *scratch = tape->scratch ? mem_try(bytes) : mem_alloc(bytes);
    if (!scratch)
        return tape->scratch != NULL;
    mem_free(tape->scratch);
    tape->scratch = scratch;
    tape->scratch_parts = threads;
    return true;
}

KernelScratch tape_scratch(const Tape *tape)
{
    unsigned char *start = tape->scratch;
    size_t over = (uintptr_t)start % SCRATCH_ALIGNMENT;
    return (KernelScratch){over ? start + SCRATCH_ALIGNMENT - over : start, tape->scratch_parts};
}

Tensor *tape_tensor(Tape *tape, Shape shape)
{
    Tensor *t = tape_header(tape, shape);
    if (t)
        t->data = tape_numbers(tape, shape_size(shape));
    return t && t->data ? t : NULL;
}

bool tape_record(Tape *tape, Node *node)
{
    Node **list = mem_list(tape->node, tape->nodes, &tape->node_capacity);
    if (!list)
        return false;
    tape->node = list;
    tape->node[tape->nodes++] = node;
    return true;
}

/* ---- gradients of activations --------------------------------------------------------------------------- */

/* The smallest free piece that holds `count` and is not more than twice as large. */
static real *reuse(Tape *tape, int64_t count)
{
    FreeGrad **best = NULL;
    for (FreeGrad **f = &tape->free_grads; *f; f = &(*f)->next)
        if ((*f)->count >= count && (*f)->count <= 2 * count &&
            (!best || (*f)->count < (*best)->count))
            best = f;
    if (!best)
        return NULL;
    FreeGrad *found = *best;
    *best = found->next;
    return (real *)found;
}

/* Numbers in the memory of t's gradient: enough for the FreeGrad that it becomes. */
static int64_t grad_count(const Tensor *t)
{
    const int64_t least = sizeof(FreeGrad) / sizeof(real);
    return tensor_size(t) > least ? tensor_size(t) : least;
}

bool tape_give_grad(Tape *tape, Tensor *t, bool *fresh)
{
    if (t->base) {
        if (!tape_give_grad(tape, t->base, NULL))
            return false;
        t->grad = t->base->grad ? t->base->grad + t->offset : NULL;
        return true;
    }
    /* A weight brings its own; one that was frozen since it was used has none. */
    if (t->grad || t->tape != tape)
        return true;
    t->grad = reuse(tape, grad_count(t));
    if (!t->grad)
        t->grad = tape_numbers(tape, grad_count(t));
    if (!t->grad)
        return false;
    if (fresh)
        *fresh = true;
    else
        parallel_zero(t->grad, tensor_size(t));
    return true;
}

void tape_take_grad(Tape *tape, Tensor *t)
{
    if (!t->grad || t->keep_grad)
        return;
    FreeGrad *f = (FreeGrad *)(void *)t->grad;
    f->count = grad_count(t);
    f->next = tape->free_grads;
    tape->free_grads = f;
    t->grad = NULL;
}

void tape_settle_views(Tape *tape)
{
    for (int i = 0; i < tape->pool->used; i++) {
        Tensor *t = pool_header(tape, i);
        if (t->base)
            t->grad = t->needs_grad && t->base->grad ? t->base->grad + t->offset : NULL;
    }
}

/* ---- names --------------------------------------------------------------------------------------------------- */

static Tensor *named(const Tape *tape, const char *name)
{
    for (int i = 0; i < tape->names; i++)
        if (strcmp(tape->named[i]->name, name) == 0)
            return tape->named[i];
    return NULL;
}

Tensor *ag_keep(Tensor *t)
{
    if (tensor_is_poison(t))
        return tensor_poison();
    t->keep_grad = true;
    if (t->base && t->base->tape) /* a weight keeps its own, and other threads may read it */
        t->base->keep_grad = true;
    return t;
}

Tensor *ag_name(Tensor *t, const char *format, ...)
{
    if (tensor_is_poison(t))
        return tensor_poison();
    Tape *tape = t->tape;
    if (!tape)
        return tape_error(tape, "ag_name: %s is on no tape; begin with tape_param",
                          tensor_describe(t));
    if (!tape_fresh(t, "ag_name"))
        return tensor_poison();
    Tensor **list = mem_list(tape->named, tape->names, &tape->name_capacity);
    if (!list)
        return tape_fail(tape);
    tape->named = list;

    char wanted[TENSOR_NAME_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(wanted, sizeof wanted, format, args);
    va_end(args);
    char unique[TENSOR_NAME_MAX + 16];
    snprintf(unique, sizeof unique, "%s", wanted);
    for (int k = 2; named(tape, unique) && named(tape, unique) != t; k++)
        snprintf(unique, sizeof unique, "%.*s#%d", TENSOR_NAME_MAX - 8, wanted, k);
    bool listed = *t->name && named(tape, t->name) == t;
    tensor_set_name(t, "%s", unique);
    if (!listed)
        tape->named[tape->names++] = t;
    return ag_keep(t);
}

Tensor *tape_find(Tape *tape, const char *name)
{
    name = name ? name : "";
    Tensor *t = tape ? named(tape, name) : NULL;
    if (t)
        return t;
    if (!tape_accepts(tape, shape0(), "tape_find"))
        return tensor_poison();
    char known[512] = "nothing";
    size_t used = 0;
    for (int i = 0; i < tape->names && used + TENSOR_NAME_MAX + 4 < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                 tape->named[i]->name);
    return tape_error(tape, "tape_find: no tensor is named '%s' in this step; there is %s", name,
                      known);
}

/* ---- checks ---------------------------------------------------------------------------------------------------- */

bool tape_accepts(Tape *tape, Shape shape, const char *who)
{
    if (!tape)
        return tensor_fail("%s: the tape is NULL; tape_new failed or was not called", who);
    if (tape->failed)
        return false;
    if (!shape_check(shape, who))
        tape->failed = true;
    return !tape->failed;
}

bool tape_fresh(const Tensor *x, const char *who)
{
    if (!x->tape || x->step == x->tape->step)
        return true;
    x->tape->failed = true;
    return tensor_fail(
        "%s: %s was made in step %llu of its tape, which is at step %llu; tape_reset "
        "took its numbers (tensor_clone keeps a copy)",
        who, tensor_describe(x), (unsigned long long)x->step, (unsigned long long)x->tape->step);
}

bool tape_all_finite(const Tensor *t, const real *x, int64_t *first, double *number)
{
    *first = x ? strided_first_non_finite(strided_rows(t->shape, 1, &t), x, number) : -1;
    return *first < 0;
}

void ag_place(const Tensor *t, const char *function, const char *file, int line)
{
    Tape *tape = t && t->tape && t->step == t->tape->step ? t->tape : NULL;
    for (; tape && tape->placed < tape->nodes; tape->placed++) {
        tape->node[tape->placed]->file = file;
        tape->node[tape->placed]->line = line;
    }
    tensor_place(function, file, line);
}
