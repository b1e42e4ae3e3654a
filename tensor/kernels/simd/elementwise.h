/* elementwise.h: how elementwise work is divided among threads (internal).
 *
 *      |  block 0  |  block 1  |  block 2  | .. |        y_i = f(a_i, b_i)
 *       <- BLOCK -> a thread takes whole blocks; within a block, W lanes at a time
 *
 * A block begins where a vector begins. So the index of an element alone decides which instruction
 * computes it, never the number of threads. */
#ifndef GRADUS_KERNELS_SIMD_ELEMENTWISE_H
#define GRADUS_KERNELS_SIMD_ELEMENTWISE_H

#include "tensor/kernels/simd/simd.h"

/* Cache lines are prefetched PREFETCH_DISTANCE elements ahead: processors do so by themselves
 * within a page of 4 KiB, and this helps across its end. A prefetch beyond the end of an array does
 * no harm. A BLOCK of floats takes 4 KiB, so that an array of a few thousand elements already gives
 * parallel_for several items. */
enum { BLOCK = 1024, PREFETCH_DISTANCE = 512 };

/* One call of an elementwise kernel: the loop, its arrays and its numbers. A job uses the fields
 * that its loop reads and leaves the others 0. It lives on the caller's stack, which outlives
 * parallel_for. */
typedef struct ElementwiseJob ElementwiseJob;
struct ElementwiseJob {
    void (*run)(const ElementwiseJob *e, int64_t begin, int64_t end);
    float *y, *m, *v, *grad;
    const float *a, *b;
    int64_t sy, sa, sb, n;
    float scalar;
    uint64_t seed, stream;
    const AdamStep *adam;
};

/* The body of parallel_for: blocks begin to end - 1, the last of which may be partial. */
static inline void blocks_body(int64_t begin, int64_t end, void *context)
{
    const ElementwiseJob *e = context;
    e->run(e, begin * BLOCK, end * BLOCK < e->n ? end * BLOCK : e->n);
}

/* Runs e->run over the n elements, block by block; cost is that of one element, in additions. A
 * short array, such as a row of a bias, goes straight to its loop. No element is computed twice, so
 * that y may be an operand with stride 1. */
static inline void run_blocks(const ElementwiseJob *e, int64_t cost)
{
    if (e->n > 0 && e->n <= BLOCK)
        e->run(e, 0, e->n);
    else
        parallel_for((e->n + BLOCK - 1) / BLOCK, parallel_grain(BLOCK * cost), blocks_body,
                     (void *)e);
}

/* The same for a job with these fields. */
#define ELEMENTWISE(cost, ...) run_blocks(&(ElementwiseJob){__VA_ARGS__}, cost)

/* y = f(a), or where `back` is not NULL y += back(a, b), the vector-Jacobian product of an
 * elementwise function, a being dy and b the operand or the result. Both are inlined, being
 * constants at every call. BATCH vectors are independent, so that the instructions of one run while
 * those of another wait for their operands: all are loaded before the first is stored, and the
 * compiler interleaves them (meson.build: -fschedule-insns). The last vector may be partial; y may
 * be a. */
static inline __attribute__((always_inline)) void map(const ElementwiseJob *e, int64_t i,
                                                      int64_t end, Vector (*f)(Vector a),
                                                      Vector (*back)(Vector a, Vector b))
{
    const float *a = e->a, *b = e->b;
    float *y = e->y;
    for (; i + BATCH * W <= end; i += BATCH * W) {
        Vector v[BATCH];
#pragma GCC unroll 4
        for (int64_t k = 0; k < BATCH; k++) {
            const int64_t at = i + k * W;
            __builtin_prefetch(a + at + PREFETCH_DISTANCE);
            if (back)
                __builtin_prefetch(b + at + PREFETCH_DISTANCE);
            __builtin_prefetch(y + at + PREFETCH_DISTANCE, 1);
            v[k] = back ? load(y + at) + back(load(a + at), load(b + at)) : f(load(a + at));
        }
#pragma GCC unroll 4
        for (int64_t k = 0; k < BATCH; k++)
            store(y + i + k * W, v[k]);
    }
    for (; i < end; i += W) {
        const int64_t left = end - i;
        Vector last = load_partial(a + i, left, 0);
        last = back ? back(last, load_partial(b + i, left, 0)) : f(last);
        store_partial(y + i, back ? load_partial(y + i, left, 0) + last : last, left);
    }
}

#endif
