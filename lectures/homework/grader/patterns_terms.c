/* patterns_terms.c: outputs that are right but for a factor or a term that is one of the inputs,
 * element by element: dy_i twice, gamma_j missing, x not added; and outputs that are off by one
 * number, or by a size of the case. */
#include "patterns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How the elements of an input belong to those of the output. */
typedef enum { SAME_SHAPE, ALONG_ROWS, ONE_EACH_ROW, PAIRINGS } Pairing;

/* The element of input k that belongs to element i of the output, or NAN. */
static double partner_of(const View *v, int at, int k, Pairing pairing, int i)
{
    const Expected *x = &v->cases->at[at].array[k];
    const CaseArray *y = &view_array(v, at)->a;
    int row = row_length(y);
    if (pairing == SAME_SHAPE)
        return x->a.count == y->count ? x->after[i] : NAN;
    if (pairing == ALONG_ROWS)
        return x->a.rank == 1 && x->a.count == row ? x->after[i % row] : NAN;
    return x->a.rank == 1 && y->rank > 1 && x->a.count * row == y->count ? x->after[i / row] : NAN;
}

/* What a wrong element may be: the right one times x or over x, plus or minus x. */
typedef enum { TIMES, OVER, PLUS, MINUS, RELATIONS } Relation;

static bool is_related(double got, double want, double x, Relation relation)
{
    double expected = relation == TIMES  ? want * x
                      : relation == OVER ? want / x
                      : relation == PLUS ? want + x
                                         : want - x;
    return same_number(got, expected);
}

/* Does the relation hold for every element, and tell at least some right from wrong? */
static bool holds(const View *v, int k, Pairing pairing, Relation relation)
{
    int seen = 0;
    for (int at = 0; at < v->cases->count; at++)
        for (int i = 0; i < view_array(v, at)->a.count; i++) {
            double x = partner_of(v, at, k, pairing, i), got = view_got(v, at, i);
            double want = view_want(v, at, i);
            if (isnan(x) || (relation == OVER && x == 0) || !is_related(got, want, x, relation))
                return false;
            seen += !same_number(got, want);
        }
    return seen > 5;
}

static bool is_input(const Expected *e)
{
    return e->a.kind == CASE_INPUT || e->a.kind == CASE_GIVEN;
}

/* Is the output an input, unchanged, in every case? */
static bool is_copy(const View *v, int k)
{
    int seen = 0;
    for (int at = 0; at < v->cases->count; at++) {
        const Expected *x = &v->cases->at[at].array[k];
        for (int i = 0; i < view_array(v, at)->a.count; i++, seen++)
            if (x->a.count != view_array(v, at)->a.count ||
                !same_number(view_got(v, at, i), x->after[i]))
                return false;
    }
    return seen > 11;
}

bool say_copy(Text *to, const View *v)
{
    const ExpectedCase *c = &v->cases->at[0];
    for (int k = 0; k < c->head.arrays; k++)
        if (is_input(&c->array[k]) && is_copy(v, k)) {
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
        for (int pairing = 0; is_input(&c->array[k]) && pairing < PAIRINGS; pairing++)
            for (int relation = 0; relation < RELATIONS; relation++)
                if (holds(v, k, (Pairing)pairing, (Relation)relation)) {
                    text_print(to, words[relation], view_array(v, 0)->a.name, c->array[k].a.name);
                    return true;
                }
    return false;
}

/* ---- one difference -------------------------------------------------------------------------- */

/* got - want of the first element; NAN if another element has a different one. */
static double difference_of(const View *v, int at)
{
    double gap = NAN;
    for (int i = 0; i < view_array(v, at)->a.count; i++) {
        double own = view_got(v, at, i) - view_want(v, at, i);
        if (isnan(gap))
            gap = own;
        if (!same_number(own, gap))
            return NAN;
    }
    return gap;
}

/* Is the difference in every case `sign` times this size, or over it, or, with size -1, one
 * number? */
static bool is_difference(const View *v, int size, int sign, bool over, double first)
{
    for (int at = 0; at < v->cases->count; at++) {
        double value = size < 0 ? 1 : v->cases->at[at].size[size].value;
        double wanted = size < 0 ? first : sign * (over ? 1 / value : value);
        if (view_array(v, at)->a.count && !same_number(difference_of(v, at), wanted))
            return false;
    }
    return true;
}

bool say_difference(Text *to, const View *v)
{
    const char *name = view_array(v, 0)->a.name;
    double first = difference_of(v, 0);
    if (isnan(first) || v->cases->count < 4)
        return false;
    if (fabs(first) > 1e-6 && is_difference(v, -1, 1, false, first)) {
        text_print(to, "Every element of %s is %.6g too %s.", name, fabs(first),
                   first > 0 ? "large" : "small");
        return true;
    }
    for (int s = 0; s < v->cases->at[0].head.sizes; s++)
        for (int way = 0; way < 4; way++)
            if (is_difference(v, s, way % 2 ? 1 : -1, way > 1, 0)) {
                text_print(to, "Every element of %s is %s%s too %s.", name, way > 1 ? "1 / " : "",
                           v->cases->at[0].size[s].name, way % 2 ? "large" : "small");
                return true;
            }
    return false;
}
