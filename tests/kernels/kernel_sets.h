/* kernel_sets.h: tests that every kernel set has to pass. */
#ifndef GRADUS_TESTS_KERNEL_SETS_H
#define GRADUS_TESTS_KERNEL_SETS_H

#include "tests/harness/test.h"

/* The reference first; "sets: ..." of test_kernels.c compares the library's. */
enum { KERNEL_SETS = 4 };
static const char *const kernel_sets[KERNEL_SETS] = {"ref", "base", "avx2", "avx512"};

/* A case for each kernel set, which is in use while it runs: "small sizes: ref", and so on. Sets
 * that this machine or build lacks are skipped. */
#define TEST_SETS(function)                                \
    static void function##_in_a_set(void);                 \
    TEST_EACH(function, kernel_sets_count, kernel_set)     \
    {                                                      \
        const char *before = tensor_kernels();             \
        if (!tensor_set_kernels(kernel_set(test_index()))) \
            SKIP("%s", tensor_error());                    \
        function##_in_a_set();                             \
        tensor_set_kernels(before);                        \
    }                                                      \
    static void function##_in_a_set(void)

static inline int kernel_sets_count(void)
{
    return KERNEL_SETS;
}

static inline const char *kernel_set(int i)
{
    return kernel_sets[i];
}

#endif
