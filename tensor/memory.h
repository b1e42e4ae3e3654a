/* memory.h: the library's only way to memory (internal).
 *
 * Every block comes from the hook of tensor_set_allocator and goes back to it. A NULL is already
 * recorded as an error, except after mem_try. */
#ifndef GRADUS_TENSOR_MEMORY_H
#define GRADUS_TENSOR_MEMORY_H

#include "tensor.h"

/* A block of at least one byte, contents arbitrary. NULL, with an error, when there is no
 * memory. */
void *mem_alloc(size_t bytes);

void *mem_zeroed(size_t bytes);

/* The same without recording an error: for what the caller can do without. */
void *mem_try(size_t bytes);

void mem_free(void *block); /* takes NULL */

/* A larger block that begins with the old one's bytes; the old one is given back. On failure: NULL,
 * an error, and the old block as it was. old may be NULL with old_bytes 0. */
void *mem_grow(void *old, size_t old_bytes, size_t new_bytes);

char *mem_strdup(const char *text);

/* A list of pointers, of which `used` are set, with room for one more: the old list or a larger one in its
 * place. NULL, with an error, and the old list as it was, when there is no memory. */
void *mem_list(void *list, int used, int *capacity);

/* A copy of these bytes in the arena; NULL, with an error, when there is no memory. */
void *arena_copy(Arena *a, const void *data, size_t bytes);

#endif
