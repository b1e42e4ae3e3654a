/* cpus.c: how many processors this process may use.
 *
 * These may be fewer than the machine has: taskset, a batch system or a container may have pinned
 * the process to some processors (affinity), or limited its share of their time (quota). More
 * threads than that wait for each other. Sources: sched_getaffinity(2); Linux's cgroup-v2
 * "cpu.max". */
#include "tensor/io/disk.h"
#include "tensor/threads/parallel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A group whose path is longer has no limit that is read; of a longer file the beginning counts. */
enum { PATH_LENGTH = 1024, FILE_LENGTH = 8192 };

/* The first FILE_LENGTH - 1 bytes of a file as text; false where it is empty or cannot be read.
 * Files under /proc and /sys have no length in advance. */
static bool read_text(const char *path, char text[FILE_LENGTH])
{
    int file = disk_open(path, OPEN_READ, 0);
    if (file < 0)
        return false;
    size_t length = 0;
    ssize_t more = 1;
    while (more > 0 && length < FILE_LENGTH - 1) {
        more = disk_read(file, text + length, FILE_LENGTH - 1 - length);
        length += more > 0 ? (size_t)more : 0;
    }
    text[length] = 0;
    return disk_close(file) && length > 0;
}

/* The limit of one control group in processors; 0 where it has none, or cannot be read. */
static double limit_of(const char *group)
{
    char path[PATH_LENGTH + 16], text[FILE_LENGTH];
    double quota, period; /* "200000 100000", or "max 100000" */
    snprintf(path, sizeof path, "%s/cpu.max", group);
    bool limited = read_text(path, text) && sscanf(text, "%lf %lf", &quota, &period) == 2;
    return limited && quota > 0 && period > 0 ? quota / period : 0;
}

/* The least limit of the process's group and of all groups that contain it. Of the lines of
 * /proc/self/cgroup that of version 2 begins with "0::", and then the group's path. Inside a
 * container the path may be the host's, of which only the root is visible. */
int cpus_quota(const char *root)
{
    char path[PATH_LENGTH], text[FILE_LENGTH];
    snprintf(path, sizeof path, "%.900s/proc/self/cgroup", root);
    if (!read_text(path, text))
        return 0;
    const char *line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
    line = line ? strchr(line, ':') + 2 : "";
    int mount = snprintf(path, sizeof path, "%.900s/sys/fs/cgroup", root);
    if (snprintf(path + mount, sizeof path - (size_t)mount, "%.*s", (int)strcspn(line, "\n"),
                 line) >= (int)sizeof path - mount)
        return 0;
    double least = 0;
    for (char *end = path + strlen(path); end >= path + mount; end--) {
        if (*end && *end != '/')
            continue;
        *end = 0;
        double limit = limit_of(path);
        least = limit > 0 && (least == 0 || limit < least) ? limit : least;
    }
    return least > 0 ? (int)(least < 1e6 ? least + 0.999 : 1e6) : 0;
}

/* A list such as "4,2", one number for each level of nesting, counts as its first number. */
int cpus_requested(void)
{
    const char *text =
        getenv("OMP_NUM_THREADS"); /* batch systems set it, and other libraries obey it */
    int threads = text ? atoi(text) : 0;
    return threads > 0 ? threads : 0;
}

/* The least of what the process may use, which does not change while it runs. */
int cpus_count(void)
{
    int count = system_processors(), quota = cpus_quota("");
    return quota > 0 && quota < count ? quota : count;
}
