/* order.h: which items a step learns from: an epoch's random order, cut into batches.
 *
 * The batch is a function of the seed and of the step's number alone, so that a run that is resumed takes the
 * same ones. What is left over at an epoch's end waits for the next order. */
#ifndef EXAMPLES_ORDER_H
#define EXAMPLES_ORDER_H

#include "gradus.h"

typedef struct {
    int count, batch; /* items, and how many a step takes; batch <= count */
    uint64_t seed;
    int64_t epoch; /* of the order that is there; -1: none yet */
    int *items;
} Order;

/* False, with an error, when memory is out or there are fewer items than a batch takes. */
bool order_init(Order *o, int count, int batch, uint64_t seed);
void order_free(Order *o);

int64_t order_steps(const Order *o); /* of an epoch */

/* The items of step 0, 1, 2, ...; they live until the next call. */
const int *order_batch(Order *o, int64_t step);

#ifndef GRADUS_INSIDE
#define order_init(...) TENSOR_PLACED_OK(order_init(__VA_ARGS__))
#endif

#endif
