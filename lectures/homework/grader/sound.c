/* sound.c: errors of a homework that would switch a check off without a word. For its author: each
 * is a line.
 *
 * A misspelt gradient leaves its array without finite differences; an output that the solution does
 * not write, or an input that it changes, makes wrong submissions right; a test that needs a test
 * that does not exist never waits. */
#include "grader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool names_are_sound(const Assignment *a)
{
    bool good = true;
    for (int i = 0; i < a->count; i++) {
        const TestRow *t = &a->test[i];
        int needed = t->needs[0] ? assignment_test(a, t->needs) : -1;
        if (assignment_test(a, t->name) != i) {
            printf("test %s: two tests have this name; expected one\n", t->name);
            good = false;
        }
        if (t->needs[0] && (needed < 0 || needed >= i)) {
            printf("test %s: .needs = \"%s\" is no test; expected an earlier one\n", t->name,
                   t->needs);
            good = false;
        }
    }
    return good;
}

/* Without {0} at the end, whatever follows the table in memory is read as tests. */
static bool table_is_closed(const Assignment *a)
{
    char path[PATH_SIZE];
    Text text = {0};
    file_read(path_join(path, a->folder, "tests.c"), &text);
    const char *table = strstr(text_of(&text), "Test tests[]");
    const char *end = table ? strstr(table, "\n};") : NULL;
    bool closed = false;
    for (const char *row = table; row && end && (row = strstr(row, "{0}")) && row < end; row++)
        closed = true;
    text_free(&text);
    if (table && end && !closed)
        printf("tests.c: the table of tests does not end with {0}\n");
    return !table || !end || closed;
}

/* A function without TASK is not weak: a student's own stays where the solution's should stand. */
static bool tasks_are_marked(const Assignment *a)
{
    char path[PATH_SIZE], call[64];
    bool good = true;
    Text text = {0};
    file_load(path_join(path, a->folder, a->header), &text);
    for (int f = 0; f < a->functions; f++) {
        snprintf(call, sizeof call, "%s(", a->function[f]);
        const char *at = strstr(text_of(&text), call), *line = at;
        while (at && (at == text.data || !strchr(" *", at[-1])))
            line = at = strstr(at + 1, call);
        while (line && line > text.data && line[-1] != '\n')
            line--;
        if (!line || strncmp(line, "TASK ", 5) == 0 || *line == ' ')
            continue;
        printf("%s: there is no TASK before %s\n", a->header, a->function[f]);
        good = false;
    }
    text_free(&text);
    return good;
}

/* ---- what the solution computes -------------------------------------------------------------- */

static void print_at(const TestRow *t, const ExpectedCase *c, const Expected *e, int i)
{
    Text where = {0};
    print_element(&where, &e->a, i);
    text_put(&where, " with ");
    print_sizes(&where, c);
    printf("test %s: %s: ", t->name, text_of(&where));
    text_free(&where);
}

/* The solution's own gradient against the finite difference, and numbers that are none. */
static bool array_is_sound(const TestRow *t, const ExpectedCase *c, const Expected *e)
{
    for (int i = 0; i < e->a.count; i++) {
        double want = expected_number(e, i), got = e->after[i];
        if (isnan(got)) {
            print_at(t, c, e, i);
            printf("the solution computes NaN\n");
            return false;
        }
        if (e->a.gradient && !(fabs(got - want) <= 1e-7 + 1e-5 * fabs(want))) {
            print_at(t, c, e, i);
            printf("the solution computes %.9g; the finite difference is %.9g\n", got, want);
            return false;
        }
    }
    return true;
}

/* Is an output array left as it was in every case? */
static bool outputs_are_written(const TestRow *t, const Cases *cases)
{
    bool good = true;
    for (int k = 0; k < cases->at[0].head.arrays; k++) {
        const CaseArray *a = &cases->at[0].array[k].a;
        bool written = !is_output(a);
        for (int at = 0; at < cases->count && !written; at++) {
            const Expected *e = &cases->at[at].array[k];
            for (int i = 0; i < e->a.count; i++)
                written = written || e->after[i] != (e->before ? e->before[i] : HOLDS_NOTHING);
        }
        if (!written)
            printf("test %s: the solution never writes %s\n", t->name, a->name);
        good = good && written;
    }
    return good;
}

static bool cases_are_sound(const TestRow *t, const Cases *cases)
{
    for (int at = 0; at < cases->count; at++)
        for (int k = 0; k < cases->at[at].head.arrays; k++)
            if (!array_is_sound(t, &cases->at[at], &cases->at[at].array[k]))
                return false;
    return outputs_are_written(t, cases);
}

/* The first line of what the trusted run said: differences.c tells there what is wrong with the
 * test. */
static void print_reason(const char *test, const Outcome *o)
{
    const char *words = text_of(&o->output);
    if (words[0])
        printf("%s%.*s\n", strncmp(words, "test ", 5) == 0 ? "" : "the solution failed: ",
               (int)strcspn(words, "\n"), words);
    else
        printf("test %s: the solution %s\n", test,
               o->timed_out || !o->answered ? "does not end" : "crashed, or ended the program");
}

static bool test_is_sound(const Assignment *a, int test)
{
    const TestRow *t = &a->test[test];
    Bench bench = bench_trusted(a, "reference");
    Outcome o;
    Cases cases = {.count = 0};
    Request q = request_all(a, test, 1);
    bool ran = bench_cases(&bench, &q, &cases, &o);
    bool silent = strstr(text_of(&o.output), "test ") == NULL;
    if (!ran || !silent)
        print_reason(t->name, &o);
    bool good = ran && silent && cases_are_sound(t, &cases);
    cases_free(&cases);
    outcome_free(&o);
    bench_close(&bench);
    return good;
}

bool homework_sound(const Assignment *a)
{
    bool good = table_is_closed(a);
    good = names_are_sound(a) && good;
    good = tasks_are_marked(a) && good;
    for (int i = 0; i < a->count && good; i++)
        good = test_is_sound(a, i);
    printf(good ? "the tests and the solution are sound\n"
                : "WRONG: mend this first; nothing else was tried\n");
    return good;
}
