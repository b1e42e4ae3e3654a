/* test_kill.c: a process that saves over a file is killed, and the file is the old one or the new
 * one, whole, with the mode it had. On Linux, each child is stopped by ptrace where it enters or
 * leaves the n-th system call and killed there, for n = 1, 2, ... until one gets through.
 *
 * A page that was written stays in the kernel when its process dies, so killing cannot show that
 * the data reach the disk before the name does: the traced run looks at the order of the calls. */
#include "tests/harness/test.h"

#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NUMBERS = 50000, MODE = 0662 };

static real numbers[NUMBERS];

/* All numbers of one save are the same: a mixture of two would show. */
static bool save(const char *path, int generation)
{
    Tensor t = {.data = numbers};
    tensor_set_contiguous(&t, shape1(NUMBERS));
    tensor_set_name(&t, "weights");
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = (real)generation;
    return safetensors_write(path, (Tensor *[]){&t}, 1, NULL, 0);
}

/* The generation that the file holds, or -1 with a failed check. */
static int generation_of(const char *path)
{
    Safetensors s;
    struct stat found = {0};
    CHECK(stat(path, &found) == 0 && (found.st_mode & 07777) == MODE, "the mode is %o",
          (unsigned)found.st_mode & 07777);
    if (!CHECK(safetensors_read(path, &s), "%s", tensor_error()))
        return -1;
    const Tensor *t = s.tensors[0];
    int generation = (int)t->data[0];
    for (int i = 0; i < NUMBERS; i++)
        if (t->data[i] != t->data[0])
            generation = -1;
    CHECK(generation >= 0, "the file is a mixture");
    safetensors_free(&s);
    return generation;
}

/* What the killed left beside the file. */
static void remove_parts(void)
{
    DIR *directory = opendir(scratch_path("kill"));
    char path[2048];
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        snprintf(path, sizeof path, "%s/%s", scratch_path("kill"), entry->d_name);
        if (strstr(entry->d_name, ".part-"))
            unlink(path);
    }
    if (directory)
        closedir(directory);
}

/* A file of generation 0 with a mode that this umask would cut. */
static bool begin(const char *path)
{
    umask(077);
    return tensor_make_directory(scratch_path("kill")) && save(path, 0) && chmod(path, MODE) == 0;
}

#ifdef __linux__
#include <sys/ptrace.h>
#include <sys/syscall.h>

#ifndef PTRACE_GET_SYSCALL_INFO
#define PTRACE_GET_SYSCALL_INFO 0x420e
#endif

/* The beginning of the kernel's struct ptrace_syscall_info; libraries name it differently. */
typedef struct {
    uint8_t op; /* 1: entering */
    uint32_t arch;
    uint64_t instruction, stack, number;
} Call;

enum { THROUGH = -1, NO_TRACE = -2 };

typedef struct {
    bool synced, renamed, renamed_unsynced;
} Order;

static void look(pid_t child, Order *order)
{
    Call call = {0};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, child, (void *)sizeof call, &call) <= 0 || call.op != 1)
        return;
    bool rename_call = false;
#ifdef SYS_rename
    rename_call |= call.number == SYS_rename;
#endif
#ifdef SYS_renameat
    rename_call |= call.number == SYS_renameat;
#endif
#ifdef SYS_renameat2
    rename_call |= call.number == SYS_renameat2;
#endif
    order->renamed |= rename_call;
    order->renamed_unsynced |= rename_call && !order->synced;
    order->synced |= call.number == SYS_fsync;
}

/* A child saves and is killed at its n-th stop. Returns n, or THROUGH where it got through. */
static int kill_at(const char *path, int generation, int n, Order *order)
{
    int status, stops = 0;
    pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(2);
        raise(SIGSTOP);
        _exit(!save(path, generation));
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
        return NO_TRACE;
    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD));
    while (stops < n && ptrace(PTRACE_SYSCALL, child, NULL, NULL) == 0) {
        if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
            return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? THROUGH : NO_TRACE;
        look(child, order);
        stops++;
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return stops;
}

TEST(killed_at_every_system_call)
{
    char path[1024];
    snprintf(path, sizeof path, "%s", scratch_path("kill/call"));
    REQUIRE(begin(path), "%s", tensor_error());
    int now = 0, old = 0, new = 0, n = 1;
    Order order = {0};
    for (;; n++) {
        order = (Order){0};
        int stop = kill_at(path, n, n, &order);
        if (stop == NO_TRACE && n == 1)
            SKIP("a child cannot be traced here");
        REQUIRE(stop != NO_TRACE && n < 5000, "the child failed after %d stops", n - 1);
        int found = generation_of(path);
        CHECK(found == now || found == n, "stop %d: generation %d; expected %d or %d", n, found,
              now, n);
        old += found == now;
        new += found == n;
        now = found;
        remove_parts();
        if (stop == THROUGH)
            break;
    }
    CHECK(old > 10 && new > 1, "%d times the old file, %d times the new one", old, new);
    CHECK(now == n, "the child that got through saved %d; expected %d", now, n);
    CHECK(order.renamed && !order.renamed_unsynced, "renamed before the data were on the disk");
    fprintf(stderr, "# %d kills: %d times the old file, %d times the new one\n", n - 1, old,
            new - 1);
}
#else
TEST(killed_at_every_system_call)
{
    SKIP("only Linux lets a test stop at every system call");
}
#endif
