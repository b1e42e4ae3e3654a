/* diagnose.c: which mistake is it?
 *
 * The submission has run in double on the cases of a test. Each known mistake of the same function is run on
 * the very same cases; it is named only if ALL its numbers are the submission's, to rounding. So two mistakes
 * at once, or one that nobody foresaw, match nothing and are not misnamed. Failing that, what can be seen in
 * the numbers alone is said: nothing written, one factor everywhere, the sign, = instead of +=. */
#include "grader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Both sides computed in double, but students write expf and sqrtf, which are right to 7 digits. The numbers of
 * two mistakes differ by far more. */
static bool same(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    if (isinf(a) || isinf(b))
        return a == b;
    return fabs(a - b) <= 1e-6 + 1e-5 * fabs(b);
}

static bool is_output(const Expected *e)
{
    return e->a.kind == CASE_OUTPUT || e->a.kind == CASE_SUM;
}

/* Are all outputs of all cases the same? */
static bool all_same(const Cases *mistake, const Numbers *n)
{
    if (mistake->count != n->done)
        return false;
    for (int c = 0; c < n->done; c++)
        for (int k = 0; k < mistake->at[c].head.arrays; k++) {
            const Expected *e = &mistake->at[c].array[k];
            for (int i = 0; is_output(e) && i < e->a.count; i++)
                if (!same(n->number[c * ARRAYS_MAX + k][i], e->after[i]))
                    return false;
        }
    return true;
}

/* Does the submission do what this mistake does, in this test? */
static bool matches(const Assignment *a, const Mistake *m, const Request *q, const Numbers *n)
{
    char library[PATH_SIZE];
    Text why = {0};
    bool match = false;
    if (mistake_library(a, m, library, &why)) {
        Bench bench = {.assignment = a, .variant = JUDGE, .library = library, .wall_limit = 20};
        Outcome o = {.answered = false};
        Cases cases = {.count = 0};
        Request ask = *q;
        ask.mode = RUN_VALUES;
        ask.function = -1;
        bench_run(&bench, &ask, (size_t)64 << 20, &o);
        match = o.answered && cases_parse(&cases, &o.results) && all_same(&cases, n);
        cases_free(&cases);
        outcome_free(&o);
        bench_close(&bench);
    }
    text_free(&why);
    return match;
}

/* ---- what the numbers alone show -------------------------------------------------------------------- */

/* What the function itself added or wrote, and what it should have. */
static double part_of(const Expected *e, double number, int i)
{
    return number - (e->before ? e->before[i] : 0);
}

typedef struct {
    int compared;     /* outputs that are not 0 where they should not be  */
    double low, high; /* of theirs / right                                 */
    bool untouched;   /* all outputs are as they were before the call      */
    bool zero;        /* all are 0, and should not be                      */
    bool set;         /* gradients hold what should have been added        */
} Look;

static void look_at(Look *s, const Expected *e, const double *got)
{
    for (int i = 0; is_output(e) && i < e->a.count; i++) {
        double theirs = part_of(e, got[i], i), right = part_of(e, expected_number(e, i), i);
        bool fresh = e->before ? theirs == 0 : got[i] == HOLDS_NOTHING;
        s->untouched = s->untouched && fresh;
        s->zero = s->zero && theirs == 0;
        s->set = s->set && e->before && same(got[i], right);
        if (!(fabs(right) > 1e-6))
            continue;
        double ratio = theirs / right;
        s->low = s->compared == 0 || !(ratio >= s->low) ? ratio : s->low;
        s->high = s->compared == 0 || !(ratio <= s->high) ? ratio : s->high;
        s->compared++;
    }
}

static Look look_at_all(const Cases *cases, const Numbers *n)
{
    Look s = {.untouched = true, .zero = true, .set = true};
    for (int c = 0; c < n->done; c++)
        for (int k = 0; k < cases->at[c].head.arrays; k++)
            look_at(&s, &cases->at[c].array[k], n->number[c * ARRAYS_MAX + k]);
    return s;
}

static bool say_look(Text *to, const Look *look)
{
    Look s = *look;
    if (s.untouched)
        text_put(to,
                 "Nothing was written to the outputs: is the function still as it was handed out?");
    else if (s.zero && s.compared)
        text_put(to, "All outputs are 0.");
    else if (s.set)
        text_put(to,
                 "The gradients are right, but they take the place of what was there: = instead "
                 "of +=, or set to 0 first.");
    else if (s.compared > 3 && fabs(s.low + 1) < 1e-4 && fabs(s.high + 1) < 1e-4)
        text_put(to, "Every number has the wrong sign.");
    else if (s.compared > 3 && s.high - s.low < 1e-4 * fabs(s.low))
        text_print(
            to, "Every number is %.6g times what it should be: is a factor missing, or too much?",
            (s.low + s.high) / 2);
    else
        return false;
    return true;
}

/* ---- the whole ----------------------------------------------------------------------------------- */

static void name_mistake(Text *to, char *ids, size_t size, const Mistake *m)
{
    text_print(to, "%s%s", to->length ? "Or: " : "", text_of(&m->says));
    if (m->see.length)
        text_print(to, " (See %s.)", text_of(&m->see));
    size_t used = strlen(ids);
    snprintf(ids + used, size - used, "%s%s", used ? "," : "", m->id);
}

bool diagnose(Text *to, char *ids, size_t size, const Assignment *a, int test, const Request *q,
              const Cases *cases, const Numbers *n)
{
    Mistakes m;
    Text why = {0};
    int found = 0;
    if (n->done != cases->count)
        return false;
    Look look = look_at_all(cases, n);
    if (!look.untouched && mistakes_read(&m, a, &why)) {
        for (int i = 0; i < m.count; i++)
            if (strcmp(m.at[i].function, a->test[test].function) == 0 &&
                matches(a, &m.at[i], q, n) && found++ < 3) {
                if (to->length)
                    text_put(to, "\n");
                name_mistake(to, ids, size, &m.at[i]);
            }
        mistakes_free(&m);
    }
    text_free(&why);
    return found > 0 || say_look(to, &look);
}
