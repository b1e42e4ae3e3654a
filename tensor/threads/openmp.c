/* openmp.c: threads from OpenMP, for programs that use OpenMP themselves (meson -Dopenmp=enabled).
 *
 * One team of threads then does the program's loops and these. How its idle threads wait is a matter of
 * OMP_WAIT_POLICY: active, they spin; passive, they sleep at once. This is the only file with a pragma. */
#include "tensor/threads/parallel.h"

#include <omp.h>

bool parallel_share(const ParallelLoop *loop)
{
    if (omp_in_parallel()) /* of the program's */
        return false;
#pragma omp parallel for num_threads(loop->pieces) schedule(static, 1)
    for (int piece = 0; piece < loop->pieces; piece++)
        parallel_piece(loop, piece);
    return true;
}
