/* heap.c: the memory that a submission takes. Its calls of malloc and the others are linked to these
 * (ld's --wrap), which fill new memory with NaN, count what was not given back, stop at a limit, and end
 * the program when something is freed that was never taken.
 *
 * A header before each block tells its size; the sanitizer keeps its own, and would not see accesses to ours. */
#include "heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

static struct {
    long blocks;
    size_t bytes, limit;
} heap = {.limit = (size_t)1 << 28};

void heap_limit(size_t bytes)
{
    heap.limit = bytes;
}

void heap_state(int *blocks, long *bytes)
{
    *blocks = (int)heap.blocks;
    *bytes = (long)heap.bytes;
}

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *p);

#ifdef __SANITIZE_ADDRESS__

static void *counted(void *p)
{
    heap.bytes += p ? malloc_usable_size(p) : 0;
    return p;
}

void *__wrap_malloc(size_t size)
{
    return size > heap.limit - heap.bytes ? NULL : counted(malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return size && count > (heap.limit - heap.bytes) / size ? NULL : counted(calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    if (size > heap.limit - heap.bytes)
        return NULL;
    heap.bytes -= old ? malloc_usable_size(old) : 0;
    return counted(realloc(old, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return size > heap.limit - heap.bytes ? NULL : counted(aligned_alloc(alignment, size));
}

void __wrap_free(void *p)
{
    free(p); /* first: it reports what was given back twice */
}

#else

typedef struct {
    size_t size;
    uint64_t state;
} Header;

static const uint64_t TAKEN = 0x6772616475732121u, GIVEN_BACK = 0x676f6e652e2e2e2eu;

static Header *header_of(void *p, const char *what)
{
    Header *h = (Header *)p - 1;
    if (h->state == TAKEN)
        return h;
    fprintf(stderr, "%s: this memory was %s\n", what,
            h->state == GIVEN_BACK ? "given back before" : "not taken with malloc");
    abort();
}

void *__wrap_malloc(size_t size)
{
    if (size > heap.limit - heap.bytes)
        return NULL;
    Header *h = malloc(sizeof *h + size);
    if (!h)
        return NULL;
    *h = (Header){size, TAKEN};
    heap.blocks++;
    heap.bytes += size;
    return memset(h + 1, 0xFF, size); /* as float or double: NaN */
}

void *__wrap_calloc(size_t count, size_t size)
{
    if (size && count > heap.limit / size)
        return NULL;
    void *p = __wrap_malloc(count * size);
    return p ? memset(p, 0, count * size) : NULL;
}

void __wrap_free(void *p)
{
    if (!p)
        return;
    Header *h = header_of(p, "free");
    heap.blocks--;
    heap.bytes -= h->size;
    h->state = GIVEN_BACK;
    free(h);
}

void *__wrap_realloc(void *old, size_t size)
{
    void *p = __wrap_malloc(size);
    if (p && old) {
        size_t had = header_of(old, "realloc")->size;
        memcpy(p, old, had < size ? had : size);
        __wrap_free(old);
    }
    return p;
}

/* The header would move the block off its place: blocks are 16 bytes aligned and no more. */
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    (void)alignment;
    return __wrap_malloc(size);
}

#endif
