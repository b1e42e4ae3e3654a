/* patterns_terms.c: outputs that are right but for a factor or a term x, which is one number, a
 * size of the case (d, 1 / n, the root of d), an input, or another number for each row. */
#include "patterns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a wrong element may be: the right one times x or over x, plus or minus x, or x itself. */
typedef enum { TIMES, OVER, PLUS, MINUS, RELATIONS, COPY } Relation;

/* Where x comes from: SIZE and SCALAR to a power that is in `number`; of an array of inputs the
 * element that belongs to the output's. */
typedef enum { NUMBER, SIZE, RATIO, SCALAR, SAME_SHAPE, ALONG_ROWS, ONE_EACH_ROW } Kind;

typedef struct {
    Kind kind;
    int which, other; /* sizes or arrays of the case */
    double number;
} Value;

static double related(double want, double x, Relation relation)
{
    return relation == TIMES   ? want * x
           : relation == OVER  ? want / x
           : relation == PLUS  ? want + x
           : relation == MINUS ? want - x
                               : x;
}

/* x for element i of the output; NAN where there is none. */
static double value_at(const View *v, const Value *x, int at, int i)
{
    const ExpectedCase *c = &v->cases->at[at];
    const Expected *e = &c->array[x->which];
    const CaseArray *y = &view_array(v, at)->a;
    int row = row_length(y);
    switch (x->kind) {
    case NUMBER:
        return x->number;
    case SIZE:
        return pow(c->size[x->which].value, x->number);
    case RATIO:
        return (double)c->size[x->which].value / c->size[x->other].value;
    case SCALAR:
        return e->a.count == 1 && e->a.rank == 0 ? pow(e->after[0], x->number) : NAN;
    case SAME_SHAPE:
        return e->a.count == y->count ? e->after[i] : NAN;
    case ALONG_ROWS:
        return e->a.rank == 1 && e->a.count == row ? e->after[i % row] : NAN;
    default:
        return e->a.rank == 1 && y->rank > 1 && e->a.count * row == y->count ? e->after[i / row]
                                                                             : NAN;
    }
}

/* Does the relation hold for every element, and tell at least some right from wrong? One case does
 * not tell a number from a size. */
static bool holds(const View *v, const Value *x, Relation relation)
{
    int seen = 0;
    for (int at = 0; at < v->cases->count; at++)
        for (int i = 0; i < view_array(v, at)->a.count; i++) {
            double got = view_got(v, at, i), want = view_want(v, at, i);
            double right = related(want, value_at(v, x, at, i), relation);
            if (isnan(right) || !same_number(got, right))
                return false;
            seen += !same_number(got, want);
        }
    return seen > 5 && (x->kind >= SAME_SHAPE || v->cases->count > 2);
}

/* The x of a factor or a term in elements `from` up to `to` of a case: that of the largest number,
 * which rounding changes least. *largest is raised to its size; x stays where none is larger. */
static void fit(const View *v, int at, int from, int to, Relation relation, double *largest,
                double *x)
{
    for (int i = from; i < to; i++) {
        double got = view_got(v, at, i), want = view_want(v, at, i);
        if (!(fabs(want) > *largest))
            continue;
        *largest = fabs(want);
        *x = relation != TIMES ? got - want : want != 0 ? got / want : 0;
    }
}

/* ---- one number, a size ---------------------------------------------------------------------- */

static Value number_of(const View *v, Relation relation)
{
    double largest = -1;
    Value x = {.kind = NUMBER, .number = NAN};
    for (int at = 0; at < v->cases->count; at++)
        fit(v, at, 0, view_array(v, at)->a.count, relation, &largest, &x.number);
    return x;
}

static const struct {
    double power;
    const char *words;
} powers[] = {
    {1, ""},
    {-1, "1 / "},
    {0.5, "the root of "},
    {-0.5, "1 / the root of "},
    {2, "the square of "},
    {-2, "1 / the square of "},
};

static bool is_input(const Expected *e)
{
    return e->a.kind == CASE_INPUT || e->a.kind == CASE_GIVEN;
}

/* "Every element of dk is the root of d times what it should be." */
static bool say_named_factor(Text *to, const View *v)
{
    const ExpectedCase *c = &v->cases->at[0];
    for (int p = 0; p < 6; p++) {
        const char *name = NULL;
        for (int s = 0; s < c->head.sizes && !name; s++)
            if (holds(v, &(Value){SIZE, s, 0, powers[p].power}, TIMES))
                name = c->size[s].name;
        for (int k = 0; k < c->head.arrays && !name; k++)
            if (is_input(&c->array[k]) && holds(v, &(Value){SCALAR, k, 0, powers[p].power}, TIMES))
                name = c->array[k].a.name;
        if (!name)
            continue;
        text_print(to, "Every element of %s is %s%s times what it should be.",
                   view_array(v, 0)->a.name, powers[p].words, name);
        return true;
    }
    return false;
}

/* "Every element of dk is m / n times what it should be": a sum was divided by n and not by m. */
static bool say_ratio(Text *to, const View *v)
{
    const ExpectedCase *c = &v->cases->at[0];
    for (int m = 0; m < c->head.sizes; m++)
        for (int n = 0; n < c->head.sizes; n++)
            if (holds(v, &(Value){RATIO, m, n, 0}, TIMES)) {
                text_print(to, "Every element of %s is %s / %s times what it should be.",
                           view_array(v, 0)->a.name, c->size[m].name, c->size[n].name);
                return true;
            }
    return false;
}

bool say_factor(Text *to, const View *v)
{
    const char *name = view_array(v, 0)->a.name;
    Value x = number_of(v, TIMES);
    if (!(fabs(x.number) > 1e-9) || !holds(v, &x, TIMES))
        return say_named_factor(to, v) || say_ratio(to, v);
    if (fabs(x.number + 1) < 1e-4)
        text_print(to, "Every element of %s has the wrong sign.", name);
    else
        text_print(to, "Every element of %s is %.6g times what it should be.", name, x.number);
    return true;
}

bool say_difference(Text *to, const View *v)
{
    Value x = number_of(v, PLUS);
    if (!holds(v, &x, PLUS))
        return false;
    text_print(to, "Every element of %s is %.6g too %s.", view_array(v, 0)->a.name, fabs(x.number),
               x.number > 0 ? "large" : "small");
    return true;
}

/* ---- an input -------------------------------------------------------------------------------- */

bool say_copy(Text *to, const View *v)
{
    const ExpectedCase *c = &v->cases->at[0];
    for (int k = 0; k < c->head.arrays; k++)
        if (is_input(&c->array[k]) && holds(v, &(Value){SAME_SHAPE, k, 0, 0}, COPY)) {
            text_print(to,
                       "%s is %s, unchanged: nothing is computed from it, or what is comes too "
                       "late or has no effect.",
                       view_array(v, 0)->a.name, c->array[k].a.name);
            return true;
        }
    return false;
}

bool say_term(Text *to, const View *v)
{
    static const char *const words[RELATIONS] = {"Every element of %s has a factor %s too much.",
                                                 "Every element of %s lacks a factor %s.",
                                                 "Every element of %s has a term %s too much.",
                                                 "Every element of %s lacks a term %s."};
    const ExpectedCase *c = &v->cases->at[0];
    for (int k = 0; k < c->head.arrays; k++)
        for (int kind = SAME_SHAPE; is_input(&c->array[k]) && kind <= ONE_EACH_ROW; kind++)
            for (int relation = 0; relation < RELATIONS; relation++)
                if (holds(v, &(Value){(Kind)kind, k, 0, 0}, (Relation)relation)) {
                    text_print(to, words[relation], view_array(v, 0)->a.name, c->array[k].a.name);
                    return true;
                }
    return false;
}

/* ---- one for each row ------------------------------------------------------------------------ */

/* A row of one or two elements says nothing. */
bool say_rows(Text *to, const View *v)
{
    int telling = 0;
    for (int at = 0; at < v->cases->count; at++) {
        const CaseArray *a = &view_array(v, at)->a;
        int n = row_length(a);
        for (int from = 0; n > 2 && from + n <= a->count; from += n) {
            double largest = -1, x = 0;
            fit(v, at, from, from + n, TIMES, &largest, &x);
            for (int i = from; i < from + n; i++)
                if (!same_number(view_got(v, at, i), view_want(v, at, i) * x))
                    return false;
            telling += largest > 0;
        }
    }
    if (telling <= 3)
        return false;
    text_print(to,
               "Within each row of %s the ratios are right, but each wrong row has a factor of "
               "its own: look at what each row is multiplied with or divided by.",
               view_array(v, 0)->a.name);
    return true;
}
