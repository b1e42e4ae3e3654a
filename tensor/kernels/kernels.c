/* kernels.c: which set of kernels computes.
 *
 * One binary runs on every processor: each set is compiled for its own instructions, and when the
 * library is loaded it chooses the last one in `sets` whose instructions this processor has. A
 * debug build (GRADUS_DEBUG) chooses the reference, which is the one to step through.
 * GRADUS_KERNELS names another set. */
#include "tensor/kernels/kernels.h"

#include <stdlib.h>
#include <string.h>

/* The tables of kernels/simd/simd.c, one for each instruction set of this build. */
#ifdef GRADUS_FAST
extern const Kernels kernels_base;
#endif
#ifdef GRADUS_X86_LEVELS
extern const Kernels kernels_avx2, kernels_avx512;
#endif

static const Kernels *const sets[] = {
    &kernels_ref,
#ifdef GRADUS_FAST
    &kernels_base,
#endif
#ifdef GRADUS_X86_LEVELS
    &kernels_avx2,
    &kernels_avx512,
#endif
}; /* the fastest last */
enum { SETS = sizeof sets / sizeof *sets };

/* The constructor below replaces this value before main runs. */
const Kernels *kernels = &kernels_ref;

/* Can this processor run the set? The reference and base need nothing special. */
static bool processor_has(const char *set)
{
#ifdef GRADUS_X86_LEVELS
    if (strcmp(set, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (strcmp(set, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
#endif
    return *set != 0;
}

/* The public functions; tensor.h has their contracts. */
const char *tensor_kernels(void)
{
    return kernels->name;
}

/* `known` has space for the names of all sets: four of them, at most ten characters each. */
bool tensor_set_kernels(const char *name)
{
    for (int i = 0; i < SETS; i++)
        if (name && strcmp(sets[i]->name, name) == 0) {
            if (!processor_has(name))
                return tensor_fail("tensor_set_kernels: found \"%s\", for which this processor "
                                   "lacks the instructions; "
                                   "expected another set",
                                   name);
            kernels = sets[i];
            return true;
        }
    char known[80] = "";
    for (int i = 0; i < SETS; i++) {
        strcat(known, i ? ", " : "");
        strcat(known, sets[i]->name);
    }
    return tensor_fail("tensor_set_kernels: found \"%s\"; expected one of %s",
                       name ? name : "(null)", known);
}

/* The fastest set of this processor, or the reference in a debug build. The reference always runs,
 * so the loop ends with a set. */
static void use_default(void)
{
#ifdef GRADUS_DEBUG
    const int last = 0; /* the reference */
#else
    const int last = SETS - 1;
#endif
    for (int i = last; i >= 0; i--)
        if (processor_has(sets[i]->name)) {
            kernels = sets[i];
            return;
        }
}

/* A name in GRADUS_KERNELS that is no set is a pending error, which the first call that can report
 * it reports. */
__attribute__((constructor)) static void choose_kernels(void)
{
#ifdef GRADUS_X86_LEVELS
    __builtin_cpu_init();
#endif
    use_default();
    const char *wanted = getenv("GRADUS_KERNELS");
    if (wanted && *wanted)
        tensor_set_kernels(wanted);
}
