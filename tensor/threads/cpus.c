/* cpus.c: how many processors this process may use.
 *
 * These may be fewer than the machine has: taskset, a batch system or a container may have pinned
 * the process to some processors (affinity), or limited its share of their time (quota). More
 * threads than that wait for each other. Sources: sched_getaffinity(2); Linux's cgroup-v2 "cpu.max"
 * and cgroup-v1 "cpu.cfs_quota_us". */
#include "tensor/io/disk.h"
#include "tensor/threads/parallel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A group whose path is longer has no limit that is read; of a longer file the beginning counts. */
enum { PATH_LENGTH = 1024, FILE_LENGTH = 8192 };

/* The first FILE_LENGTH - 1 bytes of a file as text; "" where it is empty or cannot be read. Files
 * under /proc and /sys have no length in advance. */
static void read_text(const char *folder, const char *name, char text[FILE_LENGTH])
{
    char path[PATH_LENGTH + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = disk_open(path, OPEN_READ, 0);
    ssize_t length = 0, more = file >= 0;
    while (more > 0 && length < FILE_LENGTH - 1) {
        more = disk_read(file, text + length, (size_t)(FILE_LENGTH - 1 - length));
        length += more > 0 ? more : 0;
    }
    text[length] = 0;
    if (file >= 0)
        disk_close(file);
}

/* The limit of one control group in processors; 0 where it has none. Its quota and its period are
 * two numbers in one file in the second version, "200000 100000" or "max 100000", and two files in
 * the first. */
static double limit_of(const char *group, bool second_version)
{
    char text[FILE_LENGTH];
    double quota = 0, period = 0;
    read_text(group, second_version ? "cpu.max" : "cpu.cfs_quota_us", text);
    sscanf(text, "%lf %lf", &quota, &period);
    if (!second_version) {
        read_text(group, "cpu.cfs_period_us", text);
        sscanf(text, "%lf", &period);
    }
    return quota > 0 && period > 0 ? quota / period : 0;
}

/* The least of the limits that there are. */
static double lesser(double a, double b)
{
    return a > 0 && (b == 0 || a < b) ? a : b;
}

/* The least limit of a group and of all groups that contain it. Inside a container the path may be
 * the host's, of which only the root is visible: a group that cannot be read has no limit. */
static double least_limit(const char *mount, const char *group, bool second_version)
{
    char path[PATH_LENGTH];
    if (snprintf(path, sizeof path, "%s%s", mount, group) >= (int)sizeof path)
        return 0;
    double least = 0;
    for (char *end = path + strlen(path); end >= path + strlen(mount); end--) {
        if (*end && *end != '/')
            continue;
        *end = 0;
        least = lesser(limit_of(path, second_version), least);
    }
    return least;
}

/* The limit of the group that one line of /proc/self/cgroup names, as number:controllers:group. In
 * the second version the number is 0, and there are no controllers. */
static double limit_of_line(const char *root, const char *line)
{
    char mount[PATH_LENGTH], group[PATH_LENGTH], controllers[256] = ",";
    bool second_version = sscanf(line, "0::%1023[^\n]", group) == 1;
    if (!second_version && sscanf(line, "%*d:%250[^:]:%1023[^\n]", controllers + 1, group) != 2)
        return 0;
    if (!second_version && !strstr(strcat(controllers, ","), ",cpu,"))
        return 0;
    snprintf(mount, sizeof mount, "%.900s/sys/fs/cgroup%s", root, second_version ? "" : "/cpu");
    return least_limit(mount, group, second_version);
}

/* The least limit among all groups that /proc/self/cgroup names. */
int cpus_quota(const char *root)
{
    char text[FILE_LENGTH];
    double least = 0;
    read_text(root, "proc/self/cgroup", text);
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line != 0)
        least = lesser(limit_of_line(root, line), least);
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
