/* arena.c: memory by lifespan.
 *
 *   Arena -> newest chunk -> older -> ... -> first
 *   a chunk: [ header | pieces, each aligned to 64 bytes | free ]
 *
 * Pieces are taken one by one and given back all at once. A chunk never moves, so a piece never
 * does. A new chunk is at least as large as all before it together: there are few of them, and a
 * search is cheap. Merged at a reset into one chunk of the peak, the same run of requests fits
 * exactly, since sizes are counted rounded up to the alignment.
 *
 * Bytes that are not handed out are 0xFF in debug builds (a NaN as float or double), and under
 * AddressSanitizer touching them is reported. The idea of zones given back whole: D. R. Hanson,
 * "Fast allocation and deallocation of memory based on object lifetimes", Software: Practice and
 * Experience 20 (1990). */
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

enum { ALIGNMENT = 64, CHUNK_MIN = 64 * 1024 };

struct ArenaChunk {
    ArenaChunk *older;
    unsigned char *bytes; /* aligned; behind this header in the same block */
    size_t size, used;    /* multiples of the alignment                    */
};

/* Zero bytes take a place too, so that every piece has an address of its own. */
static bool round_up(size_t bytes, size_t *rounded)
{
    if (bytes > SIZE_MAX - 2 * ALIGNMENT - sizeof(ArenaChunk))
        return false;
    *rounded = bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    return true;
}

/* Takes back the chunk's first n bytes. */
static void give_back(ArenaChunk *c, size_t n)
{
    ASAN_UNPOISON_MEMORY_REGION(c->bytes, n);
#ifdef GRADUS_DEBUG
    memset(c->bytes, 0xFF, n);
#endif
    ASAN_POISON_MEMORY_REGION(c->bytes, c->size);
    c->used = 0;
}

/* Without an error when there is no memory: a reset can do without. */
static ArenaChunk *chunk_new(size_t size, ArenaChunk *older)
{
    ArenaChunk *c = mem_try(sizeof *c + ALIGNMENT - 1 + size);
    if (!c)
        return NULL;
    uintptr_t start = (uintptr_t)(c + 1);
    c->bytes = (unsigned char *)(c + 1) + (ALIGNMENT - start % ALIGNMENT) % ALIGNMENT;
    c->older = older;
    c->size = size;
    give_back(c, size);
    return c;
}

static void chunks_free(ArenaChunk *c)
{
    while (c) {
        ArenaChunk *older = c->older;
        give_back(c, c->used);
        ASAN_UNPOISON_MEMORY_REGION(c->bytes, c->size); /* it is the allocator's again */
        mem_free(c);
        c = older;
    }
}

/* The chunks account for the arena: no chunk hands out more than it has, and together they hand out `used`, which
 * was never above `peak`. */
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
        c = chunk_new(size, a->chunk); /* memory is short: no more than is needed */
    if (c)
        a->chunk = c;
    return c;
}

void *arena_alloc(Arena *a, size_t bytes)
{
    size_t size;
    ArenaChunk *c = round_up(bytes, &size) ? free_chunk(a, size) : NULL;
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

void *arena_copy(Arena *a, const void *data, size_t bytes)
{
    void *copy = arena_alloc(a, bytes);
    return copy && bytes > 0 ? memcpy(copy, data, bytes) : copy;
}

void arena_reset(Arena *a)
{
    a->used = 0;
    if (a->chunk && a->chunk->older) {
        ArenaChunk *one = chunk_new(a->peak, NULL);
        if (one) {
            chunks_free(a->chunk);
            a->chunk = one;
        }
    }
    /* Without memory for the merge the chunks simply stay, and are filled again. */
    for (ArenaChunk *c = a->chunk; c; c = c->older)
        give_back(c, c->used);
    GRADUS_INVARIANT(chunks_agree(a));
}

void arena_free(Arena *a)
{
    chunks_free(a->chunk);
    *a = (Arena){0};
}
