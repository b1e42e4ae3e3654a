#include "tests/kernels/kernel_sets.h"
#include "tensor/kernels/kernels.h"

#include <string.h>

const char *const kernel_sets[KERNEL_SETS] = {"ref", "base", "avx2", "avx512", "avx512bf16", "amx"};

#ifdef GRADUS_AMX_EMULATED
void kernels_fill_amx_emulated(Kernels *k);
void kernels_fill_avx512bf16_emulated(Kernels *k);
#endif

/* A unit's kernels over those of AVX-512, which must run here. */
static bool use_emulated(const char *name)
{
#ifdef GRADUS_AMX_EMULATED
    static Kernels emulated;
    if (strcmp(name, "amx") != 0 && strcmp(name, "avx512bf16") != 0)
        return false;
    tensor_clear_error();
    if (!tensor_set_kernels("avx512"))
        return false;
    emulated = *kernels;
    if (strcmp(name, "amx") == 0)
        kernels_fill_amx_emulated(&emulated);
    else
        kernels_fill_avx512bf16_emulated(&emulated);
    emulated.name = name;
    kernels = &emulated;
    return true;
#else
    (void)name;
    return false;
#endif
}

bool use_kernel_set(const char *name)
{
    return tensor_set_kernels(name) || use_emulated(name);
}
