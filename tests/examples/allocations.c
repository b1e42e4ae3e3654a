/* allocations.c: counts how often a program asks for memory. Loaded in front of the C library
 * (LD_PRELOAD), it writes the count into the file that COUNT_ALLOCATIONS names, when the program
 * ends. Where FAIL_ALLOCATION is N, the N-th request by malloc or calloc fails. Needs the GNU C
 * library, whose own allocator has these second names. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static long asked; /* added to by any thread; atomic by its builtin */

static long count(void)
{
    return __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);
}

static int fails(long number)
{
    const char *text = getenv("FAIL_ALLOCATION");
    if (!text || atol(text) != number)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes)
{
    return fails(count()) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
    return fails(count()) ? NULL : __libc_calloc(n, bytes);
}

void *realloc(void *old, size_t bytes)
{
    count();
    return __libc_realloc(old, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    count();
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    count();
    *out = __libc_memalign(alignment, bytes);
    return *out ? 0 : 12; /* ENOMEM */
}

__attribute__((destructor)) static void report(void)
{
    long total = asked;
    const char *path = getenv("COUNT_ALLOCATIONS");
    FILE *out = path ? fopen(path, "w") : NULL;
    if (!out)
        return;
    fprintf(out, "%ld\n", total);
    fclose(out);
}
