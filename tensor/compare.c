/* compare.c: do two tensors agree, and if not, where and by how much?
 *
 *   they agree where |got - want| <= absolute + relative |want|       (NumPy's allclose) */
#include "index.h"

#include <math.h>
#include <string.h>

typedef struct {
    int64_t count;    /* elements that differ                */
    Shape first;      /* index of the first of them          */
    double got, want; /* there                               */
    double largest;   /* |got - want|; infinite next to NaN  */
} Difference;

/* The text lives until the next call. */
static _Thread_local char text[512];

static const char *describe(const Difference *d, const Tensor *want)
{
    snprintf(text, sizeof text,
             "%lld of %lld differ, first at %s: got %.9g, want %.9g; largest difference %.3g",
             (long long)d->count, (long long)tensor_size(want), shape_str(d->first), d->got,
             d->want, d->largest);
    return text;
}

static const char *different_kind(const Tensor *got, const Tensor *want)
{
    if (tensor_is_poison(got) || tensor_is_poison(want))
        snprintf(text, sizeof text, "%s is the poison tensor: an earlier call failed",
                 tensor_is_poison(got) ? "got" : "want");
    else if (!shape_equal(got->shape, want->shape))
        snprintf(text, sizeof text, "shapes differ: got %s, want %s", shape_str(got->shape),
                 shape_str(want->shape));
    else
        return NULL;
    return text;
}

/* An infinite or undefined want leaves no room for a tolerance, which would be infinite too. */
static bool agree(double got, double want, double relative, double absolute, double *distance)
{
    if (isnan(got) || isnan(want) || isinf(got) || isinf(want)) {
        *distance = INFINITY;
        return got == want || (isnan(got) && isnan(want));
    }
    *distance = fabs(got - want);
    return *distance <= absolute + relative * fabs(want);
}

const char *tensor_difference(const Tensor *got, const Tensor *want, double relative,
                              double absolute)
{
    const char *kind = different_kind(got, want);
    if (kind)
        return kind;
    Difference d = {.first = {.rank = want->shape.rank}};
    int64_t n = tensor_size(want), index[TENSOR_MAX_RANK] = {0};
    for (int64_t i = 0; i < n; i++, index_step(want, index)) {
        double a = (double)tensor_get(got, index), b = (double)tensor_get(want, index), distance;
        if (agree(a, b, relative, absolute, &distance))
            continue;
        if (d.count++ == 0) {
            memcpy(d.first.dim, index, sizeof index);
            d.got = a;
            d.want = b;
        }
        d.largest = fmax(d.largest, distance);
    }
    return d.count ? describe(&d, want) : NULL;
}
