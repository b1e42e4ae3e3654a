/* process.c: running the compiler, which a submission's text can make slow, large and talkative. */
#define _GNU_SOURCE
#include "process.h"
#include "scratch.h"
#include "walls.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    SAID_MAX = 1 << 16,
    FILE_MB = 64,
    MEMORY_GB = 3,
    KEPT_MAX = 32,
    NO_FOLDER = 126, /* statuses of a child that did not become the program */
    NO_PROGRAM = 127,
};

static pid_t kept[KEPT_MAX];

static void exchange(pid_t old, pid_t new_)
{
    for (int i = 0; i < KEPT_MAX; i++)
        if (kept[i] == old) {
            kept[i] = new_;
            return;
        }
}

void process_keep(pid_t child)
{
    exchange(0, child);
}

void process_forget(pid_t child)
{
    exchange(child, 0);
}

bool process_is_kept(pid_t child)
{
    for (int i = 0; i < KEPT_MAX; i++)
        if (kept[i] == child)
            return true;
    return false;
}

/* ---- in the new process ------------------------------------------------------------------------------ */

static void limits(int seconds)
{
    const rlim_t file = (rlim_t)FILE_MB << 20, memory = (rlim_t)MEMORY_GB << 30;
    setrlimit(RLIMIT_CPU, &(struct rlimit){(rlim_t)seconds, (rlim_t)seconds + 1});
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){file, file});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_AS, &(struct rlimit){memory, memory});
}

/* Behind the walls the environment is this one: no variable of the grader's may add a folder or a library. */
static char **small_environment(const char *program)
{
    static char path[PATH_SIZE + 64];
    static char *environment[] = {path, "LC_ALL=C", "TMPDIR=.", "HOME=/nowhere", "CCACHE_DISABLE=1",
                                  NULL};
    const char *slash = strrchr(program, '/');
    snprintf(path, sizeof path, "PATH=%.*s:/usr/local/bin:/usr/bin:/bin",
             slash ? (int)(slash - program) : 0, program);
    return environment;
}

static void become(const char *const argv[], const Run *r, int output, int errors)
{
    int nothing = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    dup2(nothing, 0);
    dup2(output, 1);
    dup2(errors, 2);
    if (r->empty ? !walls_enter(r->folder, r->empty) : r->folder && chdir(r->folder) != 0)
        _exit(NO_FOLDER);
    limits(r->seconds);
    if (r->empty)
        execve(argv[0], (char *const *)argv, small_environment(argv[0]));
    else
        execvp(argv[0], (char *const *)argv);
    _exit(NO_PROGRAM);
}

/* ---- in this one --------------------------------------------------------------------------------------- */

typedef struct {
    int output[2], errors[2];
} Pipes;

static void close_both(const int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

static bool open_pipes(Pipes *p)
{
    if (pipe2(p->output, O_CLOEXEC) != 0)
        return false;
    if (pipe2(p->errors, O_CLOEXEC) == 0)
        return true;
    close_both(p->output);
    return false;
}

/* What is there of one pipe. False at its end. */
static bool take(int from, Text *into, size_t most)
{
    char part[1 << 14];
    ssize_t got = read(from, part, sizeof part);
    if (got > 0 && into && into->length <= most)
        text_add(into, part, (size_t)got);
    return got > 0 || (got < 0 && errno == EINTR);
}

/* All that it says, until it closes its outputs, the time is over, or it has said too much. */
static void listen_to(const Pipes *p, const Run *r, double until, Text *said)
{
    struct pollfd in[2] = {{.fd = p->output[0], .events = POLLIN},
                           {.fd = p->errors[0], .events = POLLIN}};
    for (double left; (in[0].fd >= 0 || in[1].fd >= 0) && (left = until - seconds_now()) > 0;) {
        if (poll(in, 2, (int)(1000 * left) + 1) < 0 && errno != EINTR)
            return;
        if (in[0].revents &&
            !take(in[0].fd, r->output ? r->output : said, r->output ? r->most : SAID_MAX))
            in[0].fd = -1;
        if (in[1].revents && !take(in[1].fd, said, SAID_MAX))
            in[1].fd = -1;
        if (r->output && r->output->length > r->most)
            return;
    }
}

static double seconds_of(const struct rusage *used)
{
    return (double)used->ru_utime.tv_sec + 1e-6 * (double)used->ru_utime.tv_usec +
           (double)used->ru_stime.tv_sec + 1e-6 * (double)used->ru_stime.tv_usec;
}

/* A compiler's driver tells how the programs that it starts ended; it speaks English here (LC_ALL=C). */
static bool tells(const Text *said, const char *words)
{
    return said && strstr(text_of(said), words);
}

static Ending how(const Run *r, int status, double used, bool hung, const Text *said)
{
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (r->output && r->output->length > r->most)
        return ENDED_OUTPUT;
    if (hung)
        return MACHINE_HUNG;
    if (number == SIGXCPU || (number == SIGKILL && used >= r->seconds) ||
        (status && tells(said, "CPU time limit exceeded")))
        return ENDED_TIME;
    if (number == SIGKILL ||
        (status && used < r->seconds &&
         (tells(said, "Killed signal terminated") || tells(said, "execute command: Killed"))))
        return MACHINE_KILLED;
    if (WIFEXITED(status) &&
        (WEXITSTATUS(status) == NO_FOLDER || WEXITSTATUS(status) == NO_PROGRAM))
        return MACHINE_START;
    return ENDED;
}

static Ending wait_for(pid_t child, const Pipes *p, const Run *r, int *status, Text *said)
{
    struct rusage used = {0};
    bool hung = false;
    double until = seconds_now() + r->patience;
    listen_to(p, r, until, said);
    bool much = r->output && r->output->length > r->most;
    while (wait4(child, status, WNOHANG, &used) == 0) {
        hung = !much && seconds_now() > until;
        if (much || hung)
            kill(-child, SIGKILL);
        usleep(500);
    }
    kill(-child, SIGKILL); /* and what it may have started */
    return how(r, *status, seconds_of(&used), hung, said);
}

Ending process_wait(const char *const argv[], const Run *r, int *status, Text *said)
{
    Pipes p;
    *status = -1;
    if (!open_pipes(&p))
        return MACHINE_START;
    fflush(NULL);
    pid_t child = r->empty ? walls_fork() : fork();
    if (child == 0)
        become(argv, r, p.output[1], p.errors[1]);
    close(p.output[1]);
    close(p.errors[1]);
    Ending ending = MACHINE_START;
    if (child > 0) {
        setpgid(child, child);
        process_keep(child);
        scratch_kill_later(child);
        ending = wait_for(child, &p, r, status, said);
        scratch_spare(child);
        process_forget(child);
    }
    close(p.output[0]);
    close(p.errors[0]);
    return ending;
}

int process_run(const char *const argv[], const char *folder, int seconds, Text *said)
{
    int status;
    Run r = {.folder = folder, .seconds = seconds, .patience = 5 * seconds + 30};
    return process_wait(argv, &r, &status, said) == ENDED ? status : -1;
}
