/* pool.c: where tensor headers come from.
 *
 * A header outlives the step in which it was made, so that a tensor of an earlier step can be
 * recognised when a program uses it by mistake: its count of resets is smaller than its tape's.
 * Blocks of POOL_BLOCK headers form a ring. A step takes one block after the other, and the next
 * step goes on behind them, so that the blocks of the last steps come last:
 *
 *      step 2's blocks | step 3's, the present one | free: step 0's | step 1's
 *                                                    ^ taken next
 *
 * The ring grows where less than the present step's blocks times TAPE_GENERATIONS - 1, at most
 * POOL_KEPT, would remain of earlier steps. So a step of up to 320 tensors has its memory used
 * again after exactly 13 resets: a prime, since what programs do every 2, 5, 10 or 100 steps then
 * does not meet the same memory. Of a larger step the last POOL_KEPT blocks that earlier steps took
 * are recognised. No memory moves, and after the largest step the pool takes none from the
 * allocator. */
#include "autograd/tape.h"

#include <string.h>

enum { POOL_BLOCK = 64, POOL_KEPT = 64 };

struct TensorPool {
    Tensor **block; /* the ring: each has POOL_BLOCK headers */
    int blocks, capacity;
    int first; /* the block with which this step began */
    int taken; /* blocks of this step                  */
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
    pool->first = pool->blocks ? (pool->first + pool->taken) % pool->blocks : 0;
    pool->taken = 0;
}

Tensor *pool_header(const Tape *tape, int i)
{
    const TensorPool *pool = tape->inside->pool;
    GRADUS_INVARIANT(i >= 0 && i < pool->taken * POOL_BLOCK && pool->taken <= pool->blocks);
    return &pool->block[(pool->first + i / POOL_BLOCK) % pool->blocks][i % POOL_BLOCK];
}

/* Puts a block of zeros into the ring behind those of this step. */
static bool grow(TensorPool *pool)
{
    Tensor **list = mem_list(pool->block, pool->blocks, &pool->capacity);
    pool->block = list ? list : pool->block;
    Tensor *block = list ? mem_zeroed(POOL_BLOCK * sizeof *block) : NULL;
    if (!block)
        return false;
    int at = pool->first + pool->taken;
    if (at > pool->blocks) { /* this step goes over the end of the list */
        at -= pool->blocks;
        pool->first++;
    }
    memmove(list + at + 1, list + at, (size_t)(pool->blocks - at) * sizeof *list);
    list[at] = block;
    pool->blocks++;
    return true;
}

/* One block more for this step, beside which enough blocks of earlier steps remain. */
static bool take_block(TensorPool *pool)
{
    int step = pool->taken + 1, kept = (TAPE_GENERATIONS - 1) * step;
    int needed = step + (kept < POOL_KEPT ? kept : POOL_KEPT);
    while (pool->blocks < needed)
        if (!grow(pool))
            return false;
    pool->taken++;
    return true;
}

Tensor *tape_header(Tape *tape, Shape shape)
{
    TensorPool *pool = tape->inside->pool;
    if (tape->tensors == pool->taken * POOL_BLOCK && !take_block(pool))
        return NULL;
    Tensor *t = pool_header(tape, tape->tensors++);
    /* Every header of this memory belongs to a step that is over. */
    GRADUS_INVARIANT(!t->tape || (t->tape == tape && t->step < tape->resets));
    memset(t, 0, sizeof *t);
    tensor_set_contiguous(t, shape);
    t->tape = tape;
    t->step = tape->resets;
    t->now = &tape->resets;
    tape->bytes += sizeof *t;
    return t;
}
