/* explain.c: what a failed test tells the student: which number of which argument, theirs and the
 * right one (of a gradient: the finite difference) and their ratio, and the input as C. */
#include "grader.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { LITERAL_MAX = 40 }; /* numbers of an array that are still printed as C */

/* ---- names and numbers ----------------------------------------------------------------------- */

void print_element(Text *to, const CaseArray *a, int i)
{
    int index[RANK_MAX], rank = a->rank < RANK_MAX ? a->rank : RANK_MAX;
    for (int d = rank - 1; d >= 0; d--) {
        index[d] = a->dims[d] ? i % a->dims[d] : 0;
        i = a->dims[d] ? i / a->dims[d] : 0;
    }
    text_put(to, a->name);
    for (int d = 0; d < rank; d++)
        text_print(to, "[%d]", index[d]);
}

void print_sizes(Text *to, const ExpectedCase *c)
{
    for (int i = 0; i < c->head.sizes; i++)
        text_print(to, "%s%s=%d", i ? ", " : "", c->size[i].name, c->size[i].value);
}

static void print_number(Text *to, double x, bool whole)
{
    if (whole)
        text_print(to, "%d", (int)x);
    else if (isnan(x))
        text_put(to, "NAN");
    else if (isinf(x))
        text_put(to, x > 0 ? "INFINITY" : "-INFINITY");
    else
        text_print(to, "%.9g", x);
}

/* {{1, 2}, {3, 4}}; the numbers from `x` on, of the axes from `axis` on. */
static const double *print_braces(Text *to, const CaseArray *a, int axis, const double *x)
{
    if (axis >= a->rank || axis >= RANK_MAX) {
        print_number(to, *x, a->whole);
        return x + 1;
    }
    text_put(to, "{");
    for (int i = 0; i < a->dims[axis]; i++) {
        if (i)
            text_put(to, ", ");
        x = print_braces(to, a, axis + 1, x);
    }
    text_put(to, "}");
    return x;
}

static void print_literal(Text *to, const CaseArray *a, const double *x)
{
    text_print(to, "    %s %s", a->whole ? "int" : "real", a->name);
    for (int d = 0; d < a->rank; d++)
        text_print(to, "[%d]", a->dims[d]);
    if (a->count > LITERAL_MAX) {
        text_put(to, ";    /* too long to print */\n");
        return;
    }
    text_put(to, " = ");
    print_braces(to, a, 0, x);
    text_put(to, ";\n");
}

static void print_input(Text *to, const ExpectedCase *c, bool alone)
{
    size_t from = to->length;
    text_put(to, alone ? "The first input on which it fails:\n" : "The input of that call:\n");
    size_t inputs = to->length;
    for (int i = 0; i < c->head.sizes; i++)
        text_print(to, "    int %s = %d;\n", c->size[i].name, c->size[i].value);
    for (int k = 0; k < c->head.arrays; k++) {
        const Expected *e = &c->array[k];
        if (e->a.kind == CASE_OUTPUT)
            continue;
        print_literal(to, &e->a, e->before ? e->before : e->after);
    }
    if (to->length == inputs) /* a function without arguments */
        text_cut(to, from);
}

/* ---- a wrong number -------------------------------------------------------------------------- */

/* tolerance: 0 where it says nothing. */
static void print_row(Text *to, const char *what, double x, double tolerance)
{
    text_print(to, "    %-18s ", what);
    print_number(to, x, false);
    if (tolerance > 0)
        text_print(to, " +- %.1g", tolerance);
    text_put(to, "\n");
}

static bool wrong_elsewhere(const Cases *cases, const Verdict *v, int array)
{
    for (int at = 0; at < v->numbers.done && at < cases->count; at++)
        if (wrong_elements(v, cases, at, array))
            return true;
    return false;
}

/* How many of each output are wrong: "db: 5 of 12 wrong; da: right; dc: right here, wrong in other
 * cases". */
static void print_counts(Text *to, const Cases *cases, const Verdict *v)
{
    const ExpectedCase *c = &cases->at[v->at];
    for (int k = 0, first = 1; k < c->head.arrays; k++) {
        const CaseArray *a = &c->array[k].a;
        if (!is_output(a))
            continue;
        int wrong = wrong_elements(v, cases, v->at, k);
        text_print(to, "%s%s: ", first ? "    " : "; ", a->name);
        if (wrong)
            text_print(to, "%d of %d wrong", wrong, a->count);
        else
            text_put(to,
                     wrong_elsewhere(cases, v, k) ? "right here, wrong in other cases" : "right");
        first = 0;
    }
    text_print(to, ". Wrong in %d of %d cases.\n", v->wrong_cases, cases->count);
}

static void explain_value(Text *to, const Cases *cases, const Verdict *v)
{
    const ExpectedCase *c = &cases->at[v->at];
    const Expected *e = &c->array[v->array];
    double before = e->before ? e->before[v->element] : 0;
    print_element(to, &e->a, v->element);
    text_put(to, c->head.sizes ? " is wrong, with " : " is wrong");
    print_sizes(to, c);
    text_put(to, ":\n");
    if (e->before)
        print_row(to, "before the call", before, 0);
    print_row(to, e->before ? "you added" : "yours", v->got - before, 0);
    print_row(to, e->a.gradient ? "finite difference" : "expected", v->want - before,
              isfinite(v->want) ? e->tolerance[v->element] : 0);
    bool written = e->a.kind != CASE_OUTPUT || v->got != HOLDS_NOTHING;
    if (written && !e->a.whole && fabs(v->want - before) > 1e-6 && isfinite(v->got))
        print_row(to, "ratio", (v->got - before) / (v->want - before) + 0.0, 0);
    if (!written)
        text_put(to, "    (Outputs are -9999 before the call: this one was not written.)\n");
    print_counts(to, cases, v);
}

/* ---- the other ways to fail ------------------------------------------------------------------ */

static const char *signal_words(int number)
{
    switch (number) {
    case SIGSEGV:
        return "SIGSEGV: it used an address that it may not use (an index out of range? a NULL "
               "pointer? a recursion that is too deep, or an array on the stack that is too large? "
               "a pointer to a function inside a function?)";
    case SIGBUS:
        return "SIGBUS: it used an address that does not exist";
    case SIGFPE:
        return "SIGFPE: a whole number was divided by zero";
    case SIGABRT:
        return "SIGABRT: abort() was called, by an assert or by the memory functions";
    case SIGILL:
        return "SIGILL: not an instruction; a function without return?";
    default:
        return "a signal";
    }
}

/* What heap.c printed before it ended the process: the line after "memory: ". */
static bool explain_heap(Text *to, const Verdict *v)
{
    const char *words = v->said && v->value == SIGABRT ? strstr(v->said, "memory: ") : NULL;
    if (!words)
        return false;
    words += strlen("memory: ");
    text_print(to, "It was stopped%s%s: %.*s.\n", v->text[0] ? " at " : "", v->text,
               (int)strcspn(words, "\n"), words);
    return true;
}

static void explain_crash(Text *to, const Verdict *v)
{
    if (!explain_heap(to, v))
        text_print(to, "It crashed%s%s with signal %ld, %s.\n", v->text[0] ? " at " : "", v->text,
                   v->value, signal_words((int)v->value));
}

static void explain_leak(Text *to, const Leak *l)
{
    text_print(to, "%ld block%s of memory (%ld bytes) %s taken with malloc and not given back",
               l->blocks, l->blocks == 1 ? "" : "s", l->bytes, l->blocks == 1 ? "was" : "were");
}

/* Its case is another one than that of the wrong number. */
static void explain_leak_beside(Text *to, const Cases *cases, const Verdict *v)
{
    if (v->leak.blocks == 0 || v->what == WRONG_LEAK)
        return;
    text_put(to, "Besides, ");
    explain_leak(to, &v->leak);
    text_put(to, cases->at[v->leak.at].head.sizes ? ", first with " : "");
    print_sizes(to, &cases->at[v->leak.at]);
    text_put(to, ".\n");
}

static void explain_how(Text *to, const ExpectedCase *c, const Verdict *v)
{
    const CaseArray *a = &c->array[v->array].a;
    switch (v->what) {
    case WRONG_GUARD:
        text_print(to,
                   "The memory beside %s was overwritten: it wrote before the beginning or beyond "
                   "the end of an array%s.\n",
                   a->name,
                   is_output(a) ? "" : " (of another one, if it does not write to this one)");
        break;
    case WRONG_INPUT:
        print_element(to, a, v->element);
        text_print(to, " is an input, and was changed from %.9g to %.9g.\n", v->want, v->got);
        break;
    case WRONG_LEAK:
        explain_leak(to, &v->leak);
        text_put(to, ".\n");
        break;
    case WRONG_CRASH:
        explain_crash(to, v);
        break;
    case WRONG_EXIT:
        text_print(to, "It ended the program (exit status %ld) instead of returning.\n", v->value);
        break;
    case WRONG_TIME:
        text_put(to, "It took too long and was stopped. Is there a loop that does not end, or "
                     "much memory that each call writes?\n");
        break;
    case WRONG_MEMORY:
        text_put(to, "It used more memory than a test may use, and was stopped.\n");
        break;
    case WRONG_ENDED:
        text_put(to, "It ended the program that runs the tests.\n");
        break;
    case WRONG_CALL:
        text_print(to,
                   "It asked the system for something that no homework needs (system call %ld) and "
                   "was stopped.\n",
                   v->value);
        break;
    case WRONG_LOAD:
        text_print(to, "It could not be loaded: %s\n", v->text);
        break;
    case WRONG_FORGED:
        text_put(to, "What came back is not what a run of this test writes. Something wrote into "
                     "the test's results.\n");
        break;
    default:
        text_put(to, "The test could not be run on this machine.\n");
    }
}

void explain(Text *to, const Assignment *a, const TestRow *t, const Cases *cases, const Verdict *v,
             uint64_t seed, const char *file, bool alone)
{
    int at = v->at < cases->count ? v->at : cases->count - 1;
    const ExpectedCase *c = &cases->at[at];
    if (v->what == WRONG_VALUE)
        explain_value(to, cases, v);
    else
        explain_how(to, c, v);
    explain_leak_beside(to, cases, v);
    if (v->what == WRONG_LOAD || v->what == WRONG_MACHINE)
        return;
    if (!alone)
        text_put(to, "The same input alone, without the calls before it, gives the right result: "
                     "something remains from one call to the next (a static or global variable), "
                     "or memory is read that was not set or lies outside of an array.\n");
    print_input(to, c, alone);
    if (a->overlay.seed && seed == a->overlay.seed) { /* which is a secret */
        text_print(to, "This is case %d of the hidden inputs.\n", c->head.number);
        return;
    }
    text_print(to, "%s: %s grade %s %s --test %s --seed %llu", alone ? "Again, alone" : "Again",
               a->launcher, a->id, file, t->name, (unsigned long long)seed);
    if (alone)
        text_print(to, " --case %d", c->head.number);
    text_put(to, "\n");
}
