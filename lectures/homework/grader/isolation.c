/* isolation.c: what the walls hold on this machine, in words: in every report, and for ./gradus
 * grade --isolation.
 *
 * Nothing here is assumed. The runner tries in vain what a submission must not do
 * (runner/sandbox.c), and the compiler's walls are tried at the start (walls.c). */
#include "grading.h"
#include "walls.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    int bit;
    const char *what;
} Promise;

/* After "It cannot". */
static const Promise promises[] = {
    {HELD_FILES, "open, make or remove files"},
    {HELD_PROCESSES, "start processes"},
    {HELD_SIGNALS, "send signals to other processes"},
    {HELD_NETWORK, "use the network"},
    {HELD_SLEEP, "sleep"},
};

enum { PROMISES = sizeof promises / sizeof *promises };

static void say_walls(Text *to, int held)
{
    text_put(to, held & HELD_PIDS ? "a PID namespace" : "a process group (no PID namespace here)");
    text_put(to, held & HELD_CALLS ? ", behind a list of system calls"
                                   : ", without a list of system calls");
    text_put(to, held & HELD_LANDLOCK ? ", with Landlock" : ", without Landlock");
    if (geteuid() == 0)
        text_put(to, held & HELD_USER ? ", as a user of its own" : ", as a user whom others share");
}

/* Names what has the bit set, or what has not. */
static int list(Text *to, int held, bool set)
{
    int count = 0;
    for (int i = 0; i < PROMISES; i++)
        if (!!(held & promises[i].bit) == set)
            text_print(to, "%s%s", count++ ? "; " : "", promises[i].what);
    return count;
}

static const char *watch_words(const Grading *g)
{
    if (!g->a->sanitizer)
        return "the compiler has no sanitizer, so reads and writes outside of arrays may have "
               "passed";
    if (g->watch_failure.length)
        return "the sanitizer could not run here, so reads and writes outside of arrays may have "
               "passed: ";
    return g->watched ? "a second run under the sanitizer looked for errors of memory"
                      : "no test needed a run under the sanitizer";
}

void isolation_say(Grading *g)
{
    Text *to = &g->report->isolation;
    Text missing = {0};
    int held = ~0, tried = 0;
    if (!submissions_are_held()) {
        text_print(to,
                   "a process group without walls, which this system lacks: grade your own file "
                   "here, and submissions of others on Linux or in a container; %s%s",
                   watch_words(g), text_of(&g->watch_failure));
        return;
    }
    for (Variant v = FLOAT; v < JUDGE; v++) {
        held &= g->bench[v].held ? g->bench[v].held : ~0;
        tried |= g->bench[v].held;
    }
    held = tried ? held : 0;
    say_walls(to, held);
    if (list(&missing, held, false))
        text_print(to, "; THIS MACHINE DOES NOT PREVENT that a submission can: %s",
                   text_of(&missing));
    if (!(walls_hold() & HELD_FILES))
        text_put(to, "; THIS MACHINE DOES NOT PREVENT that its compiler opens other files");
    text_print(to, "; %s%s", watch_words(g), text_of(&g->watch_failure));
    text_free(&missing);
}

/* ---- ./gradus grade --isolation -------------------------------------------------------------- */

static void print_walls(const char *what, int held)
{
    Text walls = {0};
    say_walls(&walls, held);
    printf("%s: %s\n", what, text_of(&walls));
    text_free(&walls);
}

static void print_promise(bool holds, const char *cannot, const char *promise)
{
    printf("  %-7s  %s%s\n", holds ? "holds" : "FAILS", cannot, promise);
}

static void print_run(const char *what, int held, bool starts)
{
    if (!starts) {
        printf("%s cannot start: no such run takes place here; each report says so\n", what);
        return;
    }
    print_walls(what, held);
    for (int i = 0; i < PROMISES; i++)
        print_promise(held & promises[i].bit, "cannot ", promises[i].what);
}

static int held_in(const Assignment *a, Variant v, bool *starts)
{
    Bench b = {.assignment = a, .variant = v, .wall_limit = 20};
    cached(a, "tests", v, b.library);
    *starts = (v != SANITIZED || a->sanitizer) && bench_open(&b);
    int held = b.server.held;
    if (*starts)
        bench_close(&b);
    return held;
}

int isolation_print(const Assignment *a)
{
    bool runs, watches;
    int run = held_in(a, FLOAT, &runs), watch = held_in(a, SANITIZED, &watches);
    print_walls("The compiler of a submission", walls_hold());
    print_promise(walls_hold() & HELD_FILES, "",
                  "opens hwN.h, the submission and its own files, nothing else");
    print_run("The process that runs a submission", run, runs);
    print_run("The process that runs it under the sanitizer", watch, watches);
    bool all = runs && watches && (walls_hold() & HELD_FILES);
    for (int i = 0; i < PROMISES; i++)
        all = all && (run & watch & promises[i].bit);
    printf(
        "%s\n",
        all ? "Every promise holds on this machine."
            : "Grade submissions that you do not trust on a machine on which every promise holds.");
    return all ? 0 : 1;
}
