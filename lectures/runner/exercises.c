/* exercises.c: see exercises.h. The child process writes to a pipe the value and its seconds, then
 * the index of each wrong solution that gives the same value. */
#include "lectures/runner/exercises.h"

#include "examples/common/options.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    double value, seconds;
} Measured;

static void tell(int to, const void *bytes, size_t size)
{
    if (write(to, bytes, size) != (ssize_t)size)
        _exit(1);
}

static void measure(int to, const Claim *c, uint64_t seed, bool compare)
{
    Finding f = claim_run(c, NULL, seed, NULL);
    Measured m = {f.value, f.seconds};
    tell(to, &m, sizeof m);
    compare = compare && f.verdict == FAILS && isfinite(f.value);
    for (int k = 0; compare && k < CLAIM_FAULTS && c->faults[k].name; k++)
        if (strcmp(c->faults[k].name, "solved") != 0 &&
            claim_run(c, c->faults[k].name, seed, NULL).value == f.value)
            tell(to, &k, sizeof k);
    _exit(0);
}

/* What the child wrote; a value that it did not write is NaN. */
static void hear(int from, Finding *f, bool same[CLAIM_FAULTS])
{
    Measured m;
    int k;
    if (read(from, &m, sizeof m) == sizeof m) {
        f->value = m.value;
        f->seconds = m.seconds;
    }
    while (read(from, &k, sizeof k) == sizeof k)
        same[k] = true;
    bool holds = f->value >= f->claim->low && f->value <= f->claim->high;
    f->verdict = holds ? HOLDS : FAILS;
}

static void say_why(const Finding *f, const bool same[CLAIM_FAULTS], int status)
{
    if (WIFSIGNALED(status))
        printf("     it ended with signal %d (%s)\n", WTERMSIG(status),
               strsignal(WTERMSIG(status)));
    else if (status)
        printf("     it ended with the error above\n");
    for (int k = 0; k < CLAIM_FAULTS; k++)
        if (same[k])
            printf("     the same number as with a known mistake: %s\n", f->claim->faults[k].what);
}

void exercise_try(Report *r, Tries *tries, const Claim *exercise, uint64_t seed)
{
    Finding f = {.claim = exercise, .value = (double)NAN};
    bool same[CLAIM_FAULTS] = {false}, table = r->format == REPORT_TABLE;
    int ends[2], status = 0;
    fflush(stdout);
    fflush(stderr);
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child < 0)
        options_refuse("row %d: no process for the exercise", exercise->row);
    if (child == 0) {
        close(ends[0]);
        measure(ends[1], exercise, seed, table);
    }
    close(ends[1]);
    hear(ends[0], &f, same);
    close(ends[0]);
    waitpid(child, &status, 0);
    report_finding(r, &f);
    if (table)
        say_why(&f, same, status);
    tries->count++;
    tries->done += f.verdict == HOLDS;
    tries->ended += status != 0;
}

void exercises_end(const Report *r, const Tries *tries)
{
    if (r->format != REPORT_TABLE) {
        report_end(r);
        return;
    }
    printf("\n%d exercise%s: %d done, %d not yet", tries->count, tries->count == 1 ? "" : "s",
           tries->done, tries->count - tries->done - tries->ended);
    if (tries->ended)
        printf(", %d ended with an error", tries->ended);
    printf("\n");
}
