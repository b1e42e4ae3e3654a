/* watch.c: the memory of a test that passed or crashed, looked at by the address and undefined-behaviour
 * sanitizers in a run of its own: limits on memory, which the first run has, are not possible with them. */
#include "grading.h"

#include <string.h>

/* Of a report of the sanitizer: what, and the first places in the student's own file. */
static void say_report(Grading *g, Text *to, const char *report)
{
    const char *error = strstr(report, "ERROR: AddressSanitizer: "), *undefined;
    if (error) {
        error += strlen("ERROR: ");
        text_print(to, "The sanitizer says: %.*s\n", (int)strcspn(error, "\n"), error);
    } else if ((undefined = strstr(report, "runtime error: "))) {
        text_print(to, "The sanitizer says: %.*s\n", (int)strcspn(undefined, "\n"), undefined);
    }
    static const char *const telling[] = {"READ of size", "WRITE of size", "located"};
    for (const char *line = report; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *end = line + strcspn(line, "\n");
        const char *own = strstr(line, g->file);
        bool tells =
            own && own < end && strchr(own, ':') && strchr(own, ':') < end && line[0] == ' ';
        for (int i = 0; i < 3 && !tells; i++) {
            const char *at = strstr(line, telling[i]);
            tells = at && at < end;
        }
        if (tells && to->length < 3000)
            text_print(to, "    %.*s\n", (int)(end - line - (long)strspn(line, " ")),
                       line + strspn(line, " "));
    }
}

void watch_memory(Grading *g, int test)
{
    TestResult *t = &g->report->test[test];
    Text said = {0};
    if (!g->a->sanitizer || !grading_build(g, SANITIZED, &said)) {
        text_free(&said);
        return;
    }
    Request q = {.mode = RUN_CASES,
                 .test = test,
                 .function = assignment_function(g->a, t->row.function),
                 .count = t->row.cases,
                 .total = t->row.cases,
                 .seed = g->options->seed,
                 .cpu_seconds = (int)(5 * CPU_SECONDS * g->slowness + 0.5),
                 .memory_mb = MEMORY_MB};
    Outcome o;
    bench_run(grading_bench(g, SANITIZED), &q, 1 << 16, &o);
    bool reported = strstr(text_of(&o.output), "AddressSanitizer") ||
                    strstr(text_of(&o.output), "runtime error: ");
    if (o.answered && o.status != 0 && reported) {
        if (t->state == PASSED)
            text_put(&t->feedback, "The numbers are right, but the memory is not:\n");
        t->state = FAILED;
        say_report(g, &t->feedback, text_of(&o.output));
    }
    outcome_free(&o);
    text_free(&said);
}
