/* patterns_factor.c: outputs that are right but for a factor: one everywhere, one that is a size of
 * the case (d, 1 / n, the root of d) or a number that the function was given, or one for each
 * row. */
#include "patterns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- factors --------------------------------------------------------------------------------- */

/* The one f with got = f want in elements `from` up to `to` of a case; NAN if there is none or it
 * shows nowhere. */
static double factor_of(const View *v, int at, int from, int to)
{
    double f = NAN;
    for (int i = from; i < to; i++) {
        double got = view_got(v, at, i), want = view_want(v, at, i);
        if (fabs(want) <= 1e-4) {
            if (!(fabs(got) <= 1e-2))
                return NAN;
            continue;
        }
        if (isnan(f))
            f = got / want;
        else if (!(fabs(got / want - f) <= 1e-4 * fabs(f) + 1e-9))
            return NAN;
    }
    return f;
}

typedef struct {
    int cases;    /* in which a factor shows */
    int elements; /* in them                 */
    bool one;     /* the same in all         */
    double f[1024];
} Factors;

static bool find_factors(const View *v, Factors *f)
{
    *f = (Factors){.one = true};
    double first = NAN;
    for (int at = 0; at < v->cases->count && at < 1024; at++) {
        int count = view_array(v, at)->a.count;
        bool visible = false, zero = true;
        for (int i = 0; i < count; i++) {
            visible = visible || fabs(view_want(v, at, i)) > 1e-4;
            zero = zero && fabs(view_got(v, at, i)) <= 1e-2;
        }
        f->f[at] = factor_of(v, at, 0, count);
        if (!visible && zero)
            continue;
        if (isnan(f->f[at]))
            return false;
        if (isnan(first))
            first = f->f[at];
        f->one = f->one && fabs(f->f[at] - first) <= 1e-4 * fabs(first);
        f->cases++;
        f->elements += count;
    }
    if (f->cases)
        f->f[0] = f->one ? first : f->f[0];
    return f->cases > 2 && f->elements > 3;
}

/* x to a power that is given doubled: 1 is the root, -4 one over the square. */
static double square_of_power(double x, int doubled)
{
    double y = 1;
    for (int i = 0; i < (doubled < 0 ? -doubled : doubled); i++)
        y *= x;
    return doubled < 0 ? 1 / y : y;
}

typedef double Value(const View *v, int at, int which);

/* Is every case's factor this power of a value? The value has to vary. */
static bool is_power(const View *v, const Factors *f, Value *value, int which, int doubled)
{
    double low = INFINITY, high = -INFINITY;
    for (int at = 0; at < v->cases->count; at++) {
        double x = value(v, at, which), factor = f->f[at];
        if (isnan(factor))
            continue;
        double square = square_of_power(x, doubled);
        bool sign = factor > 0 || (x < 0 && doubled % 4 == 2) || (x < 0 && doubled % 4 == -2);
        if (!sign || !(fabs(square - factor * factor) <= 2e-4 * square))
            return false;
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    return low < high;
}

static double size_value(const View *v, int at, int which)
{
    return v->cases->at[at].size[which].value;
}

/* Of two sizes: m / k where a sum was divided by k and not by m. */
static double ratio_value(const View *v, int at, int which)
{
    int sizes = v->cases->at[at].head.sizes;
    return size_value(v, at, which / sizes) / size_value(v, at, which % sizes);
}

static double scalar_value(const View *v, int at, int which)
{
    const Expected *e = &v->cases->at[at].array[which];
    return e->a.count == 1 && e->a.rank == 0 ? e->after[0] : NAN;
}

static const struct {
    int doubled;
    const char *words;
} powers[] = {
    {2, ""},
    {-2, "1 / "},
    {1, "the root of "},
    {-1, "1 / the root of "},
    {4, "the square of "},
    {-4, "1 / the square of "},
};

/* "Every element of dk is the root of d times what it should be." */
static bool say_named_factor(Text *to, const View *v, const Factors *f)
{
    const ExpectedCase *c = &v->cases->at[0];
    for (int p = 0; p < 6; p++) {
        const char *name = NULL;
        for (int s = 0; s < c->head.sizes && !name; s++)
            if (is_power(v, f, size_value, s, powers[p].doubled))
                name = c->size[s].name;
        for (int k = 0; k < c->head.arrays && !name; k++)
            if ((c->array[k].a.kind == CASE_INPUT || c->array[k].a.kind == CASE_GIVEN) &&
                is_power(v, f, scalar_value, k, powers[p].doubled))
                name = c->array[k].a.name;
        if (!name)
            continue;
        text_print(to, "Every element of %s is %s%s times what it should be.",
                   view_array(v, 0)->a.name, powers[p].words, name);
        return true;
    }
    return false;
}

/* "Every element of dk is m / n times what it should be." */
static bool say_ratio(Text *to, const View *v, const Factors *f)
{
    const ExpectedCase *c = &v->cases->at[0];
    int n = c->head.sizes;
    for (int which = 0; which < n * n; which++)
        if (is_power(v, f, ratio_value, which, 2)) {
            text_print(to, "Every element of %s is %s / %s times what it should be.",
                       view_array(v, 0)->a.name, c->size[which / n].name, c->size[which % n].name);
            return true;
        }
    return false;
}

bool say_factor(Text *to, const View *v)
{
    const char *name = view_array(v, 0)->a.name;
    Factors *f = malloc(sizeof *f);
    bool said = f && find_factors(v, f);
    if (said && f->one && fabs(f->f[0] + 1) < 1e-4)
        text_print(to, "Every element of %s has the wrong sign.", name);
    else if (said && f->one && fabs(f->f[0]) > 1e-9)
        text_print(to, "Every element of %s is %.6g times what it should be.", name, f->f[0]);
    else
        said = said && !f->one && (say_named_factor(to, v, f) || say_ratio(to, v, f));
    free(f);
    return said;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Each row of at least two numbers has one factor (or difference) that is not that of other
 * rows. */
static bool rows_share(const View *v, bool factor)
{
    int rows = 0;
    for (int at = 0; at < v->cases->count; at++) {
        const CaseArray *a = &view_array(v, at)->a;
        int n = row_length(a);
        for (int from = 0; n > 2 && from + n <= a->count; from += n) {
            double gap = view_got(v, at, from) - view_want(v, at, from);
            if (factor && isnan(factor_of(v, at, from, from + n)))
                return false;
            for (int i = from; !factor && i < from + n; i++)
                if (!(fabs(view_got(v, at, i) - view_want(v, at, i) - gap) <=
                      1e-5 * (1 + fabs(gap))))
                    return false;
            rows++;
        }
    }
    return rows > 3;
}

/* One factor in each case, which is no known number. With one element in a case this says
 * nothing. */
static bool cases_share(const View *v)
{
    Factors *f = malloc(sizeof *f);
    bool share = f && find_factors(v, f) && !f->one && f->elements >= 2 * f->cases;
    free(f);
    return share;
}

bool say_rows(Text *to, const View *v)
{
    const char *name = view_array(v, 0)->a.name;
    if (cases_share(v))
        text_print(to,
                   "In each wrong case all of %s has one factor, not the same in every case: look "
                   "at what all of it is multiplied with or divided by.",
                   name);
    else if (rows_share(v, true))
        text_print(to,
                   "Within each row of %s the ratios are right, but each wrong row has a factor of "
                   "its own: look at what each row is multiplied with or divided by.",
                   name);
    else if (rows_share(v, false))
        text_print(
            to,
            "Within each row of %s the differences are right, but each wrong row is off by a "
            "constant of its own: look at what is added to each row or subtracted from it.",
            name);
    else
        return false;
    return true;
}
