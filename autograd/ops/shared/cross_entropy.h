/* cross_entropy.h: what the two cross-entropies share: of logits, and of a projection that makes them (internal).
 * Their attributes are CrossEntropyOptions. */
#ifndef GRADUS_CROSS_ENTROPY_H
#define GRADUS_CROSS_ENTROPY_H

#include "autograd/ops/shared/op.h"

typedef struct {
    const int32_t *ids;
    int32_t ignore; /* the ignored id, or one that is no class */
    real smoothing;
    int64_t rows, classes, counted; /* rows that are not ignored */
} Targets;

/* False, after an error, where the node's options or a target make no sense. The classes are those of x, which is
 * called `what` in the error. */
bool targets_check(const Node *n, const Tensor *target, int64_t classes, const char *what,
                   const Tensor *x);
Targets targets_of(const Node *n, const Tensor *target, int64_t classes);

/* Of rows from..from+rows-1, whose logits these are; losses and stats (rows, 2) are those of all rows. */
void targets_losses(const Targets *t, real *losses, real *stats, const real *logits, int64_t from,
                    int64_t rows);
/* Adds to the logits' gradient, g being the loss's; or, where dlogits are the logits, puts it in their place.
 * At least one row counts. */
void targets_back(const Targets *t, real *dlogits, real g, const real *logits, const real *stats,
                  int64_t from, int64_t rows);
/* The loss: the mean of those that count, 0 where none does. */
real targets_mean(const Targets *t, const real *losses);

#endif
