/* landlock.h: a wall of the kernel (Linux 5.13 and later) that a process without privileges puts up
 * around itself: from then on it, and all that it starts, can open only the files that a rule
 * names. Later kernels also stop connections (6.7) and signals to processes outside (6.12).
 *
 * The grader uses it for compilers (walls.c), the runner for the process of a test (sandbox.c). The
 * functions are in this header because the two are programs of their own. linux/landlock.h is
 * missing on older systems, so the few numbers that are needed stand here; they are the same on
 * every architecture. */
#ifndef GRADER_LANDLOCK_H
#define GRADER_LANDLOCK_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __linux__
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    LANDLOCK_CREATE = 444,
    LANDLOCK_ADD = 445,
    LANDLOCK_RESTRICT = 446,
    LANDLOCK_VERSION_FLAG = 1,
    LANDLOCK_BENEATH = 1,
};

/* Rights on files, one bit each, as in linux/landlock.h. */
enum {
    LANDLOCK_EXECUTE = 1 << 0,
    LANDLOCK_READ_FILE = 1 << 2,
    LANDLOCK_READ_FOLDER = 1 << 3,
    LANDLOCK_READ = LANDLOCK_EXECUTE | LANDLOCK_READ_FILE | LANDLOCK_READ_FOLDER,
};

typedef struct {
    uint64_t files, net, scoped;
} LandlockAttributes;

typedef struct {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed)) LandlockRule;

/* The version of the kernel's Landlock; 0 where it has none. */
static inline int landlock_version(void)
{
    long version = syscall(LANDLOCK_CREATE, NULL, 0, LANDLOCK_VERSION_FLAG);
    return version > 0 ? (int)version : 0;
}

/* Every right on files that this version knows. */
static inline uint64_t landlock_all(int version)
{
    int rights = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
    return ((uint64_t)1 << rights) - 1;
}

/* A set of rules that denies all: opening files, and where the kernel can, connections and signals
 * to processes outside. -1 where there is no Landlock. */
static inline int landlock_begin(int version)
{
    LandlockAttributes a = {.files = landlock_all(version),
                            .net = version >= 4 ? 3 : 0,
                            .scoped = version >= 6 ? 3 : 0};
    size_t size = version >= 6 ? sizeof a : version >= 4 ? 2 * sizeof a.files : sizeof a.files;
    return version > 0 ? (int)syscall(LANDLOCK_CREATE, &a, size, 0) : -1;
}

/* Allows rights on what the descriptor is open on, and on all below it. */
static inline bool landlock_allow(int rules, int descriptor, uint64_t rights)
{
    struct stat info;
    LandlockRule rule = {.allowed = rights, .parent = descriptor};
    if (fstat(descriptor, &info) != 0)
        return false;
    if (!S_ISDIR(info.st_mode)) /* a file has none but execute, write, read, truncate, ioctl */
        rule.allowed &= 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15;
    return syscall(LANDLOCK_ADD, rules, LANDLOCK_BENEATH, &rule, 0) == 0;
}

/* Puts the wall up, and closes the set of rules. */
static inline bool landlock_end(int rules)
{
    bool good = rules >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                syscall(LANDLOCK_RESTRICT, rules, 0) == 0;
    if (rules >= 0)
        close(rules);
    return good;
}
#endif

#endif
