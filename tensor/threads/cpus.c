/* cpus.c: how many processors this process may use.
 *
 * These may be fewer than the machine has: taskset, a batch system or a container may have pinned
 * the process to some processors (affinity), or limited its share of their time (quota). More
 * threads than that wait for each other. Sources: sched_getaffinity(2); Linux's cgroup-v2 "cpu.max"
 * and cgroup-v1 "cpu.cfs_quota_us". */
#include "tensor/system/system.h"
#include "tensor/threads/parallel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_LENGTH = 1024 }; /* a group whose path is longer has no limit that is read */

/* The numbers at the beginning of a file, at most two; how many there are. These files are the
 * system's own, which a test replaces by others under another root. */
static int read_numbers(const char *group, const char *name, double *first, double *second)
{
    char path[PATH_LENGTH + 64];
    snprintf(path, sizeof path, "%s/%s", group, name);
    FILE *file = fopen(path, "r");
    int count = file ? fscanf(file, "%lf %lf", first, second) : 0;
    if (file)
        fclose(file);
    return count;
}

/* The limit of one control group in processors; 0 where it has none. Its quota and its period are
 * two numbers in one file in the second version, "200000 100000" or "max 100000", and two files in
 * the first. */
static double limit_of(const char *group, bool second_version)
{
    double quota = 0, period = 0, none;
    if (second_version)
        read_numbers(group, "cpu.max", &quota, &period);
    else {
        read_numbers(group, "cpu.cfs_quota_us", &quota, &none);
        read_numbers(group, "cpu.cfs_period_us", &period, &none);
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
    char line[2 * PATH_LENGTH];
    double least = 0;
    snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    FILE *file = fopen(line, "r");
    while (file && fgets(line, sizeof line, file))
        least = lesser(limit_of_line(root, line), least);
    if (file)
        fclose(file);
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
