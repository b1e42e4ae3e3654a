/* openmp.c: threads from OpenMP, for programs that use OpenMP themselves (meson -Dopenmp=enabled).
 *
 * One team of threads then computes the program's loops and the library's. OMP_WAIT_POLICY decides
 * how its idle threads wait: active, they spin; passive, they sleep at once. No other file has a
 * pragma of OpenMP. */
#include "tensor/threads/parallel.h"

#include <omp.h>

/* schedule(static, 1): one piece for each thread; there are no more than tensor_threads(). */
bool parallel_share(const ParallelLoop *loop)
{
    if (omp_in_parallel()) /* inside a loop of the program */
        return false;
#pragma omp parallel for num_threads(loop->pieces) schedule(static, 1)
    for (int piece = 0; piece < loop->pieces; piece++)
        parallel_piece(loop, piece);
    return true;
}
