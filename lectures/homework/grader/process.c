/* process.c: running the compiler, which a submission's text can make slow, large and talkative. */
#include "grader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SAID_MAX = 1 << 16 };

static void limits(int seconds)
{
    setrlimit(RLIMIT_CPU, &(struct rlimit){(rlim_t)seconds, (rlim_t)seconds + 1});
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){(rlim_t)64 << 20, (rlim_t)64 << 20});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)3 << 30, (rlim_t)3 << 30});
}

static void become(const char *const argv[], const char *folder, int seconds, int output)
{
    int nothing = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    dup2(nothing, 0);
    dup2(output, 1);
    dup2(output, 2);
    if (folder && chdir(folder) != 0)
        _exit(126);
    limits(seconds);
    execvp(argv[0], (char *const *)argv);
    _exit(127);
}

/* All it says, until it closes its outputs or the time is over. */
static void listen_to(int from, double until, Text *said)
{
    char part[4096];
    struct pollfd p = {.fd = from, .events = POLLIN};
    for (double left; (left = until - seconds_now()) > 0;) {
        if (poll(&p, 1, (int)(1000 * left) + 1) < 0 && errno != EINTR)
            return;
        ssize_t got = p.revents ? read(from, part, sizeof part) : 0;
        if (p.revents && got <= 0)
            return;
        if (said && got > 0 && said->length < SAID_MAX)
            text_add(said, part, (size_t)got);
    }
}

int process_run(const char *const argv[], const char *folder, int seconds, Text *said)
{
    int output[2], status = -1;
    if (pipe(output) != 0)
        return -1;
    fcntl(output[0], F_SETFD, FD_CLOEXEC);
    pid_t child = fork();
    if (child == 0)
        become(argv, folder, seconds, output[1]);
    close(output[1]);
    if (child > 0) {
        double until = seconds_now() + 60.0 * seconds; /* a machine may be busy with other things */
        setpgid(child, child);
        listen_to(output[0], until, said);
        while (waitpid(child, &status, WNOHANG) == 0)
            if (usleep(500), seconds_now() > until)
                kill(-child, SIGKILL);
        kill(-child, SIGKILL); /* and what it may have started */
    }
    close(output[0]);
    return child < 0 ? -1 : status;
}
