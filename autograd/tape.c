/* tape.c: what one step makes, and who owns it.
 *
 * The tape owns every tensor, node and number of a step. Numbers come from an arena, which is reset
 * as a whole; tensor headers come from a pool (pool.c), which lives as long as the tape; the
 * gradients of activations come and go during backward (gradients.c), and without gradients so may
 * results (release.c). Nodes stand in the order of execution: an operand's node is before the node
 * that uses it. */
#include "autograd/tape.h"

#include "tensor/strided_rows.h"
#include "tensor/threads/parallel.h"

#include <math.h>
#include <stdarg.h>

/* ---- the watcher ----------------------------------------------------------------------------- */

/* One for the process, NULL for none; set before threads start. plot/tape/trace.c is one. */
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

/* ---- from tape_new to tape_free -------------------------------------------------------------- */

/* The tape and what it keeps for the library, in one block. */
typedef struct {
    Tape tape;
    struct TapeInside inside;
} TapeBlock;

/* Zeros are the right start of every member but the pool and the seed. */
Tape *tape_new(uint64_t seed)
{
    TapeBlock *block = mem_zeroed(sizeof *block);
    TensorPool *pool = block ? pool_new() : NULL;
    if (!pool) {
        mem_free(block);
        return NULL;
    }
    block->inside.pool = pool;
    block->tape.inside = &block->inside;
    block->tape.seed = seed;
    return &block->tape;
}

void tape_free(Tape *tape)
{
    if (!tape)
        return;
    tape_tell(TAPE_OVER, tape, NULL);
    backward_forget(tape);
    error_disown(tape);
    pool_free(tape->inside->pool);
    arena_free(&tape->inside->arena);
    mem_free(tape->inside->scratch);
    mem_free(tape->node);
    mem_free(tape->named);
    mem_free(tape);
}

/* What stays: the memory (arena, pool, scratch, lists), the settings, the seed and the count of
 * steps. What goes: all nodes, tensors, names, gradients, and the failure. */
void tape_reset(Tape *tape)
{
    if (!tape)
        return;
    tape_tell(TAPE_OVER, tape, NULL);
    backward_forget(tape);
    error_forget(tape);
    arena_reset(&tape->inside->arena);
    pool_reset(tape->inside->pool);
    tape->resets++;
    tape->bytes = 0;
    tape->inside->dropouts = 0;
    tape->inside->released = NULL;
    tape->inside->edits = NULL;
    tape->nodes = tape->names = tape->tensors = tape->inside->placed = 0;
    tape->failed = tape->backward_done = false;
    tape->inside->failure[0] = 0;
}

/* ---- errors ---------------------------------------------------------------------------------- */

Tensor *tape_fail(Tape *tape)
{
    if (tape) {
        error_belongs(tape, tape->failed ? NULL : tape->inside->failure, tape->on_error,
                      tape->on_error_context);
        tape->failed = true;
    }
    return tensor_poison();
}

bool tape_has_failed(Tape *tape, const char *function)
{
    if (!tape || !tape->failed)
        return false;
    if (!tensor_failed() && tape->inside->failure[0]) {
        tensor_fail("%s: the tape failed before: %s", function, tape->inside->failure);
        tape_fail(tape);
    }
    return true;
}

bool op_fail(const Node *n, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return tensor_fail("%s: %s", n->function, text);
}

bool tape_accepts(Tape *tape, Shape shape, const char *function)
{
    if (!tape)
        return tensor_fail("%s: the tape is NULL; expected one from tape_new", function);
    if (tape_has_failed(tape, function))
        return false;
    if (!shape_check(shape, function))
        tape_fail(tape);
    return !tape->failed;
}

bool tape_is_current(const Tensor *x, const char *function)
{
    if (tensor_is_current(x, function))
        return true;
    tape_fail(x->tape);
    return false;
}

/* x has the strides of t, of which it is the data or the gradient. Only where the sum of squares
 * is not finite is there something to look for. */
bool tape_all_finite(const Tensor *t, const real *x, int64_t *first, double *number)
{
    const int64_t count = x ? tensor_size(t) : 0;
    StridedElements e = strided_elements(t);
    *first = -1;
    if (tensor_is_contiguous(t) && isfinite(kernels->squares(x, count)))
        return true;
    for (int64_t i = 0; *first < 0 && i < count; i++, strided_elements_next(&e))
        if (!isfinite(x[e.at])) {
            *first = i;
            *number = (double)x[e.at];
        }
    return *first < 0;
}

/* ---- memory ---------------------------------------------------------------------------------- */

void *tape_memory(Tape *tape, size_t bytes)
{
    Arena *arena = &tape->inside->arena;
    size_t before = arena->used;
    void *memory = arena_alloc(arena, bytes);
    tape->bytes += arena->used - before;
    return memory;
}

/* Not zeroed: forward writes results, gradient_begin zeros gradients. Released memory is first. */
real *tape_numbers(Tape *tape, int64_t count)
{
    real *released = tape_take_released(tape, count);
    if (released)
        return released;
    if (count > PTRDIFF_MAX / (int64_t)sizeof(real)) {
        tensor_fail("tape: %lld numbers; expected fewer than memory can hold", (long long)count);
        return NULL;
    }
    return tape_memory(tape, (size_t)count * sizeof(real));
}

Tensor *tape_tensor(Tape *tape, Shape shape)
{
    Tensor *t = tape_header(tape, shape);
    if (t)
        t->data = tape_numbers(tape, shape_size(shape));
    return t && t->data ? t : NULL;
}

enum { SCRATCH_ALIGNMENT = 64 };

/* A larger block only serves more threads: where memory is out, the old one stays. */
bool tape_grow_scratch(Tape *tape)
{
    int threads = tensor_threads();
    if (kernels->scratch == 0 || tape->inside->scratch_parts >= threads)
        return true;
    size_t bytes = (size_t)threads * KERNEL_SCRATCH_BYTES + SCRATCH_ALIGNMENT - 1;
    void *scratch = tape->inside->scratch ? mem_try(bytes) : mem_alloc(bytes);
    if (!scratch)
        return tape->inside->scratch != NULL;
    mem_free(tape->inside->scratch);
    tape->inside->scratch = scratch;
    tape->inside->scratch_parts = threads;
    return true;
}

/* The first multiple of 64 in the block; the block is large enough for that. */
KernelScratch tape_scratch(const Tape *tape)
{
    unsigned char *start = tape->inside->scratch;
    size_t over = (uintptr_t)start % SCRATCH_ALIGNMENT;
    return (KernelScratch){over ? start + SCRATCH_ALIGNMENT - over : start,
                           tape->inside->scratch_parts};
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Is the node that computed x, or x's base, on the tape already? For the tape's invariant. */
static bool was_recorded(const Tape *tape, const Tensor *x)
{
    const Node *node = x->base ? x->base->node : x->node;
    for (int i = tape->nodes - 1; node && i >= 0; i--)
        if (tape->node[i] == node)
            return true;
    return !node;
}

/* The invariant: each operand's node was recorded before. backward.c relies on it. */
bool tape_record(Tape *tape, Node *node)
{
    for (int i = 0; i < node->inputs; i++)
        GRADUS_INVARIANT(!node->in[i] || was_recorded(tape, node->in[i]));
    Node **list = mem_list(tape->node, tape->nodes, &tape->inside->node_capacity);
    if (!list)
        return false;
    tape->node = list;
    tape->node[tape->nodes++] = node;
    tape_tell(TAPE_COMPUTED, tape, node);
    return true;
}

static void place_tensor(Tensor *t, const char *function, const char *file, int line)
{
    t->function = function;
    t->file = file;
    t->line = line;
}

/* Stamps the results that the public function computed, which are those since the last stamp, with
 * the source location of its call. Nodes that an inner call made (ag_linear in nn_linear) get that
 * of the outermost call, which is the program's own line. */
void ag_place(const Tensor *t, const char *function, const char *file, int line)
{
    Tape *tape = t && t->tape && t->step == t->tape->resets ? t->tape : NULL;
    for (; tape && tape->inside->placed < tape->nodes; tape->inside->placed++)
        place_tensor(tape->node[tape->inside->placed]->out, function, file, line);
    if (tape && !t->file) /* an input, or a view */
        place_tensor((Tensor *)(uintptr_t)t, function, file, line);
    if (tensor_is_poison(t))
        tensor_place(function, file, line);
}
