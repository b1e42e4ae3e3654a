/* memory.c: the functions through which the library takes and releases all of its memory.
 *
 * There is one hook for the process, malloc and free at the start. It is a plain variable: a
 * program sets it before it makes a tensor or starts a thread, and from then on it is only read.
 *
 * Large blocks request pages of 2 MB where the system has them (Linux: madvise(2), MADV_HUGEPAGE).
 * In pages of 4 KB a weight matrix has 512 times as many to translate, and to fault in at the first
 * access. The request covers the pages that lie wholly inside the block; where the system refuses
 * it, nothing changes. */
#include "tensor/memory.h"
#include "tensor/system/system.h"

#include <stdlib.h>
#include <string.h>

/* The size of a large page on x86-64 and, with pages of 4 KB, on ARM64. */
enum { HUGE_PAGE = 2 << 20 };

static TensorAllocator hook; /* alloc NULL: malloc and free */

void tensor_set_allocator(const TensorAllocator *allocator)
{
    bool whole = allocator && allocator->alloc && allocator->free;
    hook = whole ? *allocator : (TensorAllocator){0};
}

/* Requests large pages for the part of the block that consists of whole ones. */
static void advise(void *block, size_t bytes)
{
    size_t before = (HUGE_PAGE - (uintptr_t)block % HUGE_PAGE) % HUGE_PAGE;
    size_t inside = bytes > before ? (bytes - before) / HUGE_PAGE * HUGE_PAGE : 0;
    if (inside > 0)
        system_advise_large_pages((char *)block + before, inside);
}

/* Only blocks of two large pages or more are advised: smaller ones may contain no whole page. */
void *mem_try(size_t bytes)
{
    /* At least one byte: malloc(0) may return NULL, which means failure here. */
    size_t size = bytes ? bytes : 1;
    void *block = hook.alloc ? hook.alloc(size, hook.context) : malloc(size);
    if (block && bytes >= 2 * HUGE_PAGE)
        advise(block, bytes);
    return block;
}

/* As mem_try, with the error that most callers need. */
void *mem_alloc(size_t bytes)
{
    void *block = mem_try(bytes);
    if (!block)
        tensor_fail("out of memory: %zu bytes", bytes);
    return block;
}

void *mem_zeroed(size_t bytes)
{
    void *block = mem_alloc(bytes);
    return block ? memset(block, 0, bytes) : NULL;
}

/* The block goes to the hook's own free, so that the hook must not change while blocks exist. */
void mem_free(void *block)
{
    if (block && hook.free)
        hook.free(block, hook.context);
    else
        free(block);
}

/* Not realloc: the hook has only alloc and free. */
void *mem_grow(void *old, size_t old_bytes, size_t new_bytes)
{
    void *grown = mem_alloc(new_bytes);
    if (!grown)
        return NULL;
    if (old)
        memcpy(grown, old, old_bytes < new_bytes ? old_bytes : new_bytes);
    mem_free(old);
    return grown;
}

/* The capacity doubles, so that n entries cost O(n). Memory ends long before an int does: what a
 * list of 2^30 pointers points to takes hundreds of gigabytes. */
void *mem_list(void *list, int used, int *capacity)
{
    if (used < *capacity)
        return list;
    int wanted = *capacity ? 2 * *capacity : 64;
    void *grown = mem_grow(list, (size_t)used * sizeof(void *), (size_t)wanted * sizeof(void *));
    if (grown)
        *capacity = wanted;
    return grown;
}

/* The C library's strdup would bypass the hook. */
char *mem_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = mem_alloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

/* Negative counts are refused before they can become large unsigned numbers. */
bool tensor_checked_mul(int64_t a, int64_t b, int64_t *product)
{
    if (a < 0 || b < 0 || (b > 0 && a > INT64_MAX / b))
        return false;
    if (product)
        *product = a * b;
    return true;
}
