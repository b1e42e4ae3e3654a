/* compare.c: whether two tensors agree, and if not, where and by how much they differ.
 *
 *   two numbers agree where |got - want| <= absolute + relative |want|       (NumPy's allclose)
 *
 * The text reports the first difference by its index, since that is where a debugger or a reader
 * begins, and the largest, since that tells rounding from a mistake. */
#include "tensor/memory.h"
#include "tensor/strided_rows.h"

#include <math.h>
#include <string.h>

/* Infinities and NaN agree with themselves alone: |want| is no tolerance then. */
static bool agree(double got, double want, double relative, double absolute, double *distance)
{
    if (isnan(got) || isnan(want) || isinf(got) || isinf(want)) {
        *distance = INFINITY;
        return got == want || (isnan(got) && isnan(want));
    }
    *distance = fabs(got - want);
    return *distance <= absolute + relative * fabs(want);
}

static bool comparable(const Tensor *got, const Tensor *want, double relative, double absolute)
{
    static const char who[] = "tensor_difference";
    if (tensor_is_poison(got) || tensor_is_poison(want))
        return tensor_fail("%s: %s is NULL or poison, as an earlier call failed; expected a tensor",
                           who, tensor_is_poison(got) ? "got" : "want");
    if (!tensor_is_current(got, who) || !tensor_is_current(want, who))
        return false;
    return (relative >= 0 && absolute >= 0 && isfinite(relative) && isfinite(absolute)) ||
           tensor_fail("%s: the tolerances are %g and %g; expected finite numbers, 0 or more", who,
                       relative, absolute);
}

const char *tensor_difference(const Tensor *got, const Tensor *want, double relative,
                              double absolute)
{
    static _Thread_local char text[512];
    if (!comparable(got, want, relative, absolute))
        return tensor_error();
    if (!shape_equal(got->shape, want->shape)) {
        snprintf(text, sizeof text, "shapes differ: got %s, want %s", shape_str(got->shape),
                 shape_str(want->shape));
        return text;
    }
    Shape first = want->shape; /* becomes the index of the first that differ, a and b */
    double first_a = 0, first_b = 0, distance, largest = 0;
    int64_t n = tensor_size(want), count = 0;
    StridedRows w = strided_indices(want->shape, 0, NULL);
    for (; !w.done; strided_rows_next(&w)) {
        double a = (double)tensor_get(got, w.index), b = (double)tensor_get(want, w.index);
        if (agree(a, b, relative, absolute, &distance))
            continue;
        if (count++ == 0) {
            memcpy(first.dim, w.index, sizeof w.index);
            first_a = a;
            first_b = b;
        }
        largest = fmax(largest, distance);
    }
    snprintf(text, sizeof text,
             "%lld of %lld differ, first at %s: got %.9g, want %.9g; largest difference %.3g",
             (long long)count, (long long)n, shape_str(first), first_a, first_b, largest);
    return count > 0 ? text : NULL;
}
