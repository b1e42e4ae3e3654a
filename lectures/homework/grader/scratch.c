/* scratch.c: a folder to work in, removed also when the grader is killed.
 *
 * A second process holds the reading end of a pipe and waits. Nothing is ever closed on the writing
 * end but by the grader, or by the kernel when the grader dies: then it kills the compilers that
 * still run, removes the folder, and ends. (Runners need no help: they ask the kernel for a signal
 * when their parent dies. So do compilers, but not the programs that these start.) */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GROUPS_MAX = 16, DESCRIPTORS = 1024 };

static int telling = -1; /* the pipe of the folder that was opened last */

/* Puts new_ into the place of old; 0 stands in a free place of the list. */
static void exchange(pid_t *list, pid_t old, pid_t new_)
{
    for (int i = 0; i < GROUPS_MAX; i++)
        if (list[i] == old) {
            list[i] = new_;
            return;
        }
}

/* Everything but the pipe is closed, so that nobody waits for the end of this process's output. */
static void keep_only(int pipe)
{
    int nothing = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3; i++)
        dup2(nothing, i);
    dup2(pipe, 3);
    for (int i = 4; i < DESCRIPTORS; i++)
        close(i);
}

static void wait_and_remove(const char *path, int pipe)
{
    pid_t group[GROUPS_MAX] = {0}, message;
    ssize_t got;
    setsid(); /* a signal from the terminal is for the grader */
    keep_only(pipe);
    while ((got = read(3, &message, sizeof message)) == sizeof message ||
           (got < 0 && errno == EINTR))
        if (got > 0)
            exchange(group, message > 0 ? 0 : -message, message > 0 ? message : 0);
    for (int i = 0; i < GROUPS_MAX; i++)
        if (group[i] > 0)
            kill(-group[i], SIGKILL);
    folder_remove(path);
    if (file_exists(path)) { /* a compiler may have written once more before it died */
        usleep(100000);
        folder_remove(path);
    }
    _exit(0);
}

bool scratch_open(Scratch *s)
{
    int ends[2];
    *s = (Scratch){.alive = -1};
    if (!folder_temporary(s->path))
        return false;
    if (pipe_open(ends) != 0)
        return true;
    fflush(NULL);
    s->remover = fork();
    if (s->remover == 0)
        wait_and_remove(s->path, ends[0]);
    close(ends[0]);
    s->alive = telling = ends[1];
    if (s->remover < 0)
        s->remover = 0;
    return true;
}

void scratch_close(Scratch *s)
{
    if (s->alive >= 0)
        close(s->alive);
    telling = telling == s->alive ? -1 : telling;
    if (s->remover > 0) {
        while (waitpid(s->remover, NULL, 0) < 0 && errno == EINTR)
            ;
    } else if (s->path[0]) {
        folder_remove(s->path);
    }
    *s = (Scratch){.alive = -1};
}

void scratch_tell(pid_t message)
{
    if (telling >= 0 && write(telling, &message, sizeof message) != sizeof message)
        telling = -1;
}
