/* process.c: starts other programs without a shell, with an argument vector, so that nothing in the
 * arguments is interpreted. */
#include "plot/internal.h"
#include "tensor/io/disk.h"

#include <errno.h>
#include <string.h>

bool plot_program_start(Program *p, char *const argv[], int read_from, const char *who)
{
    *p = (Program){0};
    int e = system_start(&p->process, argv, read_from);
    return !e || tensor_fail("%s: %s cannot be started: %s", who, argv[0], strerror(e));
}

size_t plot_program_read(Program *p, char *buffer, size_t size)
{
    ssize_t n = disk_read(p->process.stream, buffer, size);
    if (n < 0)
        p->why = errno;
    return n > 0 ? (size_t)n : 0;
}

/* Where the exit status is unknown, the program's files decide whether it succeeded. */
bool plot_program_end(Program *p)
{
    return system_wait(&p->process) <= 0 && !p->why;
}
