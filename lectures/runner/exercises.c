/* exercises.c: see exercises.h. The child process writes to a pipe the value and its seconds, then
 * the index of each wrong solution that gives the same numbers. */
#include "lectures/runner/exercises.h"

#include "examples/common/options.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

/* Runs the claim; *notes becomes what it explains, or NULL without memory. */
static Finding run_noted(const Claim *c, const char *fault, uint64_t seed, char **notes)
{
    size_t size;
    *notes = NULL;
    FILE *to = open_memstream(notes, &size);
    Finding f = claim_run(c, fault, seed, to);
    if (to)
        fclose(to);
    return f;
}

/* The value alone may be that of many mistakes ("5 of 5 are wrong"), so that all numbers on the way
 * are compared. */
static void measure(int to, const Claim *c, uint64_t seed, bool compare)
{
    char *own, *other;
    Finding f = run_noted(c, NULL, seed, &own);
    Measured m = {f.value, f.seconds};
    tell(to, &m, sizeof m);
    compare = compare && f.verdict == FAILS && isfinite(f.value) && own;
    for (int k = 0; compare && k < CLAIM_FAULTS && c->faults[k].name; k++) {
        if (strcmp(c->faults[k].name, "solved") == 0)
            continue;
        Finding known = run_noted(c, c->faults[k].name, seed, &other);
        if (other && known.value == f.value && strcmp(other, own) == 0)
            tell(to, &k, sizeof k);
        free(other);
    }
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

static void say_why(const Finding *f, const bool same[CLAIM_FAULTS], int status, int seconds)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        printf("     it did not end within %d s of processor time\n", seconds);
    else if (WIFSIGNALED(status))
        printf("     it ended with signal %d (%s)\n", WTERMSIG(status),
               strsignal(WTERMSIG(status)));
    else if (status)
        printf("     it ended with the error above\n");
    else if (isnan(f->value))
        printf("     a NaN, or a wrong shape, in: %s\n", f->claim->quantity);
    for (int k = 0; k < CLAIM_FAULTS; k++)
        if (same[k])
            printf("     the same numbers as with a known mistake: %s\n", f->claim->faults[k].what);
}

/* Of processor time; the system ends the process then with SIGXCPU. */
static void end_after(int seconds)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_CPU, &limit) == 0) {
        limit.rlim_cur = (rlim_t)seconds;
        setrlimit(RLIMIT_CPU, &limit);
    }
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
        end_after(tries->seconds);
        measure(ends[1], exercise, seed, table);
    }
    close(ends[1]);
    hear(ends[0], &f, same);
    close(ends[0]);
    waitpid(child, &status, 0);
    report_finding(r, &f);
    if (table)
        say_why(&f, same, status, tries->seconds);
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
    printf(tries->done < tries->count ? "; --try ROW --explain ROW shows the numbers\n" : "\n");
}
