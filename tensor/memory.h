/* memory.h: the functions through which the library takes and releases all of its memory
 * (internal).
 *
 * Every block comes from the hook of tensor_set_allocator and is released to it. Each function that
 * returns NULL has recorded an error, except mem_try.
 *
 * Which function to use: arena_alloc for what ends with a step, mem_alloc for what has an owner of
 * its own and ends with it. Sizes that come from a file or a program are multiplied by
 * tensor_checked_mul before they arrive here. */
#ifndef GRADUS_TENSOR_MEMORY_H
#define GRADUS_TENSOR_MEMORY_H

#include "tensor/tensor.h"

/* A block of at least one byte with arbitrary content. NULL, with an error, when memory is out. */
void *mem_alloc(size_t bytes);

/* The same with all bytes 0. */
void *mem_zeroed(size_t bytes);

/* As mem_alloc, without recording an error: for memory that the caller can work without. */
void *mem_try(size_t bytes);

/* Releases a block; does nothing for NULL. */
void mem_free(void *block);

/* A larger block that begins with the bytes of the old one, which is released. NULL, with an error,
 * when memory is out; the old block is then as it was. old may be NULL with old_bytes 0. */
void *mem_grow(void *old, size_t old_bytes, size_t new_bytes);

/* A copy of a text. */
char *mem_strdup(const char *text);

/* A list of pointers, of which `used` are set, with capacity for one more: the old list, or a
 * larger one that replaces it. NULL, with an error, when memory is out; the old list is then as it
 * was. */
void *mem_list(void *list, int used, int *capacity);

/* Are t's numbers still its own? False, with an error that begins with `who`, where tape_reset has
 * ended the step of t: its numbers must not be read then. */
bool tensor_is_current(const Tensor *t, const char *who);

/* Writes a * b. False, without an error and without writing, when a count is negative or the
 * product does not fit. */
bool tensor_checked_mul(int64_t a, int64_t b, int64_t *product);

/* Memory by lifespan: pieces are taken one by one and released all at once. An arena grows by
 * chunks, so a piece never moves; arena_reset merges the chunks into one of the peak size, after
 * which the same run of requests takes nothing from the allocator. An arena begins as
 * (Arena){0}. */
typedef struct ArenaChunk ArenaChunk;
typedef struct Arena {
    ArenaChunk *chunk; /* the newest one                                               */
    size_t used;       /* bytes handed out since the last reset, rounded up to 64 each */
    size_t peak;       /* the largest `used` so far                                    */
} Arena;

/* A piece of `bytes` bytes, aligned to 64, with arbitrary content; it lives until the reset. NULL,
 * with an error, when memory is out. */
void *arena_alloc(Arena *a, size_t bytes);
/* Releases all pieces; their bytes become 0xFF (NaNs) in debug builds. */
void arena_reset(Arena *a);
/* Releases all memory. The arena is then as it began. */
void arena_free(Arena *a);
/* A copy of the bytes in the arena, which may be NULL where there are none. NULL, with an error,
 * when memory is out. */
void *arena_copy(Arena *a, const void *data, size_t bytes);

/* Philox4x32-10: out receives four random 32-bit numbers, a function of counter and key alone. Any
 * thread can compute any of them, and a run is repeated by repeating its seed. Source: Salmon,
 * Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). */
void rng_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* NumPy's broadcasting: the axes are aligned at the last one; two lengths fit where they are equal
 * or one of them is 1, and a missing axis counts as 1. Writes the common shape. False, without an
 * error and without writing, where the shapes do not fit: the op reports it with the names of its
 * operands. */
bool shape_broadcast(Shape a, Shape b, Shape *both);

/* The axis as a number from 0 to rank - 1, where -1 is the last. -1, with an error that begins with
 * `who`, for an axis that the shape does not have. */
int shape_axis(Shape s, int axis, const char *who);

#endif
