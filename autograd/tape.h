/* tape.h: what the files of this room need of the tape (internal). */
#ifndef GRADUS_TAPE_H
#define GRADUS_TAPE_H

#include "autograd/autograd.h"
#include "tensor/kernels/kernels.h"

/* Records that the step failed and returns the poison tensor. tape may be NULL. */
Tensor *tape_fail(Tape *tape);
/* The same after an error of its own: tensor_fail's. */
Tensor *tape_error(Tape *tape, const char *format, ...) GRADUS_PRINTF(2, 3);

/* A new tensor header of this step, contiguous, without memory; NULL when memory is out. */
Tensor *tape_header(Tape *tape, Shape shape);
/* `count` numbers that live until the reset, not zeroed; NULL when memory is out. */
real *tape_numbers(Tape *tape, int64_t count);
/* Both: a new tensor of this step with room for its numbers. */
Tensor *tape_tensor(Tape *tape, Shape shape);
bool tape_record(Tape *tape, Node *node);

/* Tells the watcher, if there is one. */
void tape_tell(TapeEvent event, Tape *tape, const Node *node);
bool tape_is_watched(void);

/* Memory for kernels to work in, a part for each thread, kept until tape_free. Makes it before the first op
 * that needs it (Op.scratch); false when memory is out. */
bool tape_grow_scratch(Tape *tape);
/* What there is. Where it could not grow with the number of threads, fewer of them compute. */
KernelScratch tape_scratch(const Tape *tape);

/* Gives t a gradient to add to, if it has none yet; a view gets its base's. It is zeroed, unless that is not asked
 * for and nobody else could have a part in it: then it is junk, and *fresh true. fresh may be NULL. */
bool tape_give_grad(Tape *tape, Tensor *t, bool *fresh);
/* Takes it back, for the next tensor that needs one. */
void tape_take_grad(Tape *tape, Tensor *t);
/* After backward: a view's gradient is its base's, or gone with it. */
void tape_settle_views(Tape *tape);

/* k (B, G, S, d) with each of its heads H / G times, one after another: (B, H, S, d). Anything else as it is: the
 * caller checks. */
Tensor *tape_repeat_heads(Tape *tape, Tensor *k, int64_t heads);

/* Can a tensor of this shape be put on the tape? */
bool tape_accepts(Tape *tape, Shape shape, const char *who);

/* Is x of this step of its tape? Otherwise the step fails, with an error that names x. */
bool tape_fresh(const Tensor *x, const char *who);
/* Are t's numbers in x (its data or grad; NULL: none) finite? Else which is the first that is not. */
bool tape_all_finite(const Tensor *t, const real *x, int64_t *first, double *number);

#endif
