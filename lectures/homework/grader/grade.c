/* grade.c: a submission, from its text to a Report.
 *
 * For each test, with the shown seed and with a second one: expected
 * numbers from the judge, the submission's from a process of its own, the verdict, and where it is
 * wrong, why. A last run under the sanitizer looks at the tests that passed or crashed for memory
 * that is not theirs. */
#include "grading.h"
#include "walls.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { TIMEOUTS_MAX = 3 };

static const char *const library_name[] = {"float.so", "double.so", "sanitized.so"};

/* ---- building -------------------------------------------------------------------------------- */

/* The student's own name for the file where it is a plain one, so that messages have it. */
static void choose_name(Grading *g, const char *path)
{
    const char *name = path_last(path);
    size_t length = strlen(name);
    bool plain =
        length > 2 && length < 100 && strcmp(name + length - 2, ".c") == 0 && name[0] != '-' &&
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == length;
    snprintf(g->file, sizeof g->file, "%s", plain ? name : "submission.c");
}

void grading_fail(Grading *g, const char *why)
{
    if (g->report->failure.length == 0)
        text_put(&g->report->failure, why);
}

void grading_count(Grading *g, const Outcome *o)
{
    g->used += o->cpu;
}

bool grading_build(Grading *g, Variant v, Text *said)
{
    if (g->built[v])
        return true;
    Build b = {.folder = g->work,
               .empty = g->empty,
               .file = g->file,
               .variant = v,
               .output = library_name[v]};
    size_t from = said->length;
    Built built = build_submission(g->a, &b, said);
    if (built == BUILD_MACHINE)
        grading_fail(g, text_of(said) + from);
    g->built[v] = built == BUILD_GOOD;
    return g->built[v];
}

static void read_functions(Grading *g)
{
    Object o;
    char path[PATH_SIZE];
    object_read(&o, path_join(path, g->work, "float.so.o"), g->a, false);
    memcpy(g->defined, o.defines, sizeof g->defined);
    if (o.has_main)
        text_put(&g->report->message,
                 "Your file has a main; the grader has its own, and leaves yours out.\n");
    text_free(&o.refused);
}

static bool copy_header(const Grading *g)
{
    char path[PATH_SIZE];
    const char *name = g->a->header;
    Text header = {0};
    bool good =
        file_read(path_join(path, g->a->cache, name), &header) && walls_put(g->work, name, &header);
    text_free(&header);
    return good;
}

static bool compile_submission(Grading *g, const char *path)
{
    Report *r = g->report;
    Source s;
    source_read(&s, path, g->a, g->options->of_student);
    if (g->options->note && g->options->note[0])
        text_print(&r->message, "Of several files one is graded: %s (%s).\n", path_last(path),
                   g->options->note);
    text_put(&r->message, text_of(&s.notes));
    bool good = s.refused.length == 0;
    r->no_c = !good;
    if (!good)
        text_print(&r->message, "%s was not compiled:\n%s", path_last(path), text_of(&s.refused));
    if (good && (!copy_header(g) || !walls_put(g->work, g->file, &s.text))) {
        grading_fail(g, "the folder to work in cannot be written to");
        good = false;
    }
    source_free(&s);
    if (!good)
        return false;
    Text said = {0};
    good = grading_build(g, FLOAT, &said);
    if (!good)
        text_put(&r->message, "It was not run, because of this:\n");
    else if (said.length)
        text_put(&r->message, "It compiles, with warnings (they cost nothing):\n");
    text_cut(&said, 6000);
    text_put(&r->message, text_of(&said));
    text_free(&said);
    if (good)
        read_functions(g);
    return good;
}

/* ---- running a test -------------------------------------------------------------------------- */

Bench *grading_bench(Grading *g, Variant v)
{
    Bench *b = &g->bench[v];
    b->assignment = g->a;
    b->variant = v;
    path_join(b->library, g->work, library_name[v]);
    b->wall_limit = (SANITIZER_TIMES * CPU_SECONDS + 2) * g->slowness;
    for (int i = 0; i < g->a->count; i++)
        b->wall_limit = g->a->test[i].seconds ? 60 * g->slowness : b->wall_limit;
    return b;
}

bool grading_expect(Grading *g, const Request *q, Cases *cases)
{
    Text why = {0};
    bool good = cases_expect(cases, g->a, q, &why);
    if (!good)
        grading_fail(g, text_of(&why));
    text_free(&why);
    return good;
}

void grading_try(Grading *g, const Request *q, Variant v, const Cases *cases, Verdict *verdict,
                 Text *printed)
{
    Outcome o;
    bench_run(grading_bench(g, v), q, cases_bytes(cases, v), &o);
    verdict_of(verdict, cases, &o, v);
    grading_count(g, &o);
    if (o.machine) {
        verdict->what = WRONG_MACHINE;
        grading_fail(g, o.machine);
    }
    if (printed && o.output.length &&
        !g->a->test[q->test].hidden) /* it may be the test's own code */
        text_add(printed, o.output.data, o.output.length < 1500 ? o.output.length : 1500);
    outcome_free(&o);
}

Request grading_request(const Grading *g, int test, uint64_t seed)
{
    const TestRow *row = &g->a->test[test];
    Request q = request_all(g->a, test, seed);
    q.mode = RUN_CASES;
    q.function = g->a->kit ? 0 : assignment_function(g->a, row->function);
    q.cpu_seconds = (int)((row->seconds ? row->seconds : CPU_SECONDS) * g->slowness + 0.5);
    q.memory_mb = MEMORY_MB;
    return q;
}

/* With one seed. False if it failed, and the feedback says how. */
static bool try_seed(Grading *g, int test, uint64_t seed)
{
    TestResult *t = &g->report->test[test];
    Variant variant = t->row.gradient ? DOUBLE : FLOAT;
    Text said = {0}, printed = {0};
    if (!grading_build(g, variant, &said)) {
        text_print(&t->feedback, "It does not compile with real = double:\n%s", text_of(&said));
        text_free(&said);
        return false;
    }
    text_free(&said);
    Request q = grading_request(g, test, seed);
    if (g->options->only_case >= 0) {
        q.first = g->options->only_case;
        q.count = 1;
    }
    Cases cases = {.count = 0};
    Verdict v = {.what = WRONG_MACHINE};
    if (grading_expect(g, &q, &cases)) {
        grading_try(g, &q, variant, &cases, &v, &printed);
        if (v.what == WRONG_LEAK) { /* said once, for both seeds */
            if (!t->leaks)
                explain(&t->feedback, g->a, &t->row, &cases, &v, seed, g->shown_file, true);
            t->leaks = true;
            v.what = WRONG_NOTHING;
        } else if (v.what == WRONG_NOTHING && t->row.gradient) {
            passed_by_differences(t, &cases, &v);
        } else if (v.what != WRONG_NOTHING) {
            failure_say(g, t, &q, &cases, &v, variant, &printed);
            failure_printed(t, &printed);
        }
        g->timeouts += v.what == WRONG_TIME;
    }
    verdict_free(&v);
    cases_free(&cases);
    text_free(&printed);
    return v.what == WRONG_NOTHING;
}

/* ---- all tests ------------------------------------------------------------------------------- */

static bool selected(const GradeOptions *o, const TestRow *t)
{
    return (!o->only || strcmp(o->only, t->name) == 0) &&
           (!o->function || strcmp(o->function, t->function) == 0);
}

/* At home a test runs with the student's own earlier functions: the first test of one that has not
 * passed. */
static const TestResult *earlier_open(const Grading *g, const TestResult *t)
{
    for (const TestResult *e = g->report->test; g->a->kit && e < t; e++)
        if (strcmp(e->row.function, t->row.function) != 0 && e->state != PASSED &&
            selected(g->options, &e->row))
            return e;
    return NULL;
}

/* Never run: because of another test, or because there is nothing to run. */
static bool kept_from_running(Grading *g, TestResult *t)
{
    int function = assignment_function(g->a, t->row.function);
    int needs = assignment_test(g->a, t->row.needs);
    const TestResult *needed = needs >= 0 ? &g->report->test[needs] : NULL;
    const TestResult *earlier = earlier_open(g, t);
    bool there = function < 0 || g->defined[function];
    t->state = there ? BLOCKED : MISSING;
    if (!there)
        text_print(&t->feedback, "Your file has no function %s.\n", t->row.function);
    else if (needed && needed->state != PASSED && selected(g->options, &needed->row))
        text_print(&t->feedback, "Not tried: first \"%s\" has to pass.\n", needed->row.title);
    else if (earlier)
        text_print(&t->feedback,
                   "Not tried: it may call your earlier functions, so first \"%s\" has to pass.\n",
                   earlier->row.title);
    else if (g->timeouts >= TIMEOUTS_MAX)
        text_print(&t->feedback, "Not tried: %d tests before it took too long. Mend those first.\n",
                   TIMEOUTS_MAX);
    else if (g->used >= SUBMISSION_SECONDS * g->slowness)
        text_print(
            &t->feedback,
            "Not tried: the tests before it took %.0f seconds, which is the limit for all.\n",
            g->used);
    return t->feedback.length > 0;
}

static void run_test(Grading *g, int test)
{
    TestResult *t = &g->report->test[test];
    if (kept_from_running(g, t))
        return;
    bool more = g->options->only_case < 0 && !g->options->shown_only;
    bool good =
        try_seed(g, test, g->options->seed) && (!more || try_seed(g, test, second_seed(g->a)));
    t->state = good ? PASSED : FAILED;
    if ((good || t->suspect) && more)
        watch_memory(g, test);
    t->score = t->state == PASSED ? t->row.points : 0;
    if (t->state == PASSED && t->leaks)
        passed_with_leak(g, t);
}

static void begin_report(Report *r, const Assignment *a, const char *file, const GradeOptions *o)
{
    *r = (Report){.whole = !o->only && !o->function, .tell = a->overlay.tell};
    snprintf(r->assignment, sizeof r->assignment, "%s", a->name);
    snprintf(r->title, sizeof r->title, "%s", a->title);
    snprintf(r->file, sizeof r->file, "%s", o->of_student ? path_last(file) : file);
    snprintf(r->visibility, sizeof r->visibility, "%s",
             a->overlay.visibility[0] ? a->overlay.visibility : "visible");
    for (int i = 0; i < a->count; i++) {
        r->test[r->count].row = a->test[i];
        r->test[r->count++].state = MISSING;
        r->max_score += selected(o, &a->test[i]) ? a->test[i].points : 0;
    }
}

static void run_tests(Grading *g)
{
    for (int i = 0; i < g->report->count && !g->report->failure.length; i++)
        if (selected(g->options, &g->report->test[i].row))
            run_test(g, i);
    isolation_say(g);
    for (int v = 0; v < VARIANTS; v++)
        bench_close(&g->bench[v]);
}

/* Whatever the submission or the compiler printed, and wherever a long title was cut, every format
 * gets clean UTF-8. */
static void clean_report(Report *r)
{
    name_clean(r->assignment, sizeof r->assignment);
    name_clean(r->title, sizeof r->title);
    name_clean(r->file, sizeof r->file);
    text_clean(&r->message);
    text_clean(&r->isolation);
    text_clean(&r->failure);
    for (int i = 0; i < r->count; i++) {
        name_clean(r->test[i].row.title, sizeof r->test[i].row.title);
        text_clean(&r->test[i].feedback);
    }
}

/* The tests that were not asked for are not in the report. */
static void keep_selected(Report *r, const GradeOptions *o)
{
    int kept = 0;
    for (int i = 0; i < r->count; i++)
        if (!selected(o, &r->test[i].row))
            text_free(&r->test[i].feedback);
        else if (kept++ != i)
            r->test[kept - 1] = r->test[i];
    r->count = kept;
}

void grade(Report *r, const Assignment *a, const char *file, const GradeOptions *o)
{
    double start = seconds_now();
    Grading *g = memory(1, sizeof *g);
    begin_report(r, a, file, o);
    char shown[PATH_SIZE];
    *g = (Grading){.report = r, .a = a, .options = o};
    g->shown_file = shell_word(shown, o->of_student ? path_last(file) : file);
    g->slowness = machine_slowness();
    choose_name(g, file);
    if (walls_open(&g->scratch, g->work, g->empty))
        r->compiled = compile_submission(g, file);
    else
        grading_fail(g, "no folder to work in can be made");
    if (r->compiled)
        run_tests(g);
    for (int i = 0; i < r->count && !r->compiled; i++)
        text_put(&r->test[i].feedback, "Not tried: the file was not compiled; see above.\n");
    keep_selected(r, o);
    clean_report(r);
    for (int i = 0; i < r->count; i++)
        r->score += r->test[i].score;
    r->seconds = seconds_now() - start;
    scratch_close(&g->scratch);
    text_free(&g->watch_failure);
    free(g);
}

void report_free(Report *r)
{
    for (int i = 0; i < r->count; i++)
        text_free(&r->test[i].feedback);
    text_free(&r->message);
    text_free(&r->isolation);
    text_free(&r->failure);
}
