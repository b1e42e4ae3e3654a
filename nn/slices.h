/* slices.h: the gradient of one batch, computed in slices, on one process or on several. It is not
 * in gradus.h: a program that trains on several processes includes it by this name. */
#ifndef GRADUS_NN_SLICES_H
#define GRADUS_NN_SLICES_H

#include "nn/nn.h"

GRADUS_BEGIN

enum { SLICES_MAX = 256 };

/* The processes that train one model together, each with all weights and its part of every batch.
 * gradus_mpi.h makes one from MPI; this library knows only how two processes exchange numbers. */
typedef struct Group {
    int rank, size; /* this process, of so many: 0 <= rank < size                            */
    void *context;
    /* Sends `sent` numbers to the process `with` and receives `received` numbers from it, which
     * calls this at the same time. False after an error. */
    bool (*exchange)(void *context, int with, const real *send, int64_t sent, real *receive,
                     int64_t received);
    /* For the program alone; gradus calls neither. NULL where there is nothing to do. leave waits
     * until every process has called it; false after an error. abort ends all processes after an
     * error, this one included: the others would wait for it for ever. */
    bool (*leave)(void);
    void (*abort)(int status);
} Group;

/* A batch in slices, each with a forward and a backward pass of its own, and the sum of their
 * gradients along a binary tree over the slices. The bits of the sum depend on the number of
 * slices, and not on that of the processes. */
typedef struct Slices {
    int slices;       /* of a batch                                                           */
    int first, count; /* those of this process: first .. first + count - 1                    */
    bool stop;        /* before nn_slices_gradient: this process asks to stop; after: one did */
    double loss;      /* after nn_slices_gradient: that of the batch                          */
    struct SlicesState *inside;
} Slices;

/* `slices`: a power of two up to SLICES_MAX. group: NULL for one process; otherwise its size is a
 * power of two up to `slices`. Every process has registered the same weights, and has frozen the
 * same ones. Memory: for each weight one number, one more for each doubling of `count`, and half
 * of one where there are other processes. */
GRADUS_API bool nn_slices_init(Slices *s, Params *p, const Group *group, int slices);

/* The forward pass of one slice: what it contributes to the loss of the batch, which is the sum
 * over all slices. A mean over examples is so the slice's mean times its share of the examples. The
 * function resets its tape; with dropout it sets tape->step to a number that no other slice of the
 * training has. */
typedef Tensor *SliceLoss(void *context, int slice);

/* The gradient of a batch: forward and backward of each slice of this process, and the sum over all
 * processes. Afterwards every process has the same gradients in its params, to the last bit, and
 * the same loss and stop. Then the optimiser takes its step. Errors: those of loss_of and of
 * ag_backward; weights were registered or frozen after nn_slices_init; an exchange failed. */
GRADUS_API bool nn_slices_gradient(Slices *s, SliceLoss *loss_of, void *context);
GRADUS_API void nn_slices_free(Slices *s);

GRADUS_END

#include "placed/slices.h" /* macros: an error names the program's line */
#endif
