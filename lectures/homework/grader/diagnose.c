/* diagnose.c: names the mistake behind wrong numbers.
 *
 * The submission has run in double on the cases of a test. Each known mistake of the same function
 * runs on the very same cases; it is named only if ALL its numbers are the submission's, up to
 * rounding. Two mistakes at once, or an unknown one, therefore match nothing and are not misnamed.
 * Where no mistake is named, the numbers alone are described (patterns.c). Where double is right,
 * only the mistakes that show in float are compared. */
#include "patterns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* In float, two ways to the same formula differ in the fifth digit. */
static bool agree(double a, double b, Variant variant)
{
    return same_number(a, b) || (variant == FLOAT && fabs(a - b) <= 1e-5 + 1e-4 * fabs(b));
}

/* Are all outputs of all cases the same? */
static bool all_same(const Cases *mistake, const Numbers *n, Variant variant)
{
    if (mistake->count != n->done)
        return false;
    for (int c = 0; c < n->done; c++)
        for (int k = 0; k < mistake->at[c].head.arrays; k++) {
            const Expected *e = &mistake->at[c].array[k];
            for (int i = 0; is_output(&e->a) && i < e->a.count; i++)
                if (!agree(n->number[c * ARRAYS_MAX + k][i], e->after[i], variant))
                    return false;
        }
    return true;
}

/* What a library computes in the cases of q. */
static bool values_of(const Assignment *a, const char *library, Variant variant, const Request *q,
                      Cases *cases)
{
    Bench bench = {.assignment = a, .variant = variant, .wall_limit = 20};
    Outcome o;
    Request ask = *q;
    snprintf(bench.library, sizeof bench.library, "%s", library);
    ask.mode = RUN_VALUES;
    ask.function = -1;
    bool good = bench_cases(&bench, &ask, cases, &o);
    outcome_free(&o);
    bench_close(&bench);
    return good;
}

/* Does the submission do what this mistake does, in this test? */
static bool matches(const Assignment *a, const Mistake *m, const Request *q, const Numbers *n,
                    Variant variant)
{
    char library[PATH_SIZE];
    Text why = {0};
    Cases cases = {.count = 0};
    bool match = mistake_library(a, m, variant, library, &why) &&
                 values_of(a, library, variant, q, &cases) && all_same(&cases, n, variant);
    cases_free(&cases);
    text_free(&why);
    return match;
}

static bool same_cases(const Cases *one, const Cases *other)
{
    for (int c = 0; c < one->count; c++)
        for (int k = 0; k < one->at[c].head.arrays; k++)
            for (int i = 0; i < one->at[c].array[k].a.count; i++)
                if (!same_number(one->at[c].array[k].after[i], other->at[c].array[k].after[i]))
                    return false;
    return true;
}

/* The submission has passed the test that this one needs. A mistake that fails it cannot be the
 * submission's. */
static bool passes_needed(const Assignment *a, const Mistake *m, const Request *q)
{
    char library[PATH_SIZE], solution[PATH_SIZE];
    Text why = {0};
    Cases mistake = {.count = 0}, right = {.count = 0};
    int needed = assignment_test(a, a->test[q->test].needs);
    if (needed < 0)
        return true;
    Request ask = request_all(a, needed, q->seed);
    bool passes = mistake_library(a, m, JUDGE, library, &why) &&
                  values_of(a, library, JUDGE, &ask, &mistake) &&
                  values_of(a, cached(a, "reference", JUDGE, solution), JUDGE, &ask, &right) &&
                  same_cases(&mistake, &right);
    cases_free(&mistake);
    cases_free(&right);
    text_free(&why);
    return passes;
}

/* ---- what the numbers alone show ------------------------------------------------------------- */

/* The run that failed may be in float where n is in double. */
static bool all_untouched(const Cases *cases, const Numbers *shown)
{
    for (int k = 0; k < cases->at[0].head.arrays; k++) {
        View v = {cases, shown, k};
        if (is_output(&cases->at[0].array[k].a) &&
            (shown->done < cases->count || !view_is_untouched(&v)))
            return false;
    }
    return true;
}

/* The output arrays that are wrong, in the order of the first case in which each is: so the array
 * that the report shows comes first. Returns how many. */
static int wrong_arrays(const Cases *cases, const Numbers *n, int wrong[ARRAYS_MAX])
{
    int count = 0;
    bool known[ARRAYS_MAX] = {false};
    for (int at = 0; at < cases->count; at++)
        for (int k = 0; k < cases->at[0].head.arrays; k++) {
            View v = {cases, n, k};
            if (!is_output(&cases->at[0].array[k].a) || known[k] || !view_wrong_case(&v, at))
                continue;
            known[k] = true;
            wrong[count++] = k;
        }
    return count;
}

/* The functions of patterns.c on each output array that is wrong, at most two sentences. */
static bool say_patterns(Text *to, const Cases *cases, const Numbers *n, const Numbers *shown)
{
    int said = 0, outputs = 0, untouched = 0, wrong[ARRAYS_MAX];
    int count = wrong_arrays(cases, n, wrong);
    for (int k = 0; k < cases->at[0].head.arrays; k++)
        outputs += is_output(&cases->at[0].array[k].a);
    for (int i = 0; i < count; i++) {
        View v = {cases, n, wrong[i]};
        Text one = {0};
        if (said < 2 && (say_value_pattern(&one, &v) || say_wrong_indices(&one, &v)))
            text_print(to, "%s%s", said++ ? " " : "", text_of(&one));
        untouched += view_is_untouched(&v);
        text_free(&one);
    }
    if (outputs && untouched == outputs) {
        text_cut(to, 0);
        text_put(to, all_untouched(cases, shown)
                         ? "Nothing is written to the outputs: is the function still as it was "
                           "handed out? Else, does it return before it writes, or use as a size or "
                           "an index what was never set (memory of malloc, for example)?"
                         : "Hardly anything is written to the outputs: is a number of bytes taken "
                           "for a number of elements, or the other way round?");
    }
    return said > 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void name_mistake(Text *to, char *ids, size_t size, const Mistake *m)
{
    text_print(to, "%s%s", to->length ? "\nOr: " : "", text_of(&m->says));
    if (m->see.length)
        text_print(to, " (See %s.)", text_of(&m->see));
    size_t used = strlen(ids);
    snprintf(ids + used, size - used, "%s%s", used ? "," : "", m->id);
}

/* The known mistakes that leave the very same numbers; three at most. A mistake that shows in float
 * alone (real: float) is compared in float, the others in double. */
static int name_mistakes(Text *to, char *ids, size_t size, const Assignment *a, const Request *q,
                         const Numbers *n, Variant variant)
{
    Mistakes m;
    Text why = {0};
    int found = 0;
    const char *function = a->test[q->test].function;
    if (mistakes_read(&m, a, &why))
        for (int i = 0; i < m.count && found < 3; i++)
            if (strcmp(m.at[i].function, function) == 0 && m.at[i].in_float == (variant == FLOAT) &&
                matches(a, &m.at[i], q, n, variant) && passes_needed(a, &m.at[i], q)) {
                name_mistake(to, ids, size, &m.at[i]);
                found++;
            }
    mistakes_free(&m);
    text_free(&why);
    return found;
}

bool diagnose(Text *to, char *ids, size_t size, const Assignment *a, const Request *q,
              const Cases *cases, const Numbers *n, const Numbers *shown)
{
    if (n->done != cases->count)
        return false;
    Text patterns = {0};
    bool seen = say_patterns(&patterns, cases, n, shown);
    bool handed_out = strstr(text_of(&patterns), "is written to the outputs") != NULL;
    int found = handed_out ? 0 : name_mistakes(to, ids, size, a, q, n, JUDGE);
    if (!found)
        text_put(to, text_of(&patterns));
    text_free(&patterns);
    return found > 0 || seen;
}

/* The largest error of a finite number, relative to the right one where that is above 1. */
static double largest_error(const Cases *cases, const Numbers *n, bool *lost)
{
    double worst = 0;
    *lost = false;
    for (int at = 0; at < n->done; at++)
        for (int k = 0; k < cases->at[at].head.arrays; k++) {
            View v = {cases, n, k};
            const Expected *e = &cases->at[at].array[k];
            for (int i = 0; is_output(&e->a) && i < e->a.count; i++) {
                double want = view_want(&v, at, i), error = fabs(view_got(&v, at, i) - want);
                *lost = *lost || !isfinite(error);
                error /= fabs(want) > 1 ? fabs(want) : 1;
                worst = isfinite(error) && error > worst ? error : worst;
            }
        }
    return worst;
}

void diagnose_float(Text *to, char *ids, size_t size, const Assignment *a, const Request *q,
                    const Cases *cases, const Numbers *n)
{
    bool lost;
    double error = largest_error(cases, n, &lost);
    if (n->done == cases->count && name_mistakes(to, ids, size, a, q, n, FLOAT))
        return;
    text_put(to, "With real = double the function is right on these inputs, so the formula is "
                 "right and float is not enough. ");
    if (lost)
        text_put(to, "An intermediate result leaves the range of float (1e-38 to 3e38): which exp, "
                     "product or constant becomes 0 or infinite?");
    else if (error < 0.01)
        text_put(to, "Rounding errors add up: keep sums and intermediate results in double, and "
                     "subtract no two numbers that are large and almost equal.");
    else
        text_put(to,
                 "A constant or an intermediate result does not fit into a float: its range is "
                 "1e-38 to 3e38 and it holds 7 digits (FLT_MIN is the smallest positive float).");
}
