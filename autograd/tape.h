/* tape.h: what the files of autograd share (internal).
 *
 * A function that works for one public function takes that function's name as `function`, with
 * which its error begins. NULL or poison is returned only after an error was recorded, here or
 * before. Nothing in this header is installed. */
#ifndef GRADUS_TAPE_H
#define GRADUS_TAPE_H

#include "autograd/inspect.h"
#include "tensor/error.h"
#include "tensor/invariant.h"
#include "tensor/kernels/kernels.h"
#include "tensor/memory.h"

/* ---- what a tape keeps for the library ------------------------------------------------------- */

typedef struct TensorPool TensorPool;
typedef struct ReleasedNumbers ReleasedNumbers;
typedef struct PendingEdit PendingEdit;

struct TapeInside {
    Arena arena; /* nodes, numbers and ids of this step */
    TensorPool *pool;
    ReleasedNumbers *released; /* memory of this step that was released: gradients, results */
    void *scratch;             /* memory that kernels work in */
    int scratch_parts;
    int node_capacity, name_capacity;
    int placed;        /* nodes that have the source location of their call */
    uint64_t dropouts; /* in this step */
    /* In backward, bit i: the gradient of the present node's operand i is uninitialised memory. */
    unsigned unwritten;
    PendingEdit *edits;       /* of this step, in order */
    char failure[ERROR_TEXT]; /* the first failure of this step; "" while there is none */
};

/* What an op of the library states beside its mathematics. */
struct OpInside {
    /* Bit i: the gradient of operand i may be uninitialised memory, which backward then writes
     * instead of adding to zeros. */
    unsigned writes;
    bool scratch; /* its kernels need memory to work in */
};

/* ---- errors ------------------------------------------------------------------------ tape.c -- */

/* Marks the tape, which may be NULL, as failed. Returns the poison tensor. */
Tensor *tape_fail(Tape *tape);
/* Has the tape, which may be NULL, failed in this step? If so, and if its failure was forgotten, it
 * is recorded again: "function: the tape failed before: ...". */
bool tape_has_failed(Tape *tape, const char *function);
/* Did the thread's last backward fail, so that its gradients are missing? False again after one
 * that succeeds, and after a reset of the tape that failed. backward.c */
bool backward_failed(void);
/* The tape is being reset or released: a backward that failed on it is over. */
void backward_forget(const Tape *tape);
/* tape_fail after tensor_fail with the message that follows the tape. */
#define tape_error(tape, ...) (tensor_fail(__VA_ARGS__), tape_fail(tape))
/* tensor_fail with the message after "function: ", the public function that computes the node. For
 * the shape rules of the library's ops. Always false. */
bool op_fail(const Node *n, const char *format, ...) GRADUS_PRINTF(2, 3);

/* Can a tensor of this shape be put on the tape? False, with an error that begins with `function`,
 * where the tape or the shape is bad; false without one where the tape has failed already. */
bool tape_accepts(Tape *tape, Shape shape, const char *function);
/* Is x of this step of its tape? Otherwise the tape fails, with an error that names x. */
bool tape_is_current(const Tensor *x, const char *function);
/* Is x on a tape that has not failed, and of its step? False, with an error or after one, else. */
bool tape_has(Tensor *x, const char *function);
/* Are t's numbers in x (its data or its grad; NULL: none) finite? Otherwise: the index and the
 * value of the first that is not. */
bool tape_all_finite(const Tensor *t, const real *x, int64_t *first, double *number);

/* ---- operands ------------------------------------------------------------------ operands.c -- */

/* The operands' tape. NULL, with an error or after one, where there are none, one is missing or
 * poison, they are on two tapes or on none, one is of an earlier step, or the tape has failed. */
Tape *operands_tape(const char *function, const Op *op, Tensor *const *in, int inputs);
/* Do the operands of n hold what its op wants, numbers or ids? Views that are not contiguous are
 * replaced by copies, unless the op takes strides. */
bool operands_prepare(Tape *tape, const Node *n);

/* ---- memory of one step ---------------------------------------------------- tape.c, pool.c -- */

/* How many resets pass before the memory of a tensor's header is used again, in steps of few
 * tensors: pool.c. tape_reset's contract has the number, too. */
enum { TAPE_GENERATIONS = 13 };

/* A contiguous tensor header of this step without numbers; NULL when memory is out. */
Tensor *tape_header(Tape *tape, Shape shape);
/* The i-th header of this step, of tape->tensors. */
Tensor *pool_header(const Tape *tape, int i);
TensorPool *pool_new(void);
void pool_free(TensorPool *pool);
/* The headers of the step are free again; those of the oldest steps are used next. */
void pool_reset(TensorPool *pool);

/* Bytes that live until the reset, with arbitrary content; NULL, with an error, when memory is
 * out. */
void *tape_memory(Tape *tape, size_t bytes);
/* `count` numbers that live until the reset, not zeroed; NULL when memory is out. */
real *tape_numbers(Tape *tape, int64_t count);
/* A header of this step with memory for its numbers; NULL when memory is out. */
Tensor *tape_tensor(Tape *tape, Shape shape);

/* ---- memory that is used again within a step ------------------------------------ release.c -- */

/* Puts memory of tape_numbers(tape, count) into the step's list of free memory. */
void tape_release_numbers(Tape *tape, real *numbers, int64_t count);
/* Memory for `count` numbers from that list; NULL where none fits. */
real *tape_take_released(Tape *tape, int64_t count);

/* Without gradients, lets a model of many layers run in the memory of one: gives the results of ops
 * since there were `mark` headers (tape->tensors) to the list, once the next layer has x, its
 * input. What stays: x, tensors with a name, the owners of their numbers; everything while a
 * watcher looks, or where x is poison. The caller has let no pointer to another result escape:
 * their data is NULL afterwards. */
void tape_release_since(Tape *tape, int mark, const Tensor *x);

/* Makes the memory that kernels work in, a part for each thread, which the tape keeps until
 * tape_free. Called before the first op with OpInside.scratch. False when memory is out. */
bool tape_grow_scratch(Tape *tape);
/* That memory. Where it could not grow with the number of threads, fewer threads compute. */
KernelScratch tape_scratch(const Tape *tape);

/* ---- nodes ---------------------------------------------------------------- apply.c, tape.c -- */

/* Computes an op as ag_apply does, for the public function of that name. */
Tensor *apply_as(const char *function, const Op *op, Tensor *const *in, int inputs,
                 const void *attrs, size_t attrs_size);
/* The same for the public function that contains the call. */
#define op_apply(op, ...) apply_as(__func__, op, __VA_ARGS__)

/* Appends a node that was computed, after its operands' nodes, and tells the watcher. False when
 * memory is out. */
bool tape_record(Tape *tape, Node *node);
/* Tells the watcher, if there is one. */
void tape_tell(TapeEvent event, Tape *tape, const Node *node);
/* Is there a watcher? Then gradients share no memory, so that it sees each by itself. */
bool tape_is_watched(void);

/* ---- names and edits --------------------------------------------------- names.c, edit.c -- */

/* The names of this step, as errors list them; the text lives until the next call. */
const char *tape_names(const Tape *tape);
/* Do modules name all that they compute: for a watcher, for keep_names, or for edits? */
bool tape_names_all(const Tape *tape);
/* x, which was just named, or what this step's edits replace it with, which has the name then. */
Tensor *tape_edited(Tensor *x);

/* ---- gradients ---------------------------------------------------------------- gradients.c -- */

/* Gives t a gradient of zeros to add to, unless it has one; a view gets its part of its base's.
 * False when memory is out. */
bool gradient_begin(Tape *tape, Tensor *t);
/* Around an op's backward: gives the node's operands gradients to add to, and releases the
 * result's. The watcher is told after the one and before the other. False when memory is out. */
bool gradients_prepare(Tape *tape, Node *n);
void gradients_release(Tape *tape, Node *n);
/* In between: is nothing left to do for the op's backward? */
bool gradients_done(Node *n);
/* After backward: a view's gradient is its part of its base's, or NULL if the base has none. The
 * watcher is told. */
void gradients_finish(Tape *tape);

/* ---- heads ---------------------------------------------------------- attention_composed.c -- */

/* Repeats each of the G heads of k (B, G, S, d) H / G times, in order: (B, H, S, d). Any other
 * shape is returned unchanged; the caller checks it. */
Tensor *tape_repeat_heads(Tape *tape, Tensor *k, int64_t heads);
/* ag_attention_composed with another scale of q k^T, and a bias that is added to the scores, or
 * NULL. */
Tensor *tape_attention(Tensor *q, Tensor *k, Tensor *v, Tensor *bias, double scale, Mask mask,
                       double dropout, const char *name);

#endif
