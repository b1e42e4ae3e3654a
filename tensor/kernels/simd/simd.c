/* simd.c: the table of one instruction set: the kernels of this folder (README.md lists its files),
 * and those of the reference where list.h names no fast one. */
#include "tensor/kernels/simd/simd.h"

#define TEXT_(name) #name
#define TEXT(name)  TEXT_(name)

const Kernels ISA_NAME(kernels) = {
    .name = TEXT(ISA),
    .scratch = KERNEL_SCRATCH_BYTES,
#define KERNEL(entry, Signature)      .entry = ref_##entry,
#define FAST_KERNEL(entry, Signature) .entry = ISA_NAME(entry),
#include "tensor/kernels/list.h"
};
