/* test_arena.c: memory by lifespan: pieces that never move, and are given back all at once. */
#include "tests/harness/test.h"

#include "tensor/memory.h"

#include <stdlib.h>
#include <string.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define UNDER_ASAN
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define UNDER_ASAN
#endif
#ifdef UNDER_ASAN
#include <sanitizer/asan_interface.h>
#endif

enum { CHUNK = 64 * 1024 }; /* the size of the first, as arena.c has it */

/* Sizes around the alignment and around a chunk. */
static const size_t sizes[] = {1,   63,        64,    65,        0, 1000, CHUNK - 64, CHUNK,
                               100, CHUNK + 1, 40000, 5 * CHUNK, 7, 64,   3 * CHUNK};
enum { COUNT = sizeof sizes / sizeof sizes[0] };

/* Takes one piece of each size, each filled with its number. */
static bool take_all(Arena *a, unsigned char **piece)
{
    for (int i = 0; i < COUNT; i++) {
        piece[i] = arena_alloc(a, sizes[i]);
        if (!piece[i])
            return false;
        memset(piece[i], i + 1, sizes[i]);
    }
    return true;
}

TEST(pieces_never_move)
{
    Arena a = {0};
    unsigned char *piece[COUNT];
    REQUIRE(take_all(&a, piece), "%s", tensor_error());
    for (int i = 0; i < COUNT; i++) {
        CHECK((uintptr_t)piece[i] % 64 == 0, "piece %d is at %p", i, (void *)piece[i]);
        for (size_t k = 0; k < sizes[i]; k++)
            if (piece[i][k] != i + 1) {
                CHECK(false, "byte %zu of piece %d has become %d", k, i, piece[i][k]);
                break;
            }
        for (int j = 0; j < i; j++)
            CHECK(piece[i] != piece[j], "pieces %d and %d are one", i, j);
    }
    arena_free(&a);
    CHECK(!a.chunk && a.used == 0 && a.peak == 0, "not empty after arena_free");
}

/* The promise that a training step without growth allocates nothing. */
TEST(a_second_run_takes_nothing)
{
    Memory m = {0};
    Arena a = {0};
    unsigned char *piece[COUNT];
    memory_watch(&m);
    take_all(&a, piece);
    size_t used = a.used;
    CHECK(used == a.peak && used % 64 == 0, "used %zu, peak %zu", used, a.peak);
    arena_reset(&a);
    CHECK(m.blocks == 1, "%ld chunks after the merge", m.blocks);
    CHECK(a.used == 0 && a.peak == used, "used %zu, peak %zu", a.used, a.peak);
    long calls = m.calls;
    for (int run = 0; run < 3; run++) {
        REQUIRE(take_all(&a, piece), "%s", tensor_error());
        CHECK(a.used == used, "run %d used %zu, the first %zu", run, a.used, used);
        arena_reset(&a);
    }
    CHECK(m.calls == calls, "%ld allocations in runs of the same size", m.calls - calls);
    arena_free(&a);
    CHECK(m.blocks == 0, "%ld blocks are left", m.blocks);
    memory_unwatch();
}

/* Few chunks for many pieces: each is as large as all before. 100,000 pieces of 64 bytes are 6.4
 * MB, which doubling from 64 KiB reaches with 7 chunks. */
TEST(chunks_double)
{
    Memory m = {0};
    Arena a = {0};
    memory_watch(&m);
    for (int i = 0; i < 100000; i++)
        arena_alloc(&a, 64);
    CHECK(a.used == 6400000, "used %zu", a.used);
    CHECK(m.calls <= 8, "%ld chunks", m.calls);
    arena_free(&a);
    memory_unwatch();
}

TEST(reset_of_nothing)
{
    Arena a = {0};
    arena_reset(&a);
    arena_free(&a);
    arena_free(&a);
    CHECK(!a.chunk && !tensor_failed(), "%s", tensor_error());
}

TEST(too_much_is_an_error)
{
    Arena a = {0};
    CHECK(!arena_alloc(&a, SIZE_MAX), "there was memory for SIZE_MAX bytes");
    CHECK_ERROR("out of memory: ");
    CHECK(!arena_alloc(&a, SIZE_MAX - 100), "there was memory for nearly SIZE_MAX bytes");
    CHECK_ERROR("out of memory: ");
    CHECK(arena_alloc(&a, 8), "nothing works after a failure: %s", tensor_error());
    arena_free(&a);
}

/* A reset that finds no memory for the one chunk fails nothing; the next piece does. */
TEST(merge_without_memory)
{
    Memory m = {0};
    Arena a = {0};
    memory_watch(&m);
    CHECK(arena_alloc(&a, CHUNK) && arena_alloc(&a, 2 * CHUNK), "%s", tensor_error());
    CHECK(m.blocks == 2, "%ld chunks; expected one a piece", m.blocks);
    m.fail_at = m.calls + 1;
    m.fail_on = true;
    arena_reset(&a);
    CHECK(m.calls == m.fail_at && m.blocks == 0, "%ld chunks were kept", m.blocks);
    CHECK_NO_ERROR();
    CHECK(!arena_alloc(&a, 1), "there was memory for one more");
    CHECK_ERROR("out of memory: 1 bytes");
    m.fail_at = 0;
    CHECK(arena_alloc(&a, 2 * CHUNK) && arena_alloc(&a, CHUNK), "%s", tensor_error());
    arena_reset(&a);
    CHECK(m.blocks == 1, "%ld chunks after a merge with memory", m.blocks);
    arena_free(&a);
    CHECK(m.blocks == 0, "%ld blocks are left", m.blocks);
    memory_unwatch();
}

static bool use_twice(void *context)
{
    (void)context;
    Arena a = {0};
    unsigned char *piece[COUNT];
    bool ok = take_all(&a, piece);
    arena_reset(&a);
    ok = ok && take_all(&a, piece);
    arena_free(&a);
    return ok;
}

TEST(out_of_memory_is_an_error)
{
    CHECK_OUT_OF_MEMORY(use_twice, NULL);
}

TEST(junk_in_debug_builds)
{
#ifndef GRADUS_DEBUG
    SKIP("only a debug build fills what was given back");
#else
    Arena a = {0};
    unsigned char *before = arena_alloc(&a, 100);
    memset(before, 0, 100);
    arena_reset(&a);
    unsigned char *after = arena_alloc(&a, 100);
    CHECK(after == before, "the same request got another place");
    for (int i = 0; i < 100; i++)
        CHECK(after[i] == 0xFF, "byte %d is 0x%02X", i, after[i]);
    arena_free(&a);
#endif
}

TEST(poisoned_under_the_sanitizer)
{
#ifndef UNDER_ASAN
    SKIP("only a build with AddressSanitizer sees it");
#else
    Arena a = {0};
    char *p = arena_alloc(&a, 100);
    CHECK(!__asan_region_is_poisoned(p, 100), "a piece is poisoned");
    CHECK(__asan_address_is_poisoned(p + 100), "the byte after a piece can be written");
    arena_reset(&a);
    CHECK(__asan_address_is_poisoned(p) && __asan_address_is_poisoned(p + 99),
          "a piece can be used after the reset");
    arena_free(&a);
#endif
}

/* ---- pages of 2 MB --------------------------------------------------------------------------- */

/* What the system knows of the mapping that `place` lies in: does a line of /proc/self/smaps that
 * begins with VmFlags have the word? -1: there is no such file or line. */
static int has_flag(const void *place, const char *word)
{
    char line[1024];
    int found = -1;
    bool here = false;
    FILE *f = fopen("/proc/self/smaps", "r");
    while (f && found < 0 && fgets(line, sizeof line, f)) {
        unsigned long begin, end;
        if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
            here = begin <= (uintptr_t)place && (uintptr_t)place < end;
        else if (here && strncmp(line, "VmFlags:", 8) == 0)
            found = strstr(line, word) != NULL;
    }
    if (f)
        fclose(f);
    return found;
}

TEST(large_blocks_ask_for_large_pages)
{
    char mode[256] = "";
    long length =
        scratch_read("/sys/kernel/mm/transparent_hugepage/enabled", mode, sizeof mode - 1);
    if (getenv("GRADUS_EMULATED") && *getenv("GRADUS_EMULATED"))
        SKIP("an emulator does not show the marks of pages");
    if (length <= 0 || strstr(mode, "[never]"))
        SKIP("the system has no large pages to give");
    Arena a = {0};
    enum { LARGE = 16 << 20, SMALL = 1 << 20 };
    char *small = arena_alloc(&a, SMALL), *large = arena_alloc(&a, LARGE);
    REQUIRE(small && large, "no memory");
    int middle = has_flag(large + LARGE / 2, " hg");
    CHECK(middle != 0, "the middle of 16 MB is not marked");
    memset(large, 1, LARGE);
    CHECK(large[0] == 1 && large[LARGE - 1] == 1, "the block does not hold what was written");
    arena_free(&a);
    if (middle < 0)
        SKIP("the system does not tell which mappings ask for large pages");
}
