/* sandbox.c: limits, a user of its own, and no files for a process that runs a submission; and a
 * measurement of what these walls hold on the machine at hand. See runner.h; system calls are in
 * filter.c. */
#define _GNU_SOURCE
#include "runner.h"
#include "landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The sanitizer's frames are larger: a recursion ends at about the same depth. */
#ifdef HOMEWORK_SANITIZED
enum { STACK_MB = 64 };
#else
enum { STACK_MB = 8 };
#endif
enum { NOBODY = 65534 };

/* ---- limits ---------------------------------------------------------------------------------- */

static void limit_to(int what, rlim_t value, rlim_t most)
{
    struct rlimit now;
    if (getrlimit(what, &now) == 0 && (now.rlim_max == RLIM_INFINITY || most < now.rlim_max))
        now.rlim_max = most;
    now.rlim_cur = value < now.rlim_max ? value : now.rlim_max;
    setrlimit(what, &now);
}

static void limit(int what, rlim_t value)
{
    limit_to(what, value, value);
}

/* The sanitizer has reserved terabytes that it never touches: a limit has to begin above them. */
static rlim_t mapped_bytes(void)
{
    unsigned long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (statm && fscanf(statm, "%lu", &pages) != 1)
        pages = 0;
    if (statm)
        fclose(statm);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

void sandbox_limits(int cpu_seconds, int memory_mb)
{
    limit_to(RLIMIT_CPU, (rlim_t)cpu_seconds, (rlim_t)cpu_seconds + 1); /* SIGXCPU, then SIGKILL */
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_STACK, (rlim_t)STACK_MB << 20);
#ifdef RLIMIT_NPROC
    limit(RLIMIT_NPROC, 0);
#endif
    limit(RLIMIT_AS, mapped_bytes() + ((rlim_t)memory_mb << 20));
}

void sandbox_no_files(void)
{
    limit(RLIMIT_NOFILE, 0);
}

bool sandbox_user(unsigned user)
{
    if (geteuid() != 0)
        return true;
    if (setgroups(0, NULL) != 0)
        return false;
    return (setgid(user) == 0 && setuid(user) == 0) || (setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
}

bool sandbox_files(int library)
{
#ifdef __linux__
    int rules = landlock_begin(landlock_version());
    if (rules >= 0 && library >= 0)
        landlock_allow(rules, library, LANDLOCK_EXECUTE | LANDLOCK_READ_FILE);
    return landlock_end(rules);
#else
    (void)library;
    return false;
#endif
}

/* ---- what the walls hold --------------------------------------------------------------------- */

static bool opens_files(void)
{
    char folder[64];
    if (open("/", O_RDONLY) >= 0 || open("/proc/self/maps", O_RDONLY) >= 0)
        return true;
    snprintf(folder, sizeof folder, "/tmp/gradus-probe-%d", (int)getpid());
    if (mkdir(folder, 0700) != 0)
        return false;
    rmdir(folder);
    return true;
}

static bool starts_processes(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    return child > 0;
}

/* Signal 0 is not sent: the call only says whether it could be. The server stands for all processes
 * that a submission's user has. */
static bool reaches_others(void)
{
    return kill(getppid(), 0) == 0;
}

static bool sleeps(void)
{
    return nanosleep(&(struct timespec){0, 1000}, NULL) == 0;
}

static int try_all(const Request *q)
{
    int held = 0;
    sandbox_limits(q->cpu_seconds, q->memory_mb);
    if (geteuid() == 0)
        held |= sandbox_user(q->user) && getuid() == q->user ? HELD_USER : 0;
    if (!(q->without & WITHOUT_LANDLOCK) && sandbox_files(-1))
        held |= HELD_LANDLOCK;
    sandbox_no_files();
    if (!(q->without & WITHOUT_FILTER) && filter_calls(DENY_ERROR, false))
        held |= HELD_CALLS;
    held |= opens_files() ? 0 : HELD_FILES;
    held |= starts_processes() ? 0 : HELD_PROCESSES;
    held |= reaches_others() ? 0 : HELD_SIGNALS;
    held |= sleeps() ? 0 : HELD_SLEEP;
    held |= socket(AF_INET, SOCK_DGRAM, 0) >= 0 ? 0 : HELD_NETWORK;
    return held;
}

int sandbox_measure(const Request *q)
{
    int tell[2], held = 0;
    if (pipe(tell) != 0)
        return 0;
    pid_t child = fork();
    if (child == 0) {
        held = try_all(q);
        _exit(write(tell[1], &held, sizeof held) == sizeof held ? 0 : 1);
    }
    close(tell[1]);
    if (child < 0 || read(tell[0], &held, sizeof held) != sizeof held)
        held = 0;
    close(tell[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    return held;
}
