/* embedding.c: the gradient of a table whose rows were chosen by ids.
 *
 * One row after the other is added where its id says, in time proportional to their number. The
 * reference (kernels/ref/embedding.c) adds up the rows of one id in double, for which it looks for
 * all of them. */
#include "tensor/kernels/simd/simd.h"

/* dtable_v += sum of dy_i over all i with ids_i = v */
void ISA_NAME(embedding_backward)(float *dtable, const float *dy, const int32_t *ids, int64_t count,
                                  int64_t n)
{
    for (int64_t i = 0; i < count; i++) {
        float *restrict row = dtable + ids[i] * n;
        const float *restrict from = dy + i * n;
        for (int64_t j = 0; j < n; j++)
            row[j] += from[j];
    }
}
