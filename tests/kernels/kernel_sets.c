#include "tests/kernels/kernel_sets.h"

const char *const kernel_sets[KERNEL_SETS] = {"ref", "base", "avx2", "avx512"};
