/* order.c: see order.h. */
#include "examples/common/order.h"

#include <stdlib.h>

bool order_init(Order *o, int count, int batch, uint64_t seed)
{
    *o = (Order){.count = count, .batch = batch, .seed = seed, .epoch = -1};
    if (batch < 1 || count < batch)
        return tensor_fail("order_init: %d training items; expected at least one batch of %d",
                           count, batch);
    o->items = example_alloc((size_t)count * sizeof *o->items);
    return o->items != NULL;
}

void order_free(Order *o)
{
    free(o->items);
    *o = (Order){0};
}

int64_t order_steps(const Order *o)
{
    return o->count / o->batch;
}

const int *order_batch(Order *o, int64_t step)
{
    const int64_t epoch = step / order_steps(o);
    if (epoch != o->epoch)
        data_order(o->items, o->count, o->seed, (uint64_t)epoch);
    o->epoch = epoch;
    return o->items + step % order_steps(o) * o->batch;
}
