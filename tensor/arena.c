/* arena.c: memory by lifespan.
 *
 *   Arena -> newest chunk -> older -> ... -> first
 *   a chunk: [ header | pieces, each aligned to 64 bytes | free ]
 *
 * Pieces are taken one by one and released all at once. A chunk never moves, so a piece never does.
 * A new chunk is at least as large as all older ones together: there are few chunks, and searching
 * them is cheap. A reset replaces them by one chunk of the peak size. The same run of requests then
 * fits exactly, since sizes are counted rounded up to the alignment.
 *
 * Bytes that are not handed out are 0xFF in debug builds (a NaN as float or double), and
 * AddressSanitizer reports an access to them. Source: D. R. Hanson, "Fast allocation and
 * deallocation of memory based on object lifetimes" (1990). */
#include "tensor/invariant.h"
#include "tensor/memory.h"

#include <string.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define ARENA_POISONS
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define ARENA_POISONS
#endif

#ifdef ARENA_POISONS
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size)   ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

enum { ALIGNMENT = 64, CHUNK_MIN = 64 * 1024 }; /* a cache line, and the first chunk */

/* Invariants: used <= size, both are multiples of the alignment; pieces take [bytes, bytes + used),
 * and the rest is poisoned under AddressSanitizer. */
struct ArenaChunk {
    ArenaChunk *older;
    unsigned char *bytes; /* aligned; in the same block, after this header */
    size_t size, used;    /* multiples of the alignment                    */
};

/* A size rounded up to the alignment; at least one alignment, so that every piece has an address of
 * its own. 0 where it does not fit. */
static size_t rounded_up(size_t bytes)
{
    if (bytes > SIZE_MAX - 2 * ALIGNMENT - sizeof(ArenaChunk))
        return 0;
    return bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
}

static void chunk_release(ArenaChunk *c, size_t n)
{
    ASAN_UNPOISON_MEMORY_REGION(c->bytes, n);
#ifdef GRADUS_DEBUG
    memset(c->bytes, 0xFF, n);
#endif
    ASAN_POISON_MEMORY_REGION(c->bytes, c->size);
    c->used = 0;
}

/* NULL, without an error, when memory is out. */
static ArenaChunk *chunk_new(size_t size, ArenaChunk *older)
{
    ArenaChunk *c = mem_try(sizeof *c + ALIGNMENT - 1 + size);
    if (!c)
        return NULL;
    uintptr_t start = (uintptr_t)(c + 1);
    c->bytes = (unsigned char *)(c + 1) + (ALIGNMENT - start % ALIGNMENT) % ALIGNMENT;
    c->older = older;
    c->size = size;
    chunk_release(c, size);
    return c;
}

static void chunks_free(ArenaChunk *c)
{
    while (c) {
        ArenaChunk *older = c->older;
        chunk_release(c, c->used);
        ASAN_UNPOISON_MEMORY_REGION(c->bytes, c->size); /* the allocator owns it from here on */
        mem_free(c);
        c = older;
    }
}

/* The chunks account for the arena: no chunk hands out more than it has, and together they hand out
 * `used`, which was never above `peak`. */
static bool chunks_agree(const Arena *a)
{
    size_t used = 0;
    for (const ArenaChunk *c = a->chunk; c; c = c->older) {
        if (c->used > c->size || c->used % ALIGNMENT != 0 || (uintptr_t)c->bytes % ALIGNMENT != 0)
            return false;
        used += c->used;
    }
    return used == a->used && used <= a->peak;
}

/* A chunk in which size bytes are free: one of those there are, or a new one. */
static ArenaChunk *free_chunk(Arena *a, size_t size)
{
    size_t total = 0;
    for (ArenaChunk *c = a->chunk; c; c = c->older) {
        if (c->size - c->used >= size)
            return c;
        total += c->size;
    }
    size_t larger = size > total ? size : total;
    ArenaChunk *c = chunk_new(larger > CHUNK_MIN ? larger : CHUNK_MIN, a->chunk);
    if (!c && larger > size)
        c = chunk_new(size, a->chunk); /* memory is short: only what is needed */
    if (c)
        a->chunk = c;
    return c;
}

/* From the newest chunk in which it fits; small pieces use what remains in older chunks. */
void *arena_alloc(Arena *a, size_t bytes)
{
    size_t size = rounded_up(bytes);
    ArenaChunk *c = size ? free_chunk(a, size) : NULL;
    if (!c) {
        tensor_fail("out of memory: %zu bytes", bytes);
        return NULL;
    }
    unsigned char *piece = c->bytes + c->used;
    ASAN_UNPOISON_MEMORY_REGION(piece, bytes);
    c->used += size;
    a->used += size;
    if (a->used > a->peak)
        a->peak = a->used;
    GRADUS_INVARIANT(chunks_agree(a));
    return piece;
}

/* NULL data is allowed with 0 bytes. */
void *arena_copy(Arena *a, const void *data, size_t bytes)
{
    void *copy = arena_alloc(a, bytes);
    return copy && bytes > 0 ? memcpy(copy, data, bytes) : copy;
}

/* Without memory for the one chunk there is none, and the next piece takes it or fails. */
void arena_reset(Arena *a)
{
    a->used = 0;
    if (a->chunk && a->chunk->older) {
        chunks_free(a->chunk);
        a->chunk = chunk_new(a->peak, NULL);
    } else if (a->chunk)
        chunk_release(a->chunk, a->chunk->used);
    GRADUS_INVARIANT(chunks_agree(a));
}

void arena_free(Arena *a)
{
    chunks_free(a->chunk);
    *a = (Arena){0};
}
