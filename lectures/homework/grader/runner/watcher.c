/* watcher.c: a limit that the kernel does not keep by itself, on memory that is touched.
 *
 * The sanitizer's process may touch terabytes that were reserved before any limit was set. So the
 * server looks every few milliseconds at the pages that the process has in memory
 * (/proc/PID/statm). */
#define _GNU_SOURCE
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS_EVERY_MS = 5, SANITIZER_MB = 256 };

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

/* A descriptor of statm; -1: it is not there. In a PID namespace /proc may know the child by
 * another number, which is in the list of this process's children. */
static int open_statm(void)
{
    char path[64];
    int pid = 0, statm = -1;
    FILE *children = fopen("/proc/thread-self/children", "re");
    if (children && fscanf(children, "%d", &pid) == 1) {
        snprintf(path, sizeof path, "/proc/%d/statm", pid);
        statm = open(path, O_RDONLY | O_CLOEXEC);
    }
    if (children)
        fclose(children);
    return statm;
}

/* Its second number counts the pages in memory. */
static void look(int statm, pid_t test, const Request *q, Status *s)
{
    char text[128] = "";
    double pages = 0;
    if (statm < 0 || pread(statm, text, sizeof text - 1, 0) <= 0 ||
        sscanf(text, "%*s %lf", &pages) != 1 ||
        pages * (double)sysconf(_SC_PAGESIZE) <= (q->memory_mb + SANITIZER_MB) * 1048576.0)
        return;
    s->stopped = STOPPED_MEMORY;
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
    int statm = open_statm();
    for (pid_t ended; (ended = wait4(test, &s->status, WNOHANG, &used)) != test;) {
        if (ended < 0 && errno != EINTR)
            break;
        struct timespec pause = {0, LOOKS_EVERY_MS * 1000000L};
        if (pause_or_signal(&set, &pause) && q->mode == RUN_CASES)
            look(statm, test, q, s);
    }
    close(statm); /* of -1 it does nothing */
    s->cpu = (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec +
             (double)used.ru_stime.tv_sec + 1e-6 * (double)used.ru_stime.tv_usec;
}
