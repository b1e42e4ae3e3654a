/* process.c: starts other programs without a shell, with an argument vector, so that nothing in the
 * arguments is interpreted. */
#include "plot/internal.h"
#include "tensor/io/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool is_program(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/* An empty entry of PATH means the current directory. It is skipped, since a program there may not
 * be trusted. */
bool plot_program_find(const char *name, char path[PROGRAM_MAX])
{
    const char *entry = getenv("PATH");
    for (; entry && *entry; entry += strcspn(entry, ":"), entry += *entry == ':') {
        int length = (int)strcspn(entry, ":");
        int need = snprintf(path, PROGRAM_MAX, "%.*s/%s", length, entry, name);
        if (length > 0 && need > 0 && need < PROGRAM_MAX && is_program(path))
            return true;
    }
    return false;
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
    posix_spawn_file_actions_t actions;
    int e = posix_spawn_file_actions_init(&actions);
    if (e)
        return e;
    e = set_streams(&actions, read_from, end);
    if (!e)
        e = posix_spawn(child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return e;
}

bool plot_program_start(Program *p, char *const argv[], int read_from, const char *who)
{
    int ends[2];
    if (pipe(ends))
        return tensor_fail("%s: %s cannot be started: %s", who, argv[0], strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pid_t child = -1;
    int e = spawn(argv, read_from, ends[1], &child);
    close(ends[1]);
    *p = (Program){.child = child, .stream = ends[0]};
    if (!e)
        return true;
    close(ends[0]);
    return tensor_fail("%s: %s cannot be started: %s", who, argv[0], strerror(e));
}

size_t plot_program_read(Program *p, char *buffer, size_t size)
{
    ssize_t n = disk_read(p->stream, buffer, size);
    if (n < 0)
        p->why = errno;
    return n > 0 ? (size_t)n : 0;
}

/* If the host ignores SIGCHLD, the exit status is lost (ECHILD); the program's files then decide
 * whether it succeeded. */
bool plot_program_end(Program *p)
{
    int status;
    pid_t got;
    close(p->stream);
    do
        got = waitpid(p->child, &status, 0);
    while (got < 0 && errno == EINTR);
    if (p->why)
        return false;
    return got < 0 ? errno == ECHILD : WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
