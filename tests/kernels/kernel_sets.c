#include "tests/kernels/kernel_sets.h"
#include "tensor/kernels/kernels.h"

#include <string.h>

#ifdef GRADUS_AMX_EMULATED
void kernels_fill_amx_emulated(Kernels *k);
#endif

/* The AMX kernels over those of AVX-512, which must run here. */
static bool use_emulated_amx(void)
{
#ifdef GRADUS_AMX_EMULATED
    static Kernels emulated;
    tensor_clear_error();
    if (!tensor_set_kernels("avx512"))
        return false;
    emulated = *kernels;
    kernels_fill_amx_emulated(&emulated);
    emulated.name = "amx";
    kernels = &emulated;
    return true;
#else
    return false;
#endif
}

bool use_kernel_set(const char *name)
{
    return tensor_set_kernels(name) || (strcmp(name, "amx") == 0 && use_emulated_amx());
}
