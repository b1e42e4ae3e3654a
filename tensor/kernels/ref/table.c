/* table.c: the table of the reference kernels. ref.h says in which file each of them is.
 *
 * `scratch` is 0, since the reference needs none; the one kernel that needs memory, attention, has
 * it from its caller. */
#include "tensor/kernels/ref/ref.h"

const Kernels kernels_ref = {
    .name = "ref",
#define KERNEL(entry, Signature) .entry = ref_##entry,
#include "tensor/kernels/list.h"
};
