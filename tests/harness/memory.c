/* memory.c: an allocator for tests that counts the library's blocks, fails on request, and notices
 * a write just beyond a block. */
#include "tests/harness/runner.h"

#include <stdlib.h>
#include <string.h>

/* The header before each block, padded to the strictest alignment. */
typedef union {
    size_t bytes;
    max_align_t align;
} BlockHead;

/* What follows each block, until it is freed. */
static const unsigned char beyond[16] = "beyond the block";

static void *watched_alloc(size_t bytes, void *context)
{
    Memory *m = context;
    m->calls++;
    if (m->fail_at > 0 && (m->calls == m->fail_at || (m->fail_on && m->calls > m->fail_at)))
        return NULL;
    if (bytes > SIZE_MAX - sizeof(BlockHead) - sizeof beyond)
        return NULL;
    BlockHead *head = malloc(sizeof *head + bytes + sizeof beyond);
    if (!head)
        return NULL;
    head->bytes = bytes;
    m->blocks++;
    m->bytes += bytes;
    m->peak = m->bytes > m->peak ? m->bytes : m->peak;
    memcpy((char *)(head + 1) + bytes, beyond, sizeof beyond);
    return memset(head + 1, 0xA5, bytes); /* junk: nobody may count on zeros */
}

static void watched_free(void *block, void *context)
{
    Memory *m = context;
    BlockHead *head = (BlockHead *)block - 1;
    CHECK(memcmp((char *)block + head->bytes, beyond, sizeof beyond) == 0,
          "something was written just beyond a block of %zu bytes", head->bytes);
    m->blocks--;
    m->bytes -= head->bytes;
    free(head);
}

void memory_watch(Memory *m)
{
    tensor_set_allocator(&(TensorAllocator){watched_alloc, watched_free, m});
}

void memory_unwatch(void)
{
    tensor_set_allocator(NULL);
}
