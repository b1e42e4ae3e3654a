/* process.c: starts other programs without a shell, with an argument vector, so that nothing in the
 * arguments is interpreted. */
#include "plot/internal.h"
#include "tensor/io/disk.h"

#include <errno.h>
#include <string.h>

/* An empty entry of PATH means the current directory. It is skipped, since a program there may not
 * be trusted. */
bool plot_program_find(const char *name, char path[PROGRAM_MAX])
{
    FileStatus found;
    const char *entry = system_search_path();
    for (; entry && *entry; entry += *entry != 0) {
        size_t length = strcspn(entry, system_path_separator);
        int need = snprintf(path, PROGRAM_MAX, "%.*s/%s%s", (int)length, entry, name,
                            system_program_suffix);
        if (length > 0 && need < PROGRAM_MAX && disk_system.stat(path, &found) == 0 &&
            found.kind == FILE_REGULAR && (found.mode & 0111))
            return true;
        entry += length;
    }
    return false;
}

bool plot_program_start(Program *p, char *const argv[], int read_from, const char *who)
{
    *p = (Program){.stream = -1};
    int e = system_start(p, argv, read_from);
    return !e || tensor_fail("%s: %s cannot be started: %s", who, argv[0], strerror(e));
}

size_t plot_program_read(Program *p, char *buffer, size_t size)
{
    ssize_t n = disk_read(p->stream, buffer, size);
    if (n < 0)
        p->why = errno;
    return n > 0 ? (size_t)n : 0;
}

bool plot_program_end(Program *p)
{
    if (p->stream >= 0)
        disk_system.close(p->stream);
    p->status = system_wait(p->child);
    return p->status <= 0 && !p->why;
}
