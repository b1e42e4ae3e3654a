/* walls.c: a compiler that reads a submission sees a folder with hwN.h and the submission, the
 * compiler's own programs, libraries and headers, and nothing else.
 *
 * Two walls do the same work, and either is enough. In a mount namespace the file system has
 * nothing else in it: a new root, into which those folders are bound. Landlock denies opening
 * anything else. Where both are missing, root at least becomes a user who owns nothing; what
 * remains then are the rules about the text (preprocessed.c), and the report says so. */
#define _GNU_SOURCE
#include "walls.h"
#include "process.h"
#include "runner/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#endif

enum {
    TREES_MAX = 40,
    NOBODY = 65534,
    USERS_BEGIN = 1 << 30,
    USERS_OF_ONE = 16,
    COMPILERS_USER = 15
};

static struct {
    int held;
    bool mounts, landlock;
    int trees;
    char tree[TREES_MAX][PATH_SIZE];
} walls;

int walls_left_out(void)
{
    static const struct {
        const char *word;
        int bit;
    } words[] = {{"no-namespaces", WITHOUT_NAMESPACES},
                 {"no-landlock", WITHOUT_LANDLOCK},
                 {"no-filter", WITHOUT_FILTER},
                 {"none", WITHOUT_NAMESPACES | WITHOUT_LANDLOCK | WITHOUT_FILTER}};
    const char *wanted = getenv("GRADER_ISOLATION");
    int without = 0;
    for (size_t i = 0; wanted && i < sizeof words / sizeof *words; i++)
        if (strstr(wanted, words[i].word))
            without |= words[i].bit;
    return without;
}

/* A process number is unique while the process lives; 2^30 and above are users whom no system gives
 * out. */
unsigned walls_user(int of)
{
    return USERS_BEGIN + USERS_OF_ONE * (unsigned)getpid() + (unsigned)of;
}

int walls_hold(void)
{
    return walls.held;
}

/* ---- the compiler's folders ------------------------------------------------------------------ */

static bool is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

const char *walls_tree_of(const char *path)
{
    char real[PATH_SIZE];
    if (!realpath(path, real))
        return NULL;
    for (int i = 0; i < walls.trees; i++) {
        char tree[PATH_SIZE];
        if (realpath(walls.tree[i], tree) && is_below(real, tree))
            return walls.tree[i];
    }
    return NULL;
}

static void add_tree(const char *path)
{
    bool there = walls.trees == TREES_MAX || !file_exists(path);
    for (int i = 0; i < walls.trees && !there; i++)
        there = is_below(path, walls.tree[i]);
    if (!there)
        snprintf(walls.tree[walls.trees++], PATH_SIZE, "%s", path);
}

/* Below the folder that has bin/cc in it. */
static void add_prefix(const char *prefix)
{
    static const char *const parts[] = {"bin",    "lib",     "lib32",  "lib64",
                                        "libx32", "libexec", "include"};
    char path[PATH_SIZE];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        add_tree(path_join(path, prefix, parts[i]));
}

/* dir of "dir/bin/cc"; "" of "/bin/cc". */
static void prefix_of(char prefix[PATH_SIZE], const char *program)
{
    snprintf(prefix, PATH_SIZE, "%s", program);
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(prefix, '/');
        if (slash)
            *slash = 0;
    }
}

static void find_trees(const Assignment *a)
{
    static const char *const others[] = {"/etc/ld.so.cache", "/etc/alternatives", "/nix/store",
                                         "/gnu/store", "/dev/null"};
    char prefix[PATH_SIZE], real[PATH_SIZE];
    add_prefix("/usr");
    add_prefix("");
    prefix_of(prefix, a->compiler);
    add_prefix(prefix);
    if (realpath(a->compiler, real)) {
        prefix_of(prefix, real);
        add_prefix(prefix);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        add_tree(others[i]);
}

/* ---- a new root ------------------------------------------------------------------------------ */

#ifdef __linux__

/* A single bind mount is read-only after a second call, which must keep what the file system
 * has. */
static void make_read_only(const char *path)
{
    struct statvfs info;
    unsigned long flags = MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID;
    if (statvfs(path, &info) == 0) {
        flags |= info.f_flag & ST_NODEV ? MS_NODEV : 0;
        flags |= info.f_flag & ST_NOEXEC ? MS_NOEXEC : 0;
        flags |= info.f_flag & ST_NOATIME ? MS_NOATIME : 0;
        flags |= info.f_flag & ST_RELATIME ? MS_RELATIME : 0;
        mount(NULL, path, NULL, flags, NULL);
    }
}

/* The same path in the new root: a link where it is one, as /lib is, else what is bound there. */
static bool bind_tree(const char *root, const char *tree)
{
    char there[2 * PATH_SIZE], target[PATH_SIZE];
    struct stat info;
    snprintf(there, sizeof there, "%s%s", root, tree);
    char *slash = strrchr(there, '/');
    *slash = 0;
    if (!folder_make(there) || lstat(tree, &info) != 0)
        return false;
    *slash = '/';
    if (S_ISLNK(info.st_mode)) {
        ssize_t length = readlink(tree, target, sizeof target - 1);
        if (length <= 0)
            return false;
        target[length] = 0;
        return symlink(target, there) == 0;
    }
    int made = S_ISDIR(info.st_mode) ? mkdir(there, 0755) : open(there, O_CREAT | O_RDONLY, 0644);
    if (made < 0 || mount(tree, there, NULL, MS_BIND | MS_REC, NULL) != 0)
        return false;
    if (S_ISDIR(info.st_mode))
        make_read_only(there);
    return true;
}

static bool new_root(const char *folder, const char *empty)
{
    char there[2 * PATH_SIZE];
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", empty, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755") != 0)
        return false;
    for (int i = 0; i < walls.trees; i++)
        if (!bind_tree(empty, walls.tree[i]))
            return false;
    snprintf(there, sizeof there, "%s/homework", empty);
    if (mkdir(there, 0755) != 0 || mount(folder, there, NULL, MS_BIND, NULL) != 0 ||
        chdir(empty) != 0 || syscall(SYS_pivot_root, ".", ".") != 0 ||
        umount2(".", MNT_DETACH) != 0)
        return false;
    return chdir("/homework") == 0;
}

static bool file_put(const char *path, const char *text)
{
    int to = open(path, O_WRONLY | O_CLOEXEC);
    bool good = to >= 0 && write(to, text, strlen(text)) == (ssize_t)strlen(text);
    if (to >= 0)
        close(to);
    return good;
}

/* In a user namespace: the user and the group stay what they are. */
static bool keep_user(unsigned user, unsigned group)
{
    char text[64];
    snprintf(text, sizeof text, "%u %u 1", user, user);
    bool good = file_put("/proc/self/setgroups", "deny") && file_put("/proc/self/uid_map", text);
    snprintf(text, sizeof text, "%u %u 1", group, group);
    return good && file_put("/proc/self/gid_map", text);
}

/* ---- Landlock -------------------------------------------------------------------------------- */

static bool only_trees(void)
{
    int version = landlock_version(), rules = landlock_begin(version);
    if (rules < 0)
        return false;
    for (int i = 0; i < walls.trees; i++) {
        int tree = open(walls.tree[i], O_PATH | O_CLOEXEC);
        if (tree >= 0) {
            landlock_allow(rules, tree, LANDLOCK_READ);
            close(tree);
        }
    }
    int own = open(".", O_PATH | O_CLOEXEC);
    bool good = own >= 0 && landlock_allow(rules, own, landlock_all(version));
    if (own >= 0)
        close(own);
    return landlock_end(rules) && good;
}

static bool has_landlock(void)
{
    return landlock_version() > 0;
}

/* ---- all walls ------------------------------------------------------------------------------- */

static unsigned real_user, real_group, compiler_user;

pid_t walls_fork(void)
{
    int apart = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | (geteuid() ? CLONE_NEWUSER : 0);
    real_user = geteuid();
    real_group = getegid();
    compiler_user =
        walls_user(COMPILERS_USER); /* in a new PID namespace this process has another number */
    return walls.mounts ? (pid_t)syscall(SYS_clone, apart | SIGCHLD, 0, 0, 0, 0) : fork();
}

bool walls_enter(const char *folder, const char *empty)
{
    unsigned user = compiler_user;
    bool root = real_user == 0;
    if (walls.mounts && real_user != 0 && !keep_user(real_user, real_group))
        return false;
    if (walls.mounts ? !new_root(folder, empty) : chdir(folder) != 0)
        return false;
    if (root && (setgroups(0, NULL) != 0 || ((setgid(user) != 0 || setuid(user) != 0) &&
                                             (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))))
        return false;
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* after the change of user, which undoes it */
    return !walls.landlock || only_trees();
}

#else

static bool has_landlock(void)
{
    return false;
}

pid_t walls_fork(void)
{
    return fork();
}

bool walls_enter(const char *folder, const char *empty)
{
    (void)empty;
    return chdir(folder) == 0;
}

#endif

/* ---- which of them hold here ----------------------------------------------------------------- */

static bool give(const char *folder)
{
#ifdef __linux__
    unsigned user = walls_user(COMPILERS_USER);
    if (geteuid() == 0)
        return chown(folder, user, user) == 0 || chown(folder, NOBODY, NOBODY) == 0;
#endif
    (void)folder;
    return true;
}

bool walls_open(Scratch *s, char folder[PATH_SIZE], char empty[PATH_SIZE])
{
    return scratch_open(s) && folder_make(path_join(folder, s->path, "work")) &&
           folder_make(path_join(empty, s->path, "root")) && give(folder);
}

bool walls_put(const char *folder, const char *name, const Text *text)
{
    char path[PATH_SIZE];
    return file_write(path_join(path, folder, name), text_of(text), text->length) &&
           chmod(path, 0644) == 0;
}

/* Does the compiler compile behind the walls that are set? */
static bool compiles(const Assignment *a, const char *folder, const char *empty, Text *said)
{
    Text source = {0};
    int status;
    const char *const ask[] = {a->compiler, "-S", "probe.c", "-o", "probe.s", NULL};
    Run r = {.folder = folder, .empty = empty, .seconds = 10, .patience = 60};
    text_cut(said, 0);
    text_put(&source, "#include <math.h>\n");
    bool good = walls_put(folder, "probe.c", &source) &&
                process_wait(ask, &r, &status, said) == ENDED && status == 0;
    text_free(&source);
    return good;
}

/* Can a process behind the walls open the tests of the homework? */
static bool opens_tests(const Assignment *a, const char *folder, const char *empty)
{
    char path[PATH_SIZE];
    int status = -1;
    path_join(path, a->folder, "tests.c");
    fflush(NULL);
    pid_t child = walls_fork();
    if (child == 0)
        _exit(walls_enter(folder, empty) && open(path, O_RDONLY) < 0 ? 0 : 1);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return status != 0;
}

static int measure(const Assignment *a, const char *folder, const char *empty)
{
    int held = walls.mounts ? HELD_PIDS : 0;
    if (geteuid() == 0)
        held |= HELD_USER;
    if (walls.landlock)
        held |= HELD_LANDLOCK;
    if ((walls.mounts || walls.landlock) && !opens_tests(a, folder, empty))
        held |= HELD_FILES;
    return held;
}

/* From the strongest walls to none. */
void walls_find(const Assignment *a)
{
    char folder[PATH_SIZE], empty[PATH_SIZE];
    Scratch scratch;
    Text said = {0};
    int without = walls_left_out();
    bool found = false;
    find_trees(a);
    if (!walls_open(&scratch, folder, empty))
        quit("%s: no folder to work in can be made there", scratch.path);
    for (int weaker = 0; weaker < 4 && !found; weaker++) {
        walls.mounts = !(weaker & 2) && !(without & WITHOUT_NAMESPACES);
        walls.landlock = !(weaker & 1) && !(without & WITHOUT_LANDLOCK) && has_landlock();
        found = compiles(a, folder, empty, &said);
    }
    if (!found) {
        scratch_close(&scratch);
        quit("the compiler %s could not be started: %s", a->compiler, text_of(&said));
    }
    walls.held = measure(a, folder, empty);
    scratch_close(&scratch);
    text_free(&said);
}
