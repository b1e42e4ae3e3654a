/* heap.c: the memory that a submission takes. Its calls of malloc and the others are linked to
 * these (ld's --wrap), which fill new memory with NaN, count what was not given back, and end the
 * program at a limit and when something is freed that was never taken.
 *
 * A header before each block tells its size; the sanitizer keeps its own, and would not see
 * accesses to ours, so in its run the limit is all that there is of this. */
#include "runner.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    long blocks;
    size_t bytes, limit;
} heap = {.limit = (size_t)1 << 28};

void heap_state(int *blocks, long *bytes)
{
    *blocks = (int)heap.blocks;
    *bytes = (long)heap.bytes;
}

/* explain.c shows the line to the student. */
static void stop(const char *words, size_t size)
{
    fprintf(stderr, "memory: ");
    fprintf(stderr, words, size);
    fprintf(stderr, "\n");
    abort();
}

/* Who gets NULL often does not look, takes more without end, and seems to be slow. */
static void *full(void)
{
    const size_t limit = heap.limit;
    heap.limit = SIZE_MAX; /* for fprintf */
    stop("it asked malloc for more than is left of the %zu MB that a test may take", limit >> 20);
    return NULL;
}

#ifdef HOMEWORK_SANITIZED

/* Of sanitizer/allocator_interface.h, which not every compiler brings along. */
size_t __sanitizer_get_current_allocated_bytes(void);
int __sanitizer_install_malloc_and_free_hooks(void (*taken)(const volatile void *, size_t),
                                              void (*given_back)(const volatile void *));

/* After each malloc; what was given back is no longer counted by the sanitizer. */
static void count(const volatile void *p, size_t size)
{
    (void)p, (void)size;
    if (__sanitizer_get_current_allocated_bytes() > heap.limit)
        full();
}

/* The sanitizer takes both functions or neither. */
static void nothing(const volatile void *p)
{
    (void)p;
}

void heap_limit(size_t bytes)
{
    heap.limit = bytes;
    __sanitizer_install_malloc_and_free_hooks(count, nothing);
}

#else

void heap_limit(size_t bytes)
{
    heap.limit = bytes;
}

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *p);

typedef struct {
    size_t size;
    uint64_t state;
} Header;

enum { FILLED_BYTES = 32 << 20 };

static const uint64_t TAKEN = 0x6772616475732121u, GIVEN_BACK = 0x676f6e652e2e2e2eu;

/* Freed blocks wait here before libc gets them, so that a second free and a late read are still
 * seen. */
enum { WAITING = 256, WAITING_BYTES = 16 << 20 };
static struct {
    Header *block[WAITING];
    int next;
    size_t bytes;
} waiting;

static void fill(void *to, size_t size, uint32_t word)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)to)[i] = (unsigned char)(word >> 8 * (i % sizeof word));
}

/* The bytes after a block, as malloc filled them. */
static unsigned char *end_of(Header *h)
{
    return (unsigned char *)(h + 1) + h->size;
}

static bool end_stands(Header *h)
{
    unsigned char whole[GUARD];
    fill(whole, GUARD, GUARD_WORD);
    return memcmp(end_of(h), whole, GUARD) == 0;
}

static Header *header_of(void *p)
{
    Header *h = (Header *)p - 1;
    if ((uintptr_t)p % sizeof(Header) != 0 || (h->state != TAKEN && h->state != GIVEN_BACK))
        stop("free or realloc got an address that malloc did not return", 0);
    if (h->state == GIVEN_BACK)
        stop("a block of %zu bytes was given to free or realloc a second time", h->size);
    if (!end_stands(h))
        stop("it wrote beyond the end of a block of %zu bytes that it took with malloc", h->size);
    return h;
}

void *__wrap_malloc(size_t size)
{
    if (size > heap.limit - heap.bytes)
        return full();
    /* A large block is zeros that nobody wrote: to fill it would take a test's time. */
    const bool large = size > FILLED_BYTES;
    Header *h = large ? calloc(1, sizeof *h + size + GUARD) : malloc(sizeof *h + size + GUARD);
    if (!h)
        return NULL;
    *h = (Header){size, TAKEN};
    heap.blocks++;
    heap.bytes += size;
    fill(end_of(h), GUARD, GUARD_WORD);
    return memset(h + 1, 0xFF, large ? FILLED_BYTES : size); /* UNSET_WORD: NaN in both types */
}

static void release(Header *h)
{
    Header *oldest = waiting.block[waiting.next];
    if (oldest) {
        waiting.bytes -= oldest->size;
        free(oldest);
    }
    waiting.block[waiting.next] = NULL;
    if (waiting.bytes + h->size > WAITING_BYTES) {
        free(h);
        return;
    }
    fill(h + 1, h->size, FREED_WORD);
    waiting.block[waiting.next] = h;
    waiting.next = (waiting.next + 1) % WAITING;
    waiting.bytes += h->size;
}

void *__wrap_calloc(size_t count, size_t size)
{
    if (size && count > heap.limit / size)
        return full();
    void *p = __wrap_malloc(count * size);
    return p ? memset(p, 0, count * size > FILLED_BYTES ? FILLED_BYTES : count * size) : NULL;
}

void __wrap_free(void *p)
{
    if (!p)
        return;
    Header *h = header_of(p);
    heap.blocks--;
    heap.bytes -= h->size;
    h->state = GIVEN_BACK;
    release(h);
}

void *__wrap_realloc(void *old, size_t size)
{
    void *p = __wrap_malloc(size);
    if (p && old) {
        size_t had = header_of(old)->size;
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
