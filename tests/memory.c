/* memory.c: an allocator for tests that counts what the library holds, and fails when it is told
 * to. */
#include "runner.h"

#include <stdlib.h>
#include <string.h>

/* In front of each block, as large as the strictest alignment. */
typedef union {
    size_t bytes;
    max_align_t align;
} BlockHead;

static void *watched_alloc(size_t bytes, void *context)
{
    Memory *m = context;
    m->calls++;
    if (m->fail_at > 0 && (m->calls == m->fail_at || (m->fail_on && m->calls > m->fail_at)))
        return NULL;
    if (bytes > SIZE_MAX - sizeof(BlockHead))
        return NULL;
    BlockHead *head = malloc(sizeof *head + bytes);
    if (!head)
        return NULL;
    head->bytes = bytes;
    m->blocks++;
    m->bytes += bytes;
    m->peak = m->bytes > m->peak ? m->bytes : m->peak;
    return memset(head + 1, 0xA5, bytes); /* junk: nobody may count on zeros */
}

static void watched_free(void *block, void *context)
{
    Memory *m = context;
    BlockHead *head = (BlockHead *)block - 1;
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

/* One attempt. Returns true when there was nothing left that could fail. */
static bool attempt_once(bool (*attempt)(void *), void *context, long n, bool on, char *wrong,
                         size_t size)
{
    Memory m = {.fail_at = n, .fail_on = on};
    tensor_clear_error();
    memory_watch(&m);
    bool ok = attempt(context), reached = m.calls >= n;
    memory_unwatch();
    const char *what = m.blocks != 0             ? "leaks"
                       : !ok && !tensor_failed() ? "fails without an error"
                       : !ok && !reached         ? "fails with enough memory"
                                                 : NULL;
    if (what)
        snprintf(wrong, size, "%s when allocation %ld%s fails: %ld blocks left, error \"%.200s\"",
                 what, n, on ? " and later" : "", m.blocks, tensor_error());
    tensor_clear_error();
    return !reached;
}

bool check_out_of_memory(bool (*attempt)(void *context), void *context, const char *file, int line,
                         const char *text)
{
    char wrong[512] = "";
    bool through = false;
    for (int on = 0; on < 2 && !*wrong; on++) {
        through = false;
        for (long n = 1; n <= 1000 && !through && !*wrong; n++)
            through = attempt_once(attempt, context, n, on != 0, wrong, sizeof wrong);
    }
    if (!through && !*wrong)
        snprintf(wrong, sizeof wrong, "did not get through within 1000 allocations");
    return check_that(!*wrong, file, line, text, "%s", wrong);
}
