/* patterns.c: sentences about an output array that its numbers prove: it was not written, every
 * element has the wrong sign or the same factor, it was set instead of added to, it is the
 * transposed matrix.
 *
 * Every sentence is checked on all elements of all cases of a test, so that none is a guess. */
#include "patterns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Students write expf and sqrtf, which are right to 7 digits, in the double build too. */
bool same_number(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    if (isinf(a) || isinf(b))
        return a == b;
    return fabs(a - b) <= 1e-6 + 1e-5 * fabs(b);
}

const Expected *view_array(const View *v, int at)
{
    return &v->cases->at[at].array[v->k];
}

static double view_raw(const View *v, int at, int i)
{
    return v->numbers->number[at * ARRAYS_MAX + v->k][i];
}

double view_got(const View *v, int at, int i)
{
    const Expected *e = view_array(v, at);
    return view_raw(v, at, i) - (e->before ? e->before[i] : 0);
}

double view_want(const View *v, int at, int i)
{
    const Expected *e = view_array(v, at);
    return expected_number(e, i) - (e->before ? e->before[i] : 0);
}

bool view_wrong_case(const View *v, int at)
{
    for (int i = 0; i < view_array(v, at)->a.count; i++)
        if (!same_number(view_got(v, at, i), view_want(v, at, i)))
            return true;
    return false;
}

/* Does f hold for every element of every case? */
typedef bool Holds(const View *v, int at, int i);

static bool holds_everywhere(const View *v, Holds *f)
{
    for (int at = 0; at < v->cases->count; at++)
        for (int i = 0; i < view_array(v, at)->a.count; i++)
            if (!f(v, at, i))
                return false;
    return true;
}

static bool is_untouched(const View *v, int at, int i)
{
    const Expected *e = view_array(v, at);
    return e->before ? view_got(v, at, i) == 0 : view_raw(v, at, i) == HOLDS_NOTHING;
}

bool view_is_untouched(const View *v)
{
    return holds_everywhere(v, is_untouched);
}

static bool is_nothing_added(const View *v, int at, int i)
{
    return view_array(v, at)->before && fabs(view_got(v, at, i)) < 1e-9;
}

static bool is_constant(const View *v, int at, int i)
{
    return view_raw(v, at, i) == view_raw(v, 0, 0);
}

static bool is_set_for_added(const View *v, int at, int i)
{
    return view_array(v, at)->before && same_number(view_raw(v, at, i), view_want(v, at, i));
}

/* -9999 + y keeps four digits fewer than y. */
static bool is_added_for_set(const View *v, int at, int i)
{
    double want = view_want(v, at, i);
    return !view_array(v, at)->before &&
           fabs(view_raw(v, at, i) - HOLDS_NOTHING - want) <= 1e-6 + 1e-4 * fabs(want);
}

/* ---- numbers that are none ------------------------------------------------------------------- */

/* The bits of a NaN survive arithmetic, but for its sign, so they tell where it was read. */
static bool same_payload(double x, double y)
{
    uint64_t one, two, rest = (uint64_t)1 << 51 | (uint64_t)1 << 63;
    memcpy(&one, &x, sizeof one);
    memcpy(&two, &y, sizeof two);
    return (one | rest) == (two | rest);
}

static bool is_poison(double x, uint32_t word)
{
    float f;
    double d;
    memcpy(&f, &word, sizeof f);
    memcpy(&d, (uint32_t[]){word, word}, sizeof d);
    return same_payload(x, (double)f) || same_payload(x, d);
}

const char *poison_words(double x, bool whole)
{
    if (x == (double)(int)FILLED_WORD || (isfinite(x) && fabs(x) > 1e250))
        return "it comes from a variable that was read before it was set";
    if (whole)
        return x == (double)(int)GUARD_WORD ? "it was read outside of an array" : "";
    if (!isnan(x))
        return "";
    if (is_poison(x, GUARD_WORD))
        return "it comes from a read outside of an array: an index is too large or negative";
    if (is_poison(x, FREED_WORD))
        return "it comes from memory that was read after free";
    if (is_poison(x, UNSET_WORD))
        return "it comes from a variable or memory of malloc that was read before it was set";
    return "it comes from 0/0, infinity - infinity, or a root or logarithm of a negative number";
}

static void print_where(Text *to, const View *v, int at, int i)
{
    const ExpectedCase *c = &v->cases->at[at];
    print_element(to, &c->array[v->k].a, i);
    if (c->head.sizes)
        text_put(to, " with ");
    print_sizes(to, c);
}

/* The first element that is NaN or infinite where the right one is a number. */
static bool say_no_number(Text *to, const View *v)
{
    for (int at = 0; at < v->cases->count; at++)
        for (int i = 0; i < view_array(v, at)->a.count; i++) {
            const CaseArray *a = &view_array(v, at)->a;
            double raw = view_raw(v, at, i);
            const char *poison = poison_words(raw, a->whole);
            bool lost = !isfinite(raw) && isfinite(view_want(v, at, i));
            if (!lost && !(poison[0] && !same_number(raw, view_want(v, at, i))))
                continue;
            print_where(to, v, at, i);
            text_put(to, isnan(raw) ? " is NaN: " : isinf(raw) ? " is infinite" : " is wrong: ");
            text_put(to, isinf(raw) ? ": exp of a large number, the logarithm of 0, a division by "
                                      "0, or a variable that was read before it was set"
                                    : poison);
            text_put(to, ".");
            return true;
        }
    return false;
}

static bool say_unwritten(Text *to, const View *v)
{
    int unwritten = 0, first_at = 0, first_i = 0, all = 0;
    for (int at = 0; at < v->cases->count; at++)
        for (int i = 0; i < view_array(v, at)->a.count; i++) {
            bool left = !view_array(v, at)->before && view_raw(v, at, i) == HOLDS_NOTHING &&
                        view_want(v, at, i) != HOLDS_NOTHING;
            all++;
            if (!left)
                continue;
            if (unwritten++ == 0) {
                first_at = at;
                first_i = i;
            }
        }
    if (unwritten == 0)
        return false;
    text_print(to, "Some elements of %s are not written (%d of %d in all cases), first ",
               view_array(v, 0)->a.name, unwritten, all);
    print_where(to, v, first_at, first_i);
    text_put(to, ".");
    return true;
}

/* ---- other positions ------------------------------------------------------------------------- */

int row_length(const CaseArray *a)
{
    return a->rank > 0 ? a->dims[a->rank - 1] : 1;
}

/* Does each matrix hold the transposed of the right one? */
static bool is_transposed(const View *v)
{
    int seen = 0;
    for (int at = 0; at < v->cases->count; at++) {
        const CaseArray *a = &view_array(v, at)->a;
        int cols = row_length(a), rows = a->dims[a->rank - 2];
        for (int i = 0; i < a->count; i++) {
            int in = i % (rows * cols), from = i - in + in % rows * cols + in / rows;
            if (!same_number(view_got(v, at, i), view_want(v, at, from)))
                return false;
            seen += !same_number(view_got(v, at, i), view_want(v, at, i));
        }
    }
    return seen > 5;
}

static int by_value(const void *left, const void *right)
{
    double l = *(const double *)left, r = *(const double *)right;
    return (l > r) - (l < r);
}

static bool same_multiset(const View *v, int at)
{
    int count = view_array(v, at)->a.count;
    double *sorted = memory(2 * (size_t)count, sizeof *sorted);
    for (int i = 0; i < count; i++) {
        sorted[i] = view_got(v, at, i);
        sorted[count + i] = view_want(v, at, i);
    }
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    qsort(sorted + count, (size_t)count, sizeof *sorted, by_value);
    bool same = true;
    for (int i = 0; i < count && same; i++)
        same = same_number(sorted[i], sorted[count + i]);
    free(sorted);
    return same;
}

static bool say_positions(Text *to, const View *v)
{
    const CaseArray *a = &view_array(v, 0)->a;
    int wrong = 0;
    bool same = a->rank > 0;
    if (a->rank > 1 && is_transposed(v)) {
        text_print(to, "%s holds the transposed of the right matrix.", a->name);
        return true;
    }
    for (int at = 0; at < v->cases->count && same; at++) {
        wrong += view_wrong_case(v, at);
        same = same_multiset(v, at);
    }
    if (!same || wrong < 2)
        return false;
    text_print(to, "%s holds the right numbers, but in other positions.", a->name);
    return true;
}

/* Every number is whole, and enough of the right ones are not. */
static bool say_whole(Text *to, const View *v)
{
    int broken = 0;
    for (int at = 0; at < v->cases->count; at++)
        for (int i = 0; i < view_array(v, at)->a.count; i++) {
            double got = view_got(v, at, i), want = view_want(v, at, i);
            if (!(fabs(got) < 1e9) || got != (double)(long)got)
                return false;
            broken += want != (double)(long)want;
        }
    if (view_array(v, 0)->a.whole || broken < 6)
        return false;
    text_print(to,
               "Every element of %s is a whole number: is a sum or a quotient computed with int?",
               view_array(v, 0)->a.name);
    return true;
}

bool say_value_pattern(Text *to, const View *v)
{
    const char *name = view_array(v, 0)->a.name;
    bool sum = view_array(v, 0)->before != NULL;
    if (holds_everywhere(v, is_untouched))
        text_print(to, sum ? "Nothing is added to %s." : "%s is not written.", name);
    else if (holds_everywhere(v, is_nothing_added))
        text_print(to, "All that is added to %s is 0.", name);
    else if (say_unwritten(to, v) || say_no_number(to, v))
        return true;
    else if (!sum && v->cases->count > 2 && view_array(v, 0)->a.count &&
             holds_everywhere(v, is_constant))
        text_print(to, "%s is %g, whatever the input.", name, view_raw(v, 0, 0));
    else if (holds_everywhere(v, is_set_for_added))
        text_print(to,
                   "%s holds the right gradient, but what it held before the call is lost: = where "
                   "+= is needed, or set to 0 first.",
                   name);
    else if (holds_everywhere(v, is_added_for_set))
        text_print(to,
                   "%s holds the right result plus the -9999 that it held before the call: += "
                   "where = is needed.",
                   name);
    else
        return say_whole(to, v) || say_copy(to, v) || say_factor(to, v) || say_term(to, v) ||
               say_difference(to, v) || say_positions(to, v) || say_rows(to, v);
    return true;
}
