/* cross_entropy.h: what cross_entropy and linear_cross_entropy share (internal). Their attributes
 * are CrossEntropyOptions. */
#ifndef GRADUS_CROSS_ENTROPY_H
#define GRADUS_CROSS_ENTROPY_H

#include "autograd/ops/shared/op.h"

/* The targets of one call, as loops over rows take them. */
typedef struct {
    const int32_t *ids;
    int32_t ignore; /* the ignored id, or one that is no class */
    real smoothing;
    int64_t rows, classes, counted; /* rows that are not ignored */
} Targets;

/* Are the node's options and the targets valid? False after an error, which calls x, the tensor
 * that has the classes, `what`. */
bool targets_check(const Node *n, const Tensor *target, int64_t classes, const char *what,
                   const Tensor *x);
/* The targets as the functions below take them. */
Targets targets_of(const Node *n, const Tensor *target, int64_t classes);

/* Computes the losses of rows from ... from + rows - 1, whose logits these are, and their stats:
 * the maximum and the logarithm of the sum. losses (rows) and stats (rows, 2) hold those of all
 * rows. */
void targets_losses(const Targets *t, real *losses, real *stats, const real *logits, int64_t from,
                    int64_t rows);
/* Adds the gradient of these rows' logits to dlogits, given the loss's gradient g; where dlogits is
 * logits, the gradient replaces them. At least one row counts. */
void targets_backward(const Targets *t, real *dlogits, real g, const real *logits,
                      const real *stats, int64_t from, int64_t rows);
/* The loss: the mean over the rows that count, 0 where none does. */
real targets_mean(const Targets *t, const real *losses);

#endif
