/* process.c: running the compiler, which a submission's text can make slow, large and talkative. */
#define _GNU_SOURCE
#include "process.h"
#include "walls.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    SAID_MAX = 1 << 16,
    FILE_MB = 64,
    MEMORY_GB = 3,
    NO_FOLDER = 126, /* statuses of a child that did not become the program */
    NO_PROGRAM = 127,
};

/* ---- in the new process ---------------------------------------------------------------------- */

static void limits(int seconds)
{
    const rlim_t file = (rlim_t)FILE_MB << 20, memory = (rlim_t)MEMORY_GB << 30;
    setrlimit(RLIMIT_CPU, &(struct rlimit){(rlim_t)seconds, (rlim_t)seconds + 1});
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){file, file});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_AS, &(struct rlimit){memory, memory});
}

/* Behind the walls the environment is this one: no variable of the grader's may add a folder or a
 * library. */
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

/* ---- in this one ----------------------------------------------------------------------------- */

/* What a program says goes into files without a name. A pipe could be opened by its own name in
 * /proc, and then read by the one that writes into it, for ever. */
static int open_file(const Run *r)
{
    char path[PATH_SIZE] = "/tmp/gradus-said-XXXXXX";
    if (r->empty)
        snprintf(path, sizeof path, "%.900s/said-XXXXXX", r->empty);
    else if (getenv("TMPDIR") && *getenv("TMPDIR"))
        snprintf(path, sizeof path, "%.900s/gradus-said-XXXXXX", getenv("TMPDIR"));
    int file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        unlink(path);
    return file;
}

static void take(int from, Text *into, size_t most)
{
    char part[1 << 14];
    ssize_t got;
    for (off_t at = 0; into && (got = pread(from, part, sizeof part, at)) > 0; at += got) {
        if (into->length > most)
            return;
        text_add(into, part, (size_t)got);
    }
}

static size_t size_of(int file)
{
    struct stat info;
    return fstat(file, &info) == 0 ? (size_t)info.st_size : 0;
}

static double seconds_of(const struct rusage *used)
{
    return (double)used->ru_utime.tv_sec + 1e-6 * (double)used->ru_utime.tv_usec +
           (double)used->ru_stime.tv_sec + 1e-6 * (double)used->ru_stime.tv_usec;
}

/* A compiler's driver tells how the programs that it starts ended; it speaks English here
 * (LC_ALL=C). */
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

static Ending wait_for(pid_t child, int output, int errors, const Run *r, int *status, Text *said)
{
    struct rusage used = {0};
    bool much = false, hung = false;
    double start = seconds_now();
    while (wait4(child, status, WNOHANG, &used) == 0) {
        double passed = seconds_now() - start;
        much = r->output && size_of(output) > r->most;
        hung = passed > r->patience;
        if (much || hung)
            kill(-child, SIGKILL);
        usleep(passed < 0.05 ? 300 : 2000);
    }
    kill(-child, SIGKILL); /* and what it may have started */
    take(output, r->output ? r->output : said, r->output ? r->most : SAID_MAX);
    take(errors, said, SAID_MAX);
    return how(r, *status, seconds_of(&used), hung, said);
}

Ending process_wait(const char *const argv[], const Run *r, int *status, Text *said)
{
    int output = open_file(r), errors = open_file(r);
    Ending ending = MACHINE_START;
    *status = -1;
    fflush(NULL);
    pid_t child = output < 0 || errors < 0 ? -1 : r->empty ? walls_fork() : fork();
    if (child == 0)
        become(argv, r, output, errors);
    if (child > 0) {
        setpgid(child, child);
        scratch_tell(child);
        ending = wait_for(child, output, errors, r, status, said);
        scratch_tell(-child);
    }
    close(output); /* of -1 it does nothing */
    close(errors);
    return ending;
}

int process_run(const char *const argv[], const char *folder, int seconds, Text *said)
{
    int status;
    Run r = {.folder = folder, .seconds = seconds, .patience = 5 * seconds + 30};
    return process_wait(argv, &r, &status, said) == ENDED ? status : -1;
}

bool program_find(char path[PATH_SIZE], const char *name)
{
    const char *folders = getenv("PATH");
    if (strchr(name, '/'))
        return realpath(name, path) != NULL;
    for (const char *at = folders ? folders : "/usr/bin:/bin"; *at; at += *at == ':') {
        size_t length = strcspn(at, ":");
        snprintf(path, PATH_SIZE, "%.*s/%s", (int)length, at, name);
        if (*at == '/' && access(path, X_OK) == 0)
            return true;
        at += length;
    }
    return false;
}

bool process_line(const char *library, const char *folder, const char *empty, const char *address,
                  char *place, size_t size)
{
    static char program[PATH_SIZE];
    Text said = {0};
    int status;
    if (!program[0] && !program_find(program, "addr2line"))
        return false;
    const char *const ask[] = {program, "-s", "-e", path_last(library), address, NULL};
    Run r = {.folder = folder, .empty = empty, .seconds = 5, .patience = 30};
    bool found = process_wait(ask, &r, &status, &said) == ENDED && status == 0 && said.length &&
                 said.data[0] != '?';
    if (found)
        snprintf(place, size, "%.*s", (int)strcspn(said.data, " \n"), said.data);
    text_free(&said);
    return found;
}

int pipe_open(int ends[2])
{
    if (pipe(ends) != 0)
        return -1;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
}
