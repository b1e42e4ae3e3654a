/* failure.c: the feedback on a test that failed: where, with which input, and what the mistake is.
 * For that the submission runs again: the first wrong case alone, and in double. */
#include "grading.h"
#include "patterns.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* hw1.c:12 for a place in the library, where addr2line is there to tell. */
static void find_line(const Grading *g, Variant v, long offset, char text[256])
{
    char address[32];
    snprintf(address, sizeof address, "0x%lx", (unsigned long)offset);
    if (offset > 0 && offset < 1 << 28)
        process_line(g->bench[v].library, g->work, g->empty, address, text, 256);
}

/* What the numbers say. Where a test in float fails, the run in double decides first: if it is
 * right, the formula is right, too. */
static bool say_diagnosis(Grading *g, TestResult *t, const Request *q, const Cases *cases,
                          const Verdict *v, Variant variant)
{
    Verdict in_double = {.what = WRONG_NOTHING};
    Text words = {0}, said = {0};
    bool ran = variant == FLOAT && grading_build(g, DOUBLE, &said), known;
    if (ran)
        grading_try(g, q, DOUBLE, cases, &in_double, NULL);
    if (ran && in_double.what == WRONG_NOTHING) {
        diagnose_float(&words, t->diagnosis, sizeof t->diagnosis, g->a, q, cases, &v->numbers);
        known = true;
    } else {
        known = diagnose(&words, t->diagnosis, sizeof t->diagnosis, g->a, q, cases,
                         ran ? &in_double.numbers : &v->numbers, &v->numbers);
    }
    if (known) {
        text_put(&t->feedback, t->diagnosis[0] ? "What it looks like: " : "What shows: ");
        text_print(&t->feedback, "%s\n", text_of(&words));
    }
    verdict_free(&in_double);
    text_free(&words);
    text_free(&said);
    return known;
}

/* Does the case that failed first fail when nothing is called before it? */
static bool fails_alone(Grading *g, const Request *q, const Cases *cases, const Verdict *v,
                        Variant variant)
{
    bool by_value = v->what == WRONG_VALUE || v->what == WRONG_GUARD || v->what == WRONG_INPUT ||
                    v->what == WRONG_CRASH;
    if (!by_value || v->at == 0 || v->at >= cases->count)
        return true;
    Request one = *q;
    Cases single = {.count = 1, .at = &cases->at[v->at]};
    Verdict alone = {.what = WRONG_NOTHING};
    one.first = single.at->head.number;
    one.count = 1;
    grading_try(g, &one, variant, &single, &alone, NULL);
    bool fails = alone.what != WRONG_NOTHING;
    verdict_free(&alone);
    return fails;
}

/* Wrong numbers that memory may explain: junk from outside of an array, or what depends on earlier
 * calls. */
static bool may_be_memory(const Verdict *v, const Cases *cases, bool alone, bool known)
{
    if (!alone || v->what == WRONG_GUARD || v->what == WRONG_CRASH)
        return true;
    if (v->what != WRONG_VALUE)
        return false;
    const CaseArray *a = &cases->at[v->at].array[v->array].a;
    return !known || isnan(v->got) || poison_words(v->got, a->whole)[0];
}

void failure_say(Grading *g, TestResult *t, const Request *q, const Cases *cases, Verdict *v,
                 Variant variant, const Text *printed)
{
    bool known = false, alone = fails_alone(g, q, cases, v, variant);
    if (v->what == WRONG_CRASH) {
        find_line(g, variant, v->offset, v->text);
        v->said = text_of(printed);
    }
    explain(&t->feedback, g->a, &t->row, cases, v, q->seed, g->shown_file, alone);
    if (v->what == WRONG_VALUE && alone && !t->row.seconds)
        known = say_diagnosis(g, t, q, cases, v, variant);
    t->suspect = may_be_memory(v, cases, alone, known);
}

/* Gradients that are right, but no nearer than differences of the earlier functions are, and for
 * each of whose numbers these were called: exact ones are 1000 times nearer. It costs nothing. */
void passed_by_differences(TestResult *t, const Cases *cases, const Verdict *v)
{
    const double far_ = 1e-12;
    long numbers = 0;
    double most = 0;
    for (int i = 0; i < cases->count * ARRAYS_MAX; i++) {
        const Expected *e = &cases->at[i / ARRAYS_MAX].array[i % ARRAYS_MAX];
        for (int k = 0; i % ARRAYS_MAX < cases->at[i / ARRAYS_MAX].head.arrays && e->a.gradient &&
                        k < e->a.count;
             k++, numbers++) {
            double gap = fabs(v->numbers.number[i][k] - e->after[k]) / (1 + fabs(e->after[k]));
            most = gap > most ? gap : most;
        }
    }
    if (v->calls < numbers || most < far_ || t->diagnosis[0])
        return;
    snprintf(t->diagnosis, sizeof t->diagnosis, "finite-differences");
    text_print(&t->feedback,
               "What it looks like: finite differences. For %ld numbers of gradients it called "
               "earlier functions %ld times, and they are off by up to %.0e, as differences are. "
               "The task is to derive them.\n",
               numbers, v->calls, most);
}

void passed_with_leak(const Grading *g, TestResult *t)
{
    for (const TestResult *e = g->report->test; e < t; e++)
        if (e->leaks && strcmp(e->row.function, t->row.function) == 0)
            return;
    t->score -= t->score < LEAK_POINTS ? t->score : LEAK_POINTS;
    text_print(&t->feedback, "The numbers are right. The memory costs %g points, once for %s.\n",
               t->row.points - t->score, t->row.function);
}

void failure_printed(TestResult *t, const Text *printed)
{
    if (!printed->length)
        return;
    text_put(&t->feedback, "Your program printed:\n");
    text_indent(&t->feedback, "    | ", text_of(printed));
}
