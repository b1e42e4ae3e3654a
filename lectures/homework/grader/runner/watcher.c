/* watcher.c: two limits that the kernel does not keep by itself, on sleeping and on memory that is
 * touched.
 *
 * A process that sleeps uses no processor time, and the sanitizer's process may touch terabytes
 * that were reserved before any limit was set. So the server looks at the process every few
 * milliseconds:
 *
 *   /proc/PID/schedstat  nanoseconds on a processor, nanoseconds of waiting for one: the rest is sleep
 *   /proc/PID/statm      pages in memory
 *
 * Waiting for a processor is not the submission's fault, and does not count. */
#define _GNU_SOURCE
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS_EVERY_MS = 5, SANITIZER_MB = 256 };

typedef struct {
    int times, memory; /* descriptors; -1: not there */
    double start;
} Eye;

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void nothing(int number)
{
    (void)number;
}

static sigset_t child_signal(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    return set;
}

/* The signal of a child's end has to be blocked to be waited for, and caught to be sent at all. */
void watch_begin(void)
{
    sigset_t set = child_signal();
    signal(SIGCHLD, nothing);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

void watch_leave(void)
{
    sigset_t set = child_signal();
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* In a PID namespace /proc may know the child by another number, which is in the list of this
 * process's children. */
static Eye open_eye(void)
{
    char path[64];
    int pid = 0;
    Eye e = {-1, -1, seconds_now()};
    FILE *children = fopen("/proc/thread-self/children", "re");
    if (children && fscanf(children, "%d", &pid) == 1) {
        snprintf(path, sizeof path, "/proc/%d/schedstat", pid);
        e.times = open(path, O_RDONLY | O_CLOEXEC);
        snprintf(path, sizeof path, "/proc/%d/statm", pid);
        e.memory = open(path, O_RDONLY | O_CLOEXEC);
    }
    if (children)
        fclose(children);
    return e;
}

static void close_eye(const Eye *e)
{
    if (e->times >= 0)
        close(e->times);
    if (e->memory >= 0)
        close(e->memory);
}

/* The first two numbers of a file in /proc. */
static bool read_two(int from, double value[2])
{
    char text[128];
    ssize_t length = from >= 0 ? pread(from, text, sizeof text - 1, 0) : -1;
    if (length <= 0)
        return false;
    text[length] = 0;
    return sscanf(text, "%lf %lf", &value[0], &value[1]) == 2;
}

static void look(const Eye *e, pid_t test, const Request *q, Status *s)
{
    double value[2];
    if (read_two(e->times, value))
        s->slept = seconds_now() - e->start - 1e-9 * (value[0] + value[1]);
    if (q->sleep_seconds && s->slept > q->sleep_seconds)
        s->stopped = STOPPED_SLEEP;
    if (read_two(e->memory, value) &&
        value[1] * (double)sysconf(_SC_PAGESIZE) > (q->memory_mb + SANITIZER_MB) * 1048576.0)
        s->stopped = STOPPED_MEMORY;
    if (s->stopped)
        kill(test, SIGKILL);
}

/* True after the pause, false where a signal of the set ended it. */
static bool pause_or_signal(const sigset_t *set, const struct timespec *pause)
{
#ifdef __APPLE__
    (void)set; /* macOS has no sigtimedwait; its pause is always as long */
    nanosleep(pause, NULL);
    return true;
#else
    return sigtimedwait(set, NULL, pause) < 0 && errno == EAGAIN;
#endif
}

void watch_test(pid_t test, const Request *q, Status *s)
{
    struct rusage used = {0};
    sigset_t set = child_signal();
    Eye eye = open_eye();
    for (pid_t ended; (ended = wait4(test, &s->status, WNOHANG, &used)) != test;) {
        if (ended < 0 && errno != EINTR)
            break;
        struct timespec pause = {0, LOOKS_EVERY_MS * 1000000L};
        if (pause_or_signal(&set, &pause) && q->mode == RUN_CASES)
            look(&eye, test, q, s);
    }
    close_eye(&eye);
    s->cpu = (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec +
             (double)used.ru_stime.tv_sec + 1e-6 * (double)used.ru_stime.tv_usec;
}
