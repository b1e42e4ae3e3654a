/* shape.c: how many axes a tensor has and how long each is.
 *
 * A Shape is a plain value and anyone may fill one in, so shape_check comes before memory is taken
 * for one. On a shape that it refuses, the functions here are safe, but their results mean
 * nothing. */
#include "tensor/memory.h"

#include <string.h>

/* The number of axes that dim has, whatever s.rank says. */
static int axes(const Shape *s)
{
    return s->rank < 0 ? 0 : s->rank > TENSOR_MAX_RANK ? TENSOR_MAX_RANK : s->rank;
}

Shape shape0(void)
{
    return (Shape){0};
}

Shape shape1(int64_t a)
{
    return (Shape)SHAPE(a);
}

Shape shape2(int64_t a, int64_t b)
{
    return (Shape)SHAPE(a, b);
}

Shape shape3(int64_t a, int64_t b, int64_t c)
{
    return (Shape)SHAPE(a, b, c);
}

Shape shape4(int64_t a, int64_t b, int64_t c, int64_t d)
{
    return (Shape)SHAPE(a, b, c, d);
}

Shape shape5(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e)
{
    return (Shape)SHAPE(a, b, c, d, e);
}

static int64_t product(const Shape *s, int n)
{
    int64_t size = 1;
    for (int i = 0; i < n; i++)
        if (!tensor_checked_mul(size, s->dim[i], &size))
            return INT64_MAX;
    return size;
}

int64_t shape_size(Shape s)
{
    return product(&s, axes(&s));
}

int64_t shape_last(Shape s)
{
    int n = axes(&s);
    return n ? s.dim[n - 1] : 1;
}

int64_t shape_rows(Shape s)
{
    int n = axes(&s);
    return n ? product(&s, n - 1) : 1;
}

/* Only the axes that exist are compared; dim beyond the rank may hold anything. */
bool shape_equal(Shape a, Shape b)
{
    return a.rank == b.rank && memcmp(a.dim, b.dim, (size_t)axes(&a) * sizeof a.dim[0]) == 0;
}

/* The order of the checks is that of what a caller most likely got wrong. */
bool shape_check(Shape s, const char *who)
{
    if (s.rank < 0 || s.rank > TENSOR_MAX_RANK)
        return tensor_fail("%s: rank %d; expected 0 to %d", who, s.rank, TENSOR_MAX_RANK);
    /* An axis of length 0 counts as 1, since strides are products of the other axes. */
    int64_t size = 1;
    for (int i = 0; i < s.rank; i++) {
        if (s.dim[i] < 0)
            return tensor_fail("%s: shape %s; expected no negative axis", who, shape_str(s));
        if (!tensor_checked_mul(size, s.dim[i] ? s.dim[i] : 1, &size) ||
            size > PTRDIFF_MAX / (int64_t)sizeof(double))
            return tensor_fail("%s: shape %s; expected one that fits into memory", who,
                               shape_str(s));
    }
    return true;
}

/* Aligned from the last axis, an axis that one shape lacks counts as 1. */
bool shape_broadcast(Shape a, Shape b, Shape *both)
{
    int rank_a = axes(&a), rank_b = axes(&b);
    Shape s = {.rank = rank_a > rank_b ? rank_a : rank_b};
    for (int i = 1; i <= s.rank; i++) { /* the i-th axis from the end */
        int64_t m = i <= rank_a ? a.dim[rank_a - i] : 1;
        int64_t n = i <= rank_b ? b.dim[rank_b - i] : 1;
        if (m != n && m != 1 && n != 1)
            return false;
        s.dim[s.rank - i] = m == 1 ? n : m;
    }
    if (both)
        *both = s;
    return true;
}

const char *shape_str(Shape s)
{
    enum { TEXTS = 8, TEXT_MAX = 160 }; /* 6 axes of at most 20 characters and ", " */
    static _Thread_local char ring[TEXTS][TEXT_MAX];
    static _Thread_local unsigned next;
    char *text = ring[next++ % TEXTS];
    int n = axes(&s), at = snprintf(text, TEXT_MAX, "(");
    for (int i = 0; i < n; i++)
        at += snprintf(text + at, (size_t)(TEXT_MAX - at), i ? ", %lld" : "%lld",
                       (long long)s.dim[i]);
    snprintf(text + at, (size_t)(TEXT_MAX - at), n == 1 ? ",)" : ")");
    return text;
}

int shape_axis(Shape s, int axis, const char *who)
{
    int rank = axes(&s);
    if (axis >= -rank && axis < rank)
        return axis < 0 ? axis + rank : axis;
    if (rank == 0)
        tensor_fail("%s: axis %d; expected none, as the shape is ()", who, axis);
    else
        tensor_fail("%s: axis %d; expected %d to %d for shape %s", who, axis, -rank, rank - 1,
                    shape_str(s));
    return -1;
}
