/* relative.c: the relative position bias of T5, a number for each head and range of distances.
 *                   Raffel et al., "Exploring the limits of transfer learning with a unified
 *                   text-to-text transformer" (2020), section 2.1
 *   A = softmax(scale q k^T + b),  b_hts = weight[range(s - t)]_h
 *   range(n), n = 0, 1, ..., e - 1: n itself;  from e on: e + floor(ln(n / e) / ln(farthest / e) (ranges - e)),
 *   at most ranges - 1, with e half of the ranges of a direction
 * Distances, not positions, have numbers of their own, so that a text may be longer than those of
 * training. */
#include "nn/pretrained/inside.h"

#include <math.h>

/* The range of a key that is `distance` after the query. The quotient of the logarithms is rounded
 * to float first, as in PyTorch's implementation, so that distances whose quotient is whole have
 * its range. */
static int range_of(const PretrainedAttention *a, int64_t distance)
{
    const bool both = a->both_directions;
    int64_t ranges = a->distance_bias->shape.dim[0] / (both ? 2 : 1), single = ranges / 2,
            base = both && distance > 0 ? ranges : 0;
    distance = both && distance > 0 ? distance : distance < 0 ? -distance : 0;
    if (distance < single)
        return (int)(base + distance);
    float part = logf((float)distance / (float)single) /
                 (float)log((double)a->farthest / (double)single) * (float)(ranges - single);
    int64_t far = single + (int64_t)part;
    return (int)(base + (far < ranges ? far : ranges - 1));
}

/* A look-up gives (B, T, S, H); its heads become the second axis by a view. */
Tensor *pretrained_relative(const PretrainedAttention *a, Tape *tape, const int *first, int64_t B,
                            int64_t T, int64_t S)
{
    if (!first)
        B = 1;
    int *ids = tape_memory(tape, (size_t)(B * T * S) * sizeof *ids);
    if (!ids)
        return tape_fail(tape);
    for (int64_t s = 0; s < B; s++)
        for (int64_t t = 0; t < T; t++)
            for (int64_t k = 0; k < S; k++)
                ids[(s * T + t) * S + k] = range_of(a, k - t - (first ? first[s] : 0));
    Tensor *y = ag_embedding(a->distance_bias, tape_ids(tape, ids, shape3(B, T, S)));
    return ag_permute(y, (int[]){0, 3, 1, 2});
}
