/* posix.c: see system.h. Numbers, processors, threads, processes and the terminal of Linux, macOS,
 * the BSDs, and WebAssembly with WASI, which has neither threads nor processes here. */
#define _GNU_SOURCE /* sched_getaffinity, madvise */
#include "tensor/system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif
#ifdef __linux__
#include <sched.h>
#endif
#ifndef __wasi__
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#endif
#ifdef GRADUS_THREADS
#include <pthread.h>
#endif

/* ---- numbers --------------------------------------------------------------------------------- */

/* Made once for the process; of two threads that make it at the same time one drops its own. */
static locale_t points(void)
{
    static atomic_uintptr_t made;
    uintptr_t none = 0, locale = atomic_load(&made);
    if (locale)
        return (locale_t)locale;
    locale = (uintptr_t)newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (locale && !atomic_compare_exchange_strong(&made, &none, locale)) {
        freelocale((locale_t)locale);
        locale = none;
    }
    return (locale_t)locale;
}

bool system_points_begin(uintptr_t *before)
{
    locale_t locale = points();
    if (locale)
        *before = (uintptr_t)uselocale(locale);
    return locale != (locale_t)0;
}

void system_points_end(uintptr_t before)
{
    uselocale((locale_t)before);
}

/* ---- memory, processors, clock --------------------------------------------------------------- */

void system_advise_large_pages(void *block, size_t bytes)
{
#ifdef __linux__ /* WASI's headers name MADV_HUGEPAGE, too, but its libraries have no madvise */
    madvise(block, bytes, MADV_HUGEPAGE);
#else
    (void)block, (void)bytes;
#endif
}

/* The kernel refuses a set that has fewer bits than it has processors, so the set grows until it
 * fits. */
int system_processors(void)
{
#ifdef __linux__
    for (int most = 1024; most <= 1 << 20; most *= 4) {
        cpu_set_t *set = CPU_ALLOC((size_t)most);
        size_t size = CPU_ALLOC_SIZE((size_t)most);
        bool fits = set && sched_getaffinity(0, size, set) == 0;
        int count = fits ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (count > 0)
            return count;
    }
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

int64_t system_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- threads --------------------------------------------------------------------------------- */

#ifdef GRADUS_THREADS
static _Thread_local sigset_t signals;

void system_before_thread(const void *function)
{
    sigset_t all;
    (void)function;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &signals);
}

void system_after_thread(void)
{
    pthread_sigmask(SIG_SETMASK, &signals, NULL);
}

void system_after_fork(void (*handler)(void))
{
    pthread_atfork(NULL, NULL, handler);
}

bool system_has_threads(void)
{
    return true;
}
#endif

/* ---- processes ------------------------------------------------------------------------------- */

static bool is_program(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/* An empty entry of PATH means the current directory. It is skipped, since a program there may not
 * be trusted. */
bool system_find_program(const char *name, char *path, size_t size)
{
    const char *entry = getenv("PATH");
    for (; entry && *entry; entry += strcspn(entry, ":"), entry += *entry == ':') {
        int length = (int)strcspn(entry, ":");
        int need = snprintf(path, size, "%.*s/%s", length, entry, name);
        if (length > 0 && need > 0 && need < (int)size && is_program(path))
            return true;
    }
    return false;
}

#ifdef __wasi__
long system_process_id(void)
{
    return 1;
}

int64_t system_peak_memory(void)
{
    return -1;
}

int system_start(SystemProcess *p, char *const argv[], int read_from)
{
    (void)p, (void)argv, (void)read_from;
    return ENOSYS;
}

int system_wait(SystemProcess *p)
{
    (void)p;
    return -1;
}

void system_on_interrupt(void (*handler)(int signal))
{
    (void)handler;
}
#else
long system_process_id(void)
{
    return (long)getpid();
}

/* macOS counts bytes, the others kilobytes. */
int64_t system_peak_memory(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
#ifdef __APPLE__
    return use.ru_maxrss;
#else
    return (int64_t)use.ru_maxrss * 1024;
#endif
}

/* The child's descriptors 0, 1 and 2 are /dev/null, except for the one that is read. */
static int set_streams(posix_spawn_file_actions_t *actions, int read_from, int end)
{
    int e = posix_spawn_file_actions_adddup2(actions, end, read_from);
    for (int fd = 0; !e && fd <= 2; fd++)
        if (fd != read_from)
            e = posix_spawn_file_actions_addopen(actions, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY,
                                                 0);
    return e;
}

static int spawn(char *const argv[], int read_from, int end, pid_t *child)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    int e = posix_spawn_file_actions_init(&actions);
    if (e)
        return e;
    if (read_from > 0)
        e = set_streams(&actions, read_from, end);
    if (!e)
        e = posix_spawn(child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return e;
}

int system_start(SystemProcess *p, char *const argv[], int read_from)
{
    int ends[2] = {-1, -1};
    if (read_from > 0 && pipe(ends) != 0)
        return errno;
    for (int i = 0; read_from > 0 && i < 2; i++)
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    pid_t child = -1;
    int e = spawn(argv, read_from, ends[1], &child);
    if (read_from > 0)
        close(ends[1]);
    *p = (SystemProcess){.child = child, .stream = ends[0]};
    if (e && read_from > 0)
        close(ends[0]);
    return e;
}

int system_wait(SystemProcess *p)
{
    int status;
    pid_t got;
    if (p->stream >= 0)
        close(p->stream);
    do
        got = waitpid((pid_t)p->child, &status, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* SA_RESETHAND: the second signal has its default action. */
void system_on_interrupt(void (*handler)(int signal))
{
    struct sigaction action = {.sa_handler = handler ? handler : SIG_DFL,
                               .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}
#endif

/* ---- terminal -------------------------------------------------------------------------------- */

bool system_is_terminal(FILE *stream)
{
    return isatty(fileno(stream));
}

bool system_has_escapes(FILE *stream)
{
    const char *term = getenv("TERM");
    return system_is_terminal(stream) && term && *term && strcmp(term, "dumb") != 0;
}

void system_program_begin(void) {}

int system_terminal_width(FILE *stream)
{
#ifdef TIOCGWINSZ
    struct winsize size;
    if (system_is_terminal(stream) && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0)
        return size.ws_col;
#endif
    (void)stream;
    return 0;
}
