/* search.c: a function fails, and no list names the mistake. Is there one small change with which
 * it passes?
 *
 * All changes are in one library (variants.c), which is built and run behind the walls of a
 * submission. The first input that failed is tried with each of them, and those that are right
 * there with all inputs of all tests of the function. What is said is what was measured: the line
 * and the kind of the change, not the change. Where changes of several lines pass, nothing is
 * said. */
#include "search.h"
#include "grading.h"
#include "walls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { RIGHT_MOST = 100, ROUNDS = 3 };
static const double SEARCH_SECONDS = 1.5; /* of a processor, for all functions of a submission */

typedef struct {
    Grading *g;
    const char *function;
    Variants v;
    Bench bench[2]; /* FLOAT, DOUBLE */
    uint64_t seed[2];
    double start, running; /* seconds of a processor: before it; in tests, whose server goes on */
} Search;

/* Seconds of a processor, of the grader and of what has ended. */
static double seconds_used(void)
{
    double sum = 0;
    for (int children = 0; children < 2; children++) {
        struct rusage u;
        getrusage(children ? RUSAGE_CHILDREN : RUSAGE_SELF, &u);
        sum += (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
               1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
    }
    return sum;
}

static bool time_is_over(const Search *s)
{
    return s->g->search + seconds_used() - s->start + s->running > SEARCH_SECONDS * s->g->slowness;
}

/* ---- building -------------------------------------------------------------------------------- */

/* Marks the changes in whose lines the compiler found an error. False: there are none. */
static bool leave_out(Variants *v, const char *said, const char *file)
{
    bool found = false;
    for (const char *at = said; (at = strstr(at, file));) {
        at += strlen(file);
        int line = *at == ':' ? atoi(at + 1) : 0;
        for (int n = 1; n < v->count && line; n++)
            if (v->change[n].place == line && !v->change[n].left_out)
                found = v->change[n].left_out = true;
    }
    return found;
}

/* The library with all changes, once for each variant; a change that does not compile is left out
 * of the next round. */
static bool build(Search *s, Variant v)
{
    Bench *b = &s->bench[v];
    char path[PATH_SIZE], file[160], name[40];
    bool goes_on = !b->library[0];
    for (int round = 0; goes_on && round < ROUNDS && !time_is_over(s); round++) {
        Text text = {0}, said = {0};
        snprintf(file, sizeof file, "%d%d-%s", v, round, s->g->file);
        snprintf(name, sizeof name, "changes-%s-%d%d.so", s->function, v, round);
        Build how = {s->g->work, s->g->empty, file, v, name, .quick = true};
        if (file_read(path_join(path, s->g->work, s->g->file), &text) &&
            variants_make(&s->v, s->g->a, text_of(&text), s->function) &&
            walls_put(s->g->work, file, &s->v.text) &&
            build_submission(s->g->a, &how, &said) == BUILD_GOOD) {
            *b = *grading_bench(s->g, v);
            b->server = (Server){.pid = 0};
            path_join(b->library, s->g->work, name);
        }
        goes_on = !b->library[0] && leave_out(&s->v, text_of(&said), file);
        text_free(&text);
        text_free(&said);
    }
    return b->library[0];
}

/* ---- trying ---------------------------------------------------------------------------------- */

static void run(Search *s, const Request *q, Variant v, const Cases *cases, Verdict *verdict)
{
    Outcome o;
    bench_run(&s->bench[v], q, cases_bytes(cases, v), &o);
    verdict_of(verdict, cases, &o, v);
    if (o.machine)
        verdict->what = WRONG_MACHINE;
    s->running += o.cpu;
    outcome_free(&o);
}

/* The changes that are right where the submission failed first. One that crashes or does not end
 * ends the process; the next process begins behind it. */
static int right_at_first(Search *s, const Request *q, Variant variant, const ExpectedCase *first,
                          int right[RIGHT_MOST])
{
    int count = 0;
    Cases cases = {.at = memory((size_t)s->v.count, sizeof *cases.at)};
    for (int i = 0; i < s->v.count; i++)
        cases.at[i] = *first;
    for (int next = 1; next < s->v.count && !time_is_over(s);) {
        Request ask = *q;
        Verdict v;
        ask.first = first->head.number;
        ask.count = 1;
        ask.variant = next;
        ask.variants = cases.count = s->v.count - next;
        run(s, &ask, variant, &cases, &v);
        for (int i = 0; i < v.numbers.done && count < RIGHT_MOST; i++) {
            int wrong = s->v.change[next + i].left_out;
            for (int k = 0; k < first->head.arrays && !wrong; k++)
                wrong = is_output(&first->array[k].a) && wrong_elements(&v, &cases, i, k);
            if (!wrong)
                right[count++] = next + i;
        }
        next = v.what == WRONG_MACHINE ? s->v.count : next + v.numbers.done + 1;
        verdict_free(&v);
    }
    free(cases.at);
    return count;
}

/* Does the function pass all its tests with this change? */
static bool passes(Search *s, int change)
{
    const Assignment *a = s->g->a;
    bool good = true;
    for (int i = 0; i < 2 * a->count && good; i++) {
        const TestRow *t = &a->test[i / 2];
        if (strcmp(t->function, s->function) != 0)
            continue;
        Verdict v = {.what = WRONG_MACHINE};
        Cases cases = {.count = 0};
        Variant variant = t->gradient ? DOUBLE : FLOAT;
        Request q = grading_request(s->g, i / 2, s->seed[i % 2]);
        q.variant = change;
        if (build(s, variant) && grading_expect(s->g, &q, &cases) && !time_is_over(s))
            run(s, &q, variant, &cases, &v);
        good = v.what == WRONG_NOTHING;
        verdict_free(&v);
        cases_free(&cases);
    }
    return good;
}

static void say(Search *s, Text *to, const int *right, int count)
{
    const Change *line = NULL;
    bool same_kind = true;
    for (int i = 0; i < count; i++) {
        const Change *c = &s->v.change[right[i]];
        bool news = !line || line->line != c->line || (same_kind && line->kind != c->kind);
        if (!news || !passes(s, right[i]))
            continue;
        if (line && line->line != c->line)
            return;
        same_kind = !line || line->kind == c->kind;
        line = c;
    }
    if (line && !time_is_over(s) && count < RIGHT_MOST)
        text_print(to, "Line %d: with %s there, all tests of %s pass.\n", line->line,
                   same_kind ? line->kind : "one small change", s->function);
}

void search_say(Grading *g, TestResult *t, const Request *q, const Cases *cases, const Verdict *v,
                Variant variant)
{
    char program[PATH_SIZE];
    int function = assignment_function(g->a, t->row.function), right[RIGHT_MOST];
    bool tells = v->what == WRONG_VALUE || v->what == WRONG_GUARD || v->what == WRONG_INPUT ||
                 v->what == WRONG_CRASH;
    if (!tells || g->a->kit || g->a->project[0] || t->row.seconds || g->searched[function] ||
        file_exists(path_join(program, g->a->folder, "program.c")) || v->at >= cases->count)
        return;
    Search *s = memory(1, sizeof *s);
    *s = (Search){.g = g,
                  .function = t->row.function,
                  .seed = {q->seed, g->options->seed},
                  .start = seconds_used()};
    if (s->seed[0] == s->seed[1])
        s->seed[1] = 2654435761u * q->seed + 1; /* as good as the hidden one */
    g->searched[function] = true;
    if (build(s, variant))
        say(s, &t->feedback, right, right_at_first(s, q, variant, &cases->at[v->at], right));
    for (int i = 0; i < 2; i++)
        bench_close(&s->bench[i]);
    g->search += seconds_used() - s->start;
    text_free(&s->v.text);
    free(s);
}
