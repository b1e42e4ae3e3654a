/* isolation.c: what the walls hold on this machine, in words, for ./gradus grade --isolation; a
 * report says what they do not hold.
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

void isolation_say(Grading *g)
{
    Text *to = &g->report->isolation, missing = {0};
    int held = ~0, tried = 0;
    for (Variant v = FLOAT; v < JUDGE; v++) {
        held &= g->bench[v].held ? g->bench[v].held : ~0;
        tried |= g->bench[v].held;
    }
    if (!submissions_are_held())
        text_put(to, "This system has no walls: grade your own file here, and submissions of "
                     "others on Linux or in a container.\n");
    else if (list(&missing, tried ? held : 0, false))
        text_print(to, "THIS MACHINE DOES NOT PREVENT that a submission can: %s.\n",
                   text_of(&missing));
    if (submissions_are_held() && !(walls_hold() & HELD_FILES))
        text_put(to, "THIS MACHINE DOES NOT PREVENT that its compiler opens other files.\n");
    if (!g->a->sanitizer || g->watch_failure.length)
        text_print(to, "Note: %s, so reads and writes outside of arrays may have passed. %s\n",
                   g->a->sanitizer ? "the sanitizer could not run here"
                                   : "the compiler has no sanitizer",
                   text_of(&g->watch_failure));
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
