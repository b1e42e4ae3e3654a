/* pool.c: where tensor headers come from.
 *
 * A header outlives the step in which it was made, so that a tensor of an earlier step can be
 * recognised when a program uses it by mistake: its count of resets is smaller than its tape's.
 * Headers lie in blocks of POOL_BLOCK, each of them once for each of TAPE_GENERATIONS steps, which
 * take turns:
 *
 *      step     0    1    2   ...  12   13   14
 *      memory   A    B    C   ...   M    A    B
 *
 * Only when step 13 takes header A anew can a tensor kept since step 0 no longer be recognised. The
 * number is a prime: what programs do every 2, 5, 10 or 100 steps does not meet the same memory. A
 * larger one takes memory, but no time: with 13, 31 and 127 generations a step of 1,000 additions
 * peaks at 6, 12 and 41 MB. No memory moves, and after the largest step the pool takes none from
 * the allocator. */
#include "autograd/tape.h"

#include "tensor/memory.h"

#include <string.h>

enum { POOL_BLOCK = 64 };

/* The memories of 64 headers: one for each generation. */
typedef struct {
    Tensor header[TAPE_GENERATIONS][POOL_BLOCK];
} PoolBlock;

struct TensorPool {
    PoolBlock **block;
    int blocks, capacity;
    int used;       /* headers of this step, over all blocks */
    int generation; /* which of the headers' memories this step uses */
};

TensorPool *pool_new(void)
{
    return mem_zeroed(sizeof(TensorPool));
}

void pool_free(TensorPool *pool)
{
    for (int i = 0; pool && i < pool->blocks; i++)
        mem_free(pool->block[i]);
    if (pool)
        mem_free(pool->block);
    mem_free(pool);
}

void pool_reset(TensorPool *pool)
{
    pool->used = 0;
    pool->generation = (pool->generation + 1) % TAPE_GENERATIONS;
}

int pool_used(const Tape *tape)
{
    return tape->inside->pool->used;
}

Tensor *pool_header(const Tape *tape, int i)
{
    const TensorPool *pool = tape->inside->pool;
    GRADUS_INVARIANT(i >= 0 && i < pool->used && pool->used <= pool->blocks * POOL_BLOCK);
    return &pool->block[i / POOL_BLOCK]->header[pool->generation][i % POOL_BLOCK];
}

/* A block more, of zeros, is taken only when no step before needed as many headers. */
Tensor *tape_header(Tape *tape, Shape shape)
{
    TensorPool *pool = tape->inside->pool;
    if (pool->used == pool->blocks * POOL_BLOCK) {
        PoolBlock **list = mem_list(pool->block, pool->blocks, &pool->capacity);
        pool->block = list ? list : pool->block;
        PoolBlock *block = list ? mem_zeroed(sizeof *block) : NULL;
        if (!block)
            return NULL;
        pool->block[pool->blocks++] = block;
    }
    Tensor *t = pool_header(tape, pool->used++);
    /* Every header of this memory belongs to a step that is over. */
    GRADUS_INVARIANT(!t->tape || (t->tape == tape && t->step < tape->resets));
    memset(t, 0, sizeof *t);
    tensor_set_contiguous(t, shape);
    t->tape = tape;
    t->step = tape->resets;
    t->now = &tape->resets;
    return t;
}
