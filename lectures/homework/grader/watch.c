/* watch.c: the memory of a test that passed or crashed, looked at by the address and
 * undefined-behaviour sanitizers in a run of its own, behind the same walls and with the same
 * limits as the first one. What was never set holds other bytes in it, so numbers that depend on
 * them are others. */
#include "grading.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum { FRAMES_MAX = 8 };

/* ---- the sanitizer's words ------------------------------------------------------------------- */

/* What is understood of a report; empty or 0 where it does not say. */
typedef struct {
    char kind[64], place[160], side[32], access[8];
    int size, distance;
    long block;
} Finding;

/* Lines are looked up here, not in the process that made the report: it can open no file. A frame
 * of the report is #1 0x7f... (/proc/self/fd/9+0x1234) where the submission is in a library that
 * was opened so. */
static bool ask_line(const Grading *g, const char *offset, char place[160])
{
    char address[32], line[160];
    size_t length = strlen(g->file);
    snprintf(address, sizeof address, "%.*s", (int)strspn(offset, "0123456789abcdefx"), offset);
    bool found =
        process_line(g->bench[SANITIZED].library, g->work, g->empty, address, line, sizeof line) &&
        strncmp(line, g->file, length) == 0 && line[length] == ':' && line[length + 1] != '?';
    if (found)
        snprintf(place, 160, "%s", line);
    return found;
}

/* The first line of the student's own file that the report leads to. */
static void find_place(Finding *f, const Grading *g, const char *report)
{
    char wanted[160];
    static const char library[] = "(/proc/self/fd/";
    snprintf(wanted, sizeof wanted, "%s:", g->file);
    const char *at = strstr(report, wanted);
    if (at) { /* an undefined operation is reported with its line */
        size_t length = strlen(wanted);
        length += strspn(at + length, "0123456789");
        snprintf(f->place, sizeof f->place, "%.*s", (int)length, at);
        return;
    }
    for (int frames = 0; frames < FRAMES_MAX && (at = strstr(report, library)); frames++) {
        report = at + strlen(library);
        const char *offset = report + strspn(report, "0123456789");
        if (*offset == '+' && ask_line(g, offset + 1, f->place))
            return;
    }
}

static Finding understand(const Grading *g, const char *report)
{
    Finding f = {.size = 0};
    const char *error = strstr(report, "AddressSanitizer: "), *at;
    const char *undefined = strstr(report, "runtime error: ");
    if (error && strncmp(error, "AddressSanitizer: attempting ", 29) == 0)
        sscanf(error, "AddressSanitizer: attempting %63[^ \n]", f.kind);
    else if (error)
        sscanf(error, "AddressSanitizer: %63[^ \n]", f.kind);
    else if (undefined)
        sscanf(undefined, "runtime error: %63[^\n]", f.kind);
    if (strstr(report, "READ of size"))
        snprintf(f.access, sizeof f.access, "reads");
    else if (strstr(report, "WRITE of size"))
        snprintf(f.access, sizeof f.access, "writes");
    if ((at = strstr(report, " of size ")))
        sscanf(at, " of size %d", &f.size);
    if ((at = strstr(report, " is located ")))
        sscanf(at, " is located %d bytes %31[a-z ] %ld-byte region", &f.distance, f.side, &f.block);
    find_place(&f, g, report);
    return f;
}

/* ---- in our words ---------------------------------------------------------------------------- */

static bool is_beyond(const char *side)
{
    return strncmp(side, "after", 5) == 0 || strncmp(side, "to the right", 12) == 0;
}

/* Which arrays have so many bytes: their names are what the student knows. */
static void say_arrays(Text *to, const ExpectedCase *c, long bytes)
{
    int found = 0;
    for (int k = 0; k < c->head.arrays; k++) {
        const CaseArray *a = &c->array[k].a;
        long element = a->whole ? (long)sizeof(int) : (long)sizeof(float);
        if (element * a->count == bytes)
            text_print(to, "%s%s", found++ ? ", " : " Of that size: ", a->name);
    }
    text_put(to, found ? "." : "");
}

static void say_finding(Text *to, const Finding *f, const ExpectedCase *c)
{
    text_put(to, "The sanitizer: ");
    if (c->head.sizes) {
        text_put(to, "With ");
        print_sizes(to, c);
        text_put(to, ": ");
    }
    text_print(to, "%s%s%s", f->kind, f->place[0] ? " at " : "", f->place);
    if (f->access[0])
        text_print(to, "; it %s %d bytes", f->access, f->size);
    if (f->side[0])
        text_print(to, ", %d bytes %s of %ld bytes", f->distance,
                   is_beyond(f->side)          ? "beyond the end of a block"
                   : strstr(f->side, "inside") ? "into a block"
                                               : "before the beginning of a block",
                   f->block);
    text_put(to, ".");
    if (f->block)
        say_arrays(to, c, f->block);
    text_put(to, "\n");
}

/* Did it send its last record? One that ends the program itself does not. */
static bool has_ended(const Text *results)
{
    Record last;
    if (results->length < sizeof last)
        return false;
    memcpy(&last, results->data + results->length - sizeof last, sizeof last);
    return last.magic == MAGIC && last.type == RECORD_END;
}

static void say_report(Grading *g, TestResult *t, const ExpectedCase *c, const Outcome *o)
{
    Finding f = understand(g, text_of(&o->output));
    if (t->state == PASSED)
        text_put(&t->feedback, "The numbers are right, but the memory is not.\n");
    t->state = FAILED;
    say_finding(&t->feedback, &f, c);
}

/* Variables that were never set hold other bytes here than in the first run. */
static void say_other(TestResult *t, const Cases *cases, const Verdict *v)
{
    const ExpectedCase *c = &cases->at[v->at];
    t->state = FAILED;
    text_put(&t->feedback, "A variable or memory of malloc is read before it is set: ");
    print_element(&t->feedback, &c->array[v->array].a, v->element);
    text_put(&t->feedback, c->head.sizes ? " with " : "");
    print_sizes(&t->feedback, c);
    text_put(&t->feedback, " is wrong where such memory holds other numbers.\n");
}

/* ---- the run --------------------------------------------------------------------------------- */

/* How a run ended that found nothing, if not as it should. Running out of time is said, and costs
 * nothing: the sanitizer is slow. */
static void say_end(Grading *g, TestResult *t, const Outcome *o)
{
    bool slow = o->timed_out || (WIFSIGNALED(o->status) && WTERMSIG(o->status) == SIGXCPU);
    if (slow) {
        text_print(&g->report->message,
                   "Test \"%s\" took too long under the sanitizer: its memory was not checked.\n",
                   t->row.title);
        return;
    }
    t->state = FAILED;
    text_put(
        &t->feedback,
        "Under the sanitizer, which watches each access to memory, it did not come to its end: ");
    if (o->stopped == STOPPED_MEMORY)
        text_put(&t->feedback, "it used more memory than a test may use.\n");
    else if (WIFSIGNALED(o->status))
        text_print(&t->feedback, "it was ended by signal %d.\n", WTERMSIG(o->status));
    else
        text_print(&t->feedback, "it ended the program with status %d.\n", WEXITSTATUS(o->status));
}

/* Where the sanitizer ran before on this machine, a failure now is not the sanitizer's. */
static void say_no_run(Grading *g, const Bench *b, const char *why)
{
    if (b && b->held)
        grading_fail(g, why);
    else if (g->watch_failure.length == 0)
        text_put(&g->watch_failure, why);
}

static void run(Grading *g, TestResult *t, const Request *q, const Cases *cases)
{
    Outcome o;
    Verdict v;
    Bench *b = grading_bench(g, SANITIZED);
    bench_run(b, q, cases_bytes(cases, SANITIZED), &o);
    verdict_of(&v, cases, &o, SANITIZED);
    grading_count(g, &o);
    const char *words = text_of(&o.output);
    bool reported = strstr(words, "AddressSanitizer") || strstr(words, "runtime error: ");
    int last = v.numbers.done < cases->count ? v.numbers.done : cases->count - 1;
    if (o.machine)
        say_no_run(g, b, o.machine);
    else
        g->watched = true;
    if (o.answered && o.status != 0 && reported)
        say_report(g, t, &cases->at[last], &o);
    else if (!o.machine && (!o.answered || o.status != 0 || !has_ended(&o.results)))
        say_end(g, t, &o);
    else if (t->state == PASSED && !t->row.gradient && v.what == WRONG_VALUE)
        say_other(t, cases, &v);
    verdict_free(&v);
    outcome_free(&o);
}

void watch_memory(Grading *g, int test)
{
    TestResult *t = &g->report->test[test];
    Text said = {0};
    if (!g->a->sanitizer || g->watch_failure.length)
        return;
    if (!grading_build(g, SANITIZED, &said)) {
        say_no_run(g, NULL, text_of(&said));
        text_free(&said);
        return;
    }
    text_free(&said);
    Request q = grading_request(g, test, g->options->seed);
    q.cpu_seconds *= SANITIZER_TIMES;
    Cases cases = {.count = 0};
    if (grading_expect(g, &q, &cases))
        run(g, t, &q, &cases);
    cases_free(&cases);
}
