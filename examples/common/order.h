/* order.h: the items of each training step: a random permutation for each epoch, cut into batches.
 *
 * A batch depends on the seed and the step's number alone, so that a resumed run gets the same
 * batches. Items left over at the end of an epoch are not used in that epoch. */
#ifndef EXAMPLES_ORDER_H
#define EXAMPLES_ORDER_H

#include "examples/common/example.h"
#include "gradus.h"

typedef struct {
    int count, batch; /* items in all, and items a step; batch <= count  */
    uint64_t seed;
    int64_t epoch; /* of the current permutation; -1: none yet */
    int *items;
} Order;

/* Returns false with an error if memory runs out or there are fewer items than one batch. */
bool order_init(Order *o, int count, int batch, uint64_t seed);
void order_free(Order *o);

int64_t order_steps(const Order *o); /* in an epoch */

/* The items of step 0, 1, 2, ...; valid until the next call. */
const int *order_batch(Order *o, int64_t step);

#ifndef GRADUS_INSIDE
#define order_init(...) EXAMPLE_PLACED(order_init, __VA_ARGS__)
#endif

#endif
