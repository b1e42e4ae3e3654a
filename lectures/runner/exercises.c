/* exercises.c: see exercises.h. The child process writes to a pipe the value and its seconds, then
 * the index of each wrong solution that gives the same numbers. */
#include "lectures/runner/exercises.h"

#include "examples/common/options.h"
#include "lectures/runner/text_stream.h"
#include "tensor/io/disk.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    double value, seconds;
} Measured;

/* What the child has to do. */
typedef struct {
    const Claim *claim;
    uint64_t seed;
    bool compare;
} Task;

static void send_back(int to, const void *bytes, size_t size)
{
    if (!disk_write(to, bytes, size))
        _exit(1);
}

/* Runs the claim; *notes becomes what it explains, or NULL without memory. */
static Finding run_noted(const Claim *c, const char *fault, uint64_t seed, char **notes)
{
    TextStream text;
    Finding f = claim_run(c, fault, seed, text_open(&text));
    *notes = text_close(&text, NULL);
    return f;
}

/* The value alone may be that of many mistakes ("5 of 5 are wrong"), so that all numbers on the way
 * are compared. */
static void measure(int to, void *context)
{
    const Task *t = context;
    const Claim *c = t->claim;
    char *own, *other;
    Finding f = run_noted(c, NULL, t->seed, &own);
    Measured m = {f.value, f.seconds};
    send_back(to, &m, sizeof m);
    bool compare = t->compare && f.verdict == FAILS && isfinite(f.value) && own;
    for (int k = 0; compare && k < CLAIM_FAULTS && c->faults[k].name; k++) {
        if (strcmp(c->faults[k].name, "solved") == 0)
            continue;
        Finding known = run_noted(c, c->faults[k].name, t->seed, &other);
        if (other && known.value == f.value && strcmp(other, own) == 0)
            send_back(to, &k, sizeof k);
        free(other);
    }
    free(own);
}

/* What the child wrote; a value that it did not write is NaN. */
static void hear(int from, Finding *f, bool same[CLAIM_FAULTS])
{
    Measured m;
    int k;
    if (disk_read(from, &m, sizeof m) == sizeof m) {
        f->value = m.value;
        f->seconds = m.seconds;
    }
    while (disk_read(from, &k, sizeof k) == sizeof k)
        same[k] = true;
    bool holds = f->value >= f->claim->low && f->value <= f->claim->high;
    f->verdict = holds ? HOLDS : FAILS;
}

static const char *meaning_of(int signal)
{
    return signal == SIGSEGV   ? " (it used memory that is not its own)"
           : signal == SIGFPE  ? " (it divided a whole number by 0)"
           : signal == SIGABRT ? " (it ended itself: abort)"
                               : "";
}

static void say_why(const Finding *f, const bool same[CLAIM_FAULTS], int status, int seconds)
{
    if (status == SYSTEM_OUT_OF_TIME)
        printf("     it did not end within %d s of processor time\n", seconds);
    else if (status > 128)
        printf("     it ended with signal %d%s\n", status - 128, meaning_of(status - 128));
    else if (status)
        printf("     it ended with the error above\n");
    else if (isnan(f->value))
        printf("     a NaN, or a wrong shape, in: %s\n", f->claim->quantity);
    for (int k = 0; k < CLAIM_FAULTS; k++)
        if (same[k])
            printf("     the same numbers as with a known mistake: %s\n", f->claim->faults[k].what);
}

void exercise_try(Report *r, Tries *tries, const Claim *exercise, uint64_t seed)
{
    Finding f = {.claim = exercise, .value = (double)NAN};
    bool same[CLAIM_FAULTS] = {false}, table = r->format == REPORT_TABLE;
    Task task = {exercise, seed, table};
    SystemProcess child;
    fflush(stdout);
    fflush(stderr);
    if (system_try(&child, measure, &task, tries->seconds, _exit) != 0)
        options_refuse("row %d: no process for the exercise", exercise->row);
    hear(child.stream, &f, same);
    int status = system_wait(&child);
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
