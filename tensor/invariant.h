/* invariant.h: statements that hold as long as the library itself is free of mistakes (internal).
 *
 *   GRADUS_INVARIANT(offset + size <= chunk->size);
 *
 * A caller's mistake is an error (tensor_fail), never a violated invariant. Builds for debugging
 * and for tests (meson.build defines GRADUS_INVARIANTS there) evaluate each statement; a false one
 * ends the process by abort with one line on standard error:
 *
 *   tensor/arena.c:131: invariant violated: offset + size <= chunk->size
 *
 * Every other build compiles the statement, so that it cannot rot, and evaluates nothing: the
 * library that users install never ends their process. A statement must therefore have no side
 * effect. */
#ifndef GRADUS_TENSOR_INVARIANT_H
#define GRADUS_TENSOR_INVARIANT_H

#include <stdbool.h>
#include <stddef.h>

#ifdef GRADUS_INVARIANTS
#define GRADUS_INVARIANT(...) \
    ((__VA_ARGS__) ? (void)0 : invariant_violated(#__VA_ARGS__, __FILE__, __LINE__))

/* Writes the line above and aborts. error.c */
_Noreturn void invariant_violated(const char *statement, const char *file, int line);
#else
#define GRADUS_INVARIANT(...) ((void)(false && (__VA_ARGS__)))
#endif

/* Do the x_bytes bytes at x and the y_bytes bytes at y have no byte in common? An empty array has
 * none. For the invariant that a kernel's output is apart from its operands. */
static inline bool memory_apart(const void *x, size_t x_bytes, const void *y, size_t y_bytes)
{
    const char *a = (const char *)x, *b = (const char *)y;
    return x_bytes == 0 || y_bytes == 0 || a + x_bytes <= b || b + y_bytes <= a;
}

#endif
