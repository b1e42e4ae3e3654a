/* server.c: starts the program in which a submission runs (runner.c), asks it to run a test,
 * listens, and kills it with all it started when it takes too long.
 *
 * On Linux it gets a PID namespace: when its first process dies, the kernel kills all others in it.
 * Without being root that takes a user namespace. Where the system forbids namespaces, a test's
 * process asks the kernel for a signal when the server dies, and can start no process. */
#define _GNU_SOURCE
#include "grader.h"
#include "walls.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/personality.h>
#include <sys/syscall.h>
#endif

enum { OUTPUT_MAX = 1 << 16, HELLO_SECONDS = 100, TRIES = 2, PAUSE_MS = 200 };

/* ---- starting -------------------------------------------------------------------------------- */

/* As fork, in namespaces where that is allowed; *held tells. */
static pid_t fork_apart(bool trusted, int *held)
{
    *held = 0;
#ifdef __linux__
    int apart = CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | (geteuid() ? CLONE_NEWUSER : 0);
    bool alone = !trusted && !(walls_left_out() & WITHOUT_NAMESPACES);
    pid_t child = alone ? (pid_t)syscall(SYS_clone, apart | SIGCHLD, 0, 0, 0, 0) : -1;
    if (child >= 0) {
        *held = HELD_NETWORK;
        return child;
    }
#endif
    (void)trusted;
    return fork();
}

static int open_part(const char *path)
{
    int descriptor = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (descriptor >= 0)
        fchmod(descriptor, 0755); /* nobody must be able to read it; the folder guards it */
    return descriptor;
}

static void keep(int descriptor)
{
    fcntl(descriptor, F_SETFD, 0);
}

/* Descriptors: what the runner gets besides its pipes, after its own program. */
enum { PROGRAM, TESTS, HIDDEN, LIBRARY, BEFORE, PARTS = BEFORE + FUNCTIONS_MAX };

/* -1 where there is none: the judge has the hidden tests beside the others, and no functions
 * before. */
static void open_parts(int part[PARTS], const Bench *b)
{
    const Assignment *a = b->assignment;
    char path[PATH_SIZE], what[32];
    part[PROGRAM] = open_part(cached_runner(a, b->variant, path));
    part[TESTS] = open_part(cached(a, "tests", b->variant, path));
    part[HIDDEN] = open_part(cached(a, "hidden", b->variant, path));
    part[LIBRARY] = open_part(b->library);
    for (int f = 0; f < a->functions; f++) {
        snprintf(what, sizeof what, "before-%d", f);
        part[BEFORE + f] = open_part(cached(a, what, b->variant, path));
    }
}

static void close_all(const int *descriptor, int count)
{
    for (int i = 0; i < count; i++)
        if (descriptor[i] >= 0)
            close(descriptor[i]);
}

/* In the new process: becomes the runner. */
static void become_runner(const Bench *b, const int part[PARTS], const int pipes[4])
{
    char number[3 + PARTS][16];
    char *argv[5 + PARTS] = {"runner"};
    char *environment[] = {"LANG=C", "PATH=/usr/bin:/bin", NULL};
    for (int i = 0; i < 3 + BEFORE - TESTS + b->assignment->functions; i++) {
        int descriptor = i < 3 ? pipes[i] : part[TESTS + i - 3];
        snprintf(number[i], sizeof *number, "%d", descriptor);
        argv[1 + i] = number[i];
        if (descriptor >= 0)
            keep(descriptor);
    }
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, 0);
    dup2(pipes[3], 1);
    dup2(pipes[3], 2);
    setpgid(0, 0);
    keep(part[PROGRAM]);
#ifdef __linux__
    /* The same addresses in every run: the same junk where a submission reads what it should not.
     * Some sanitizers do not start among addresses that are too random. */
    personality(ADDR_NO_RANDOMIZE);
    syscall(SYS_execveat, part[PROGRAM], "", argv, environment, AT_EMPTY_PATH);
#endif
    char path[PATH_SIZE];
    execve(cached_runner(b->assignment, b->variant, path), argv, environment);
    _exit(127);
}

static ssize_t read_before(int from, void *into, size_t size, double until)
{
    struct pollfd p = {.fd = from, .events = POLLIN};
    double left = until - seconds_now();
    if (left <= 0 || poll(&p, 1, (int)(1000 * left) + 1) <= 0)
        return -1;
    return read(from, into, size);
}

/* What every request has that does not depend on the test. */
static Request with_walls(const Bench *b, Request q)
{
    for (int i = 0; i < b->assignment->count; i++)
        q.visible += !b->assignment->test[i].hidden;
    q.user = walls_user(b->variant);
    q.without = walls_left_out();
    return q;
}

/* The first question: what do the walls hold here? */
static bool greet(const Bench *b, Server *s, int held)
{
    Status hello;
    Request q = with_walls(b, (Request){.mode = b->variant == JUDGE ? RUN_LIST : RUN_CASES,
                                        .cpu_seconds = 2,
                                        .memory_mb = 256});
    if (write(s->control, &q, sizeof q) != sizeof q ||
        read_before(s->status, &hello, sizeof hello,
                    seconds_now() + HELLO_SECONDS * machine_load()) != sizeof hello ||
        hello.magic != MAGIC || !hello.hello)
        return false;
    s->held = held | hello.held;
    return true;
}

bool bench_open(Bench *b)
{
    int pipes[8], held; /* control, status, results, output: each read end, write end */
    for (int i = 0; i < 8; i += 2)
        if (pipe_open(pipes + i) != 0) {
            close_all(pipes, i);
            return false;
        }
    int part[PARTS];
    open_parts(part, b);
    fflush(NULL);
    pid_t child = fork_apart(b->variant == JUDGE, &held);
    const int its[] = {pipes[0], pipes[3], pipes[5], pipes[7]};
    if (child == 0)
        become_runner(b, part, its);
    close_all(part, BEFORE + b->assignment->functions);
    close_all(its, 4);
    b->server = (Server){child, pipes[1], pipes[2], pipes[4], pipes[6], 0};
    fcntl(pipes[4], F_SETFL, O_NONBLOCK);
    fcntl(pipes[6], F_SETFL, O_NONBLOCK);
    if (child < 0 || !greet(b, &b->server, held)) {
        close_all((int[]){pipes[1], pipes[2], pipes[4], pipes[6]}, child < 0 ? 4 : 0);
        bench_close(b);
        return false;
    }
    return true;
}

/* ---- ending ---------------------------------------------------------------------------------- */

void bench_close(Bench *b)
{
    Server *s = &b->server;
    if (s->pid > 0) {
        kill(-s->pid, SIGKILL);
        kill(s->pid, SIGKILL);
        while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
            ;
        close_all((int[]){s->control, s->status, s->results, s->output}, 4);
    }
    *s = (Server){.pid = 0};
}

/* ---- a test ---------------------------------------------------------------------------------- */

/* All that is there now. False at the end of the pipe. */
static bool drain(int from, Text *into, size_t most)
{
    char part[1 << 15];
    ssize_t got;
    while ((got = read(from, part, sizeof part)) > 0) {
        size_t space = into->length < most ? most - into->length : 0;
        text_add(into, part, (size_t)got < space ? (size_t)got : space);
    }
    return got < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Until the status comes, or the time is over, or there are more results than an honest run has.
 * `limit`: seconds where the machine is not busy. What is trusted has no limit of processor time,
 * so it gets these seconds alone. */
static void listen_to(Bench *b, size_t expected, Outcome *o, double limit, bool trusted)
{
    Server *s = &b->server;
    struct pollfd p[3] = {{.fd = s->status, .events = POLLIN},
                          {.fd = s->results, .events = POLLIN},
                          {.fd = s->output, .events = POLLIN}};
    Status status = {0};
    double start = seconds_now(), left = limit;
    for (; !o->answered; left = start + limit * (trusted ? 1 : machine_load()) - seconds_now()) {
        o->timed_out = left <= 0;
        if (o->timed_out)
            return;
        if (poll(p, 3, (int)(1000 * left) + 1) < 0 && errno != EINTR)
            return;
        if (p[1].revents && !drain(s->results, &o->results, expected + 1))
            p[1].fd = -1;
        if (p[2].revents && !drain(s->output, &o->output, OUTPUT_MAX))
            p[2].fd = -1;
        if (o->results.length > expected)
            return;
        if (p[0].revents) {
            if (read(s->status, &status, sizeof status) != sizeof status)
                return;
            o->answered = status.magic == MAGIC;
        }
    }
    o->status = status.status;
    o->cpu = status.cpu;
    o->stopped = status.stopped;
}

/* Has the process reached the code of the submission? What ends before is the machine's failure. */
static bool was_ready(const Outcome *o)
{
    Record first;
    if (o->results.length < sizeof first)
        return false;
    memcpy(&first, o->results.data, sizeof first);
    return first.magic == MAGIC && (first.type == RECORD_READY || first.type == RECORD_LOAD);
}

/* Why the machine is to blame, or NULL: then what came is the submission's own doing. A submission
 * can end the server, or send its own process SIGKILL, only where no wall stops it. */
static const char *blame_machine(const Bench *b, const Request *q, const Outcome *o)
{
    if (q->mode != RUN_CASES)
        return NULL;
    if (o->stopped == STOPPED_NO_PROCESS)
        return "the system has no process left for a test";
    if (o->timed_out &&
        (b->held & HELD_SLEEP)) /* it cannot wait by itself, and its seconds are limited */
        return "the machine was too busy to run a test in time";
    if (!o->answered && !o->timed_out && !o->flooded && (b->held & HELD_SIGNALS))
        return "the program that runs the tests was killed";
    if (o->answered && WIFEXITED(o->status) && WEXITSTATUS(o->status) == RUNNER_FAILED &&
        !was_ready(o))
        return "the process for a test could not be set up";
    if (o->answered && !o->stopped && WIFSIGNALED(o->status) && WTERMSIG(o->status) == SIGKILL &&
        o->cpu < 0.5 * q->cpu_seconds && (b->held & HELD_CALLS))
        return "the process of a test was killed from outside";
    return NULL;
}

static void run_once(Bench *b, const Request *q, size_t expected, Outcome *o)
{
    *o = (Outcome){.answered = false};
    if (b->server.pid <= 0 && !bench_open(b)) {
        text_put(&o->output, "the program for the tests could not be started");
        o->machine = "the program that runs the tests could not be started";
        return;
    }
    b->held = b->server.held;
    Request ask = with_walls(b, *q);
    if (write(b->server.control, &ask, sizeof ask) == sizeof ask)
        listen_to(b, expected, o, 5 * b->wall_limit, q->mode != RUN_CASES);
    o->flooded = o->results.length > expected;
    o->timed_out = o->timed_out && !o->flooded;
    if (o->answered) {
        drain(b->server.results, &o->results, expected + 1);
        drain(b->server.output, &o->output, OUTPUT_MAX);
    } else {
        bench_close(b);
    }
    o->machine = blame_machine(b, q, o);
}

void bench_run(Bench *b, const Request *q, size_t expected, Outcome *o)
{
    run_once(b, q, expected, o);
    for (int again = 0; o->machine && again < TRIES; again++) {
        outcome_free(o);
        bench_close(b);
        usleep(PAUSE_MS * 1000);
        run_once(b, q, expected, o);
    }
}

void outcome_free(Outcome *o)
{
    text_free(&o->results);
    text_free(&o->output);
}

/* ---- how slow is this machine ---------------------------------------------------------------- */

/* Processor time of a fixed loop, the least of three, against what it takes where the limits were
 * chosen. */
double machine_slowness(void)
{
    double least = 1e9;
    for (int round = 0; round < 3; round++) {
        clock_t start = clock();
        volatile double x = 1;
        for (int i = 0; i < 250000; i++)
            x = x * 1.0000001 + 1e-9;
        double took = (double)(clock() - start) / CLOCKS_PER_SEC;
        least = took < least ? took : least;
    }
    double nominal = 1e-3;
    return least < nominal ? 1 : least / nominal;
}
