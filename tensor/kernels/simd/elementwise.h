/* elementwise.h: sharing out what is computed element by element (internal).
 *
 *      |  block 0  |  block 1  |  block 2  | .. |        y_i = f(a_i, b_i)
 *       <- BLOCK -> a thread takes whole blocks; within one, W lanes at a time
 *
 * A block begins where a vector begins, so that which instruction computes an element depends on its
 * place alone and never on the number of threads. */
#ifndef GRADUS_KERNELS_FAST_ELEMENTS_H
#define GRADUS_KERNELS_FAST_ELEMENTS_H

#include "tensor/kernels/simd/simd.h"

/* Lines are asked for AHEAD numbers before they are needed. */
enum { BLOCK = 1024, AHEAD = 512 };

/* What an element costs, in units of a plain addition. */
enum { CHEAP = 1, COSTLY = 3 };

typedef struct Elements Elements;
struct Elements {
    void (*run)(const Elements *e, int64_t begin, int64_t end);
    float *y, *m, *v, *grad;
    const float *a, *b;
    int64_t sy, sa, sb, n;
    float number;
    uint64_t seed, stream;
    const AdamStep *adam;
};

static inline void blocks_body(int64_t begin, int64_t end, void *context)
{
    const Elements *e = context;
    e->run(e, begin * BLOCK, end * BLOCK < e->n ? end * BLOCK : e->n);
}

static inline void share(Elements *e, int64_t cost)
{
    parallel_for((e->n + BLOCK - 1) / BLOCK, parallel_grain(BLOCK * cost), blocks_body, e);
}

/* The lanes of f, inlined: f is a constant at every call. */
static inline __attribute__((always_inline)) void map(const Elements *e, int64_t i, int64_t end,
                                                      Vector (*f)(Vector x))
{
    for (; i < end; i += W) {
        prefetch_read(e->a + i + AHEAD);
        prefetch_write(e->y + i + AHEAD);
        store_some(e->y + i, f(load_some(e->a + i, end - i, 0)), end - i);
    }
}

/* y += f(a, b): what of a, the gradient of a result, is the operand's, from b, the operand or the result. */
static inline __attribute__((always_inline)) void
map_backward(const Elements *e, int64_t i, int64_t end, Vector (*f)(Vector dy, Vector x))
{
    for (; i < end; i += W) {
        int64_t left = end - i;
        prefetch_read(e->a + i + AHEAD);
        prefetch_read(e->b + i + AHEAD);
        prefetch_write(e->y + i + AHEAD);
        Vector part = f(load_some(e->a + i, left, 0), load_some(e->b + i, left, 0));
        store_some(e->y + i, load_some(e->y + i, left, 0) + part, left);
    }
}

#endif
