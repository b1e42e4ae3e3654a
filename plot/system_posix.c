/* system_posix.c: see system.h. Linux, macOS, the BSDs, and WebAssembly with WASI, which has no
 * processes here. */
#define _GNU_SOURCE
#include "plot/system.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif
#ifndef __wasi__
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#endif

/* ---- other programs -------------------------------------------------------------------------- */

const char system_path_separator[] = ":", system_program_suffix[] = "";

const char *system_search_path(void)
{
    return getenv("PATH");
}

#ifdef __wasi__
int system_start(Program *p, char *const argv[], int read_from)
{
    (void)p, (void)argv, (void)read_from;
    return ENOSYS;
}

int system_wait(intptr_t child)
{
    (void)child;
    return -1;
}
#else
/* The child's descriptors 0, 1 and 2 are /dev/null, except for the one that is read. That comes
 * first, since `end` itself may be one of the three. */
static int set_streams(posix_spawn_file_actions_t *actions, int read_from, int end)
{
    int e = posix_spawn_file_actions_adddup2(actions, end, read_from);
    for (int fd = 0; !e && fd <= 2; fd++)
        if (fd != read_from)
            e = posix_spawn_file_actions_addopen(actions, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY,
                                                 0);
    return e;
}

int system_start(Program *p, char *const argv[], int read_from)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    int ends[2] = {-1, -1}, e = posix_spawn_file_actions_init(&actions);
    if (e)
        return e;
    pid_t child = -1;
    if (read_from > 0 && pipe(ends) != 0)
        e = errno;
    for (int i = 0; ends[0] >= 0 && i < 2; i++)
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    if (!e && read_from > 0)
        e = set_streams(&actions, read_from, ends[1]);
    if (!e)
        e = posix_spawn(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (ends[0] >= 0)
        close(ends[1]);
    if (ends[0] >= 0 && e)
        close(ends[0]);
    p->child = child;
    p->stream = ends[0];
    return e;
}

int system_wait(intptr_t child)
{
    int status;
    pid_t got;
    do
        got = waitpid((pid_t)child, &status, 0);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
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
#endif

/* ---- numbers --------------------------------------------------------------------------------- */

bool system_write_with_points(FILE *out, void (*write)(FILE *out, const void *what),
                              const void *what)
{
    locale_t points = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!points)
        return false;
    locale_t before = uselocale(points);
    write(out, what);
    uselocale(before);
    freelocale(points);
    return true;
}

/* ---- terminal -------------------------------------------------------------------------------- */

bool system_has_escapes(FILE *stream)
{
    const char *term = getenv("TERM");
    return isatty(fileno(stream)) && term && *term && strcmp(term, "dumb") != 0;
}

void system_program_begin(void) {}

int system_terminal_width(FILE *stream)
{
#ifdef TIOCGWINSZ
    struct winsize size;
    if (isatty(fileno(stream)) && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0)
        return size.ws_col;
#endif
    (void)stream;
    return 0;
}
