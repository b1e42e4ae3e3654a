/* kernel_sets.h: every kernel set, also the one for a unit that this processor lacks. */
#ifndef GRADUS_TESTS_KERNEL_SETS_H
#define GRADUS_TESTS_KERNEL_SETS_H

#include <stdbool.h>

/* The names of all sets, the reference first; test_kernel_sets.c compares the library's. */
enum { KERNEL_SETS = 6 };
extern const char *const kernel_sets[KERNEL_SETS];

/* Makes the set the one in use, as tensor_set_kernels does. Where the processor has no tile unit,
 * "amx" is the AMX kernels with the unit in software (tile_emulation.h), and likewise "avx512bf16"
 * without AVX512-BF16. False, with the failure recorded, where the set cannot run. */
bool use_kernel_set(const char *name);

#endif
