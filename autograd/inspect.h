/* inspect.h: looking into a step while it is computed, and computing it with a part replaced.
 *
 * autograd.h suffices for models and training, and gradus.h does not include this file. */
#ifndef GRADUS_INSPECT_H
#define GRADUS_INSPECT_H

#include "autograd/autograd.h"

GRADUS_BEGIN

/* ---- events ------------------------------------------------------------------------ tape.c -- */

/* The events of a tape: TAPE_COMPUTED, an op was computed. TAPE_BACKWARD_BEGINS, backward is about
 * to compute the gradients of the node's operands; the gradient of its result is complete.
 * TAPE_BACKWARD_DONE, it has computed them. TAPE_OVER, with node NULL: backward over the whole tape
 * is done, or the tape is being reset or released. */
typedef enum { TAPE_COMPUTED, TAPE_BACKWARD_BEGINS, TAPE_BACKWARD_DONE, TAPE_OVER } TapeEvent;
typedef void (*TapeWatcher)(TapeEvent event, Tape *tape, const Node *node);
/* Calls `watcher` at every event of every tape in this process; NULL ends that. The watcher may
 * read, and may set the first group of the tape's members; it computes nothing on the tape. While
 * one is set, the modules of nn name what they compute (nn.h). */
GRADUS_API void tape_on_event(TapeWatcher watcher);

/* ---- edits ------------------------------------------------------------------------- edit.c -- */

/* An edit replaces a result before any op uses it, so that the rest is computed from something
 * else.
 *   EDIT_ZERO   0
 *   EDIT_MEAN   the mean along `axis`: 0 over the batch, 1 over the positions of (B, T, C)
 *   EDIT_SCALE  `factor` times the result
 *   EDIT_ADD    the result plus `with`, which broadcasts to its shape
 *   EDIT_PATCH  `with`: usually the same tensor of another tape (activation patching)
 * `part` restricts it: along axis i to the indices begin to end - 1; {0, 0}: all. Axes are those of
 * the tensor: (B, T, C) has position 1 and channel 2; q, k, v and heads (B, H, T, d) have head 1,
 * position 2, channel 3; scores and A (B, H, T, S) have head 1, query 2, key 3. */
typedef enum { EDIT_ZERO, EDIT_MEAN, EDIT_SCALE, EDIT_ADD, EDIT_PATCH } EditKind;
typedef struct {
    EditKind kind;
    struct {
        int64_t begin, end;
    } part[TENSOR_MAX_RANK];
    int axis;           /* of EDIT_MEAN                                              */
    double factor;      /* of EDIT_SCALE                                             */
    const Tensor *with; /* of EDIT_ADD and EDIT_PATCH: its numbers are copied at once */
} Edit;
/* Edits, in this step, the tensor that will get this name: call it after tape_reset and before the
 * forward pass. The name then means the replacement, and backward gives the derivatives of what was
 * computed. ag_name returns the replacement; modules of nn continue with it, and name what they
 * compute (nn.h) while the step has an edit, and compute attention by single ops. Several edits of
 * one name are applied in order. False after an error: a NULL or bad name, a member that the kind
 * does not read or lacks, or, when the tensor gets its name, one that does not fit its shape; the
 * message lists the names. */
GRADUS_API bool tape_edit(Tape *tape, const char *name, Edit edit);
/* Has every edit of this step found its tensor? Otherwise an error that lists the names there are.
 * Call it after a forward pass; backward calls it. */
GRADUS_API bool tape_edits_used(Tape *tape);

GRADUS_END

#include "placed/inspect.h" /* macros: an error names the program's line */
#endif
