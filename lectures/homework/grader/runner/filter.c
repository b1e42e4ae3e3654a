/* filter.c: the one list of system calls that a submission may make, with their arguments, as a
 * seccomp filter.
 *
 * The list is the same for every run. A run under the sanitizer differs in one respect: a call that
 * is not on the list fails instead of ending the process, because the sanitizer tries several that
 * it can do without. */
#include "runner.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#define ARCHITECTURE  AUDIT_ARCH_X86_64
#define FOREIGN_CALLS 0x40000000 /* x32: other numbers for the same calls */
#else
#define ARCHITECTURE  AUDIT_ARCH_AARCH64
#define FOREIGN_CALLS 0x7fffffff
#endif

/* Allowed with any arguments: none of them opens, starts, waits for or reaches anything outside. */
static const int computing[] = {
    SYS_write,       SYS_writev,        SYS_exit,         SYS_exit_group,   SYS_brk,
    SYS_munmap,      SYS_mremap,        SYS_madvise,      SYS_rt_sigreturn, SYS_rt_sigprocmask,
    SYS_sigaltstack, SYS_clock_gettime, SYS_gettimeofday, SYS_getrandom,    SYS_lseek,
    SYS_fstat,       SYS_getpid,        SYS_gettid,       SYS_sched_yield,  SYS_restart_syscall,
};

/* What dlopen needs besides. It opens what Landlock lets it open: the submission's library. */
static const int loading_calls[] = {
    SYS_openat,     SYS_read, SYS_pread64,  SYS_close,
    SYS_newfstatat, SYS_mmap, SYS_mprotect, SYS_readlinkat,
#ifdef SYS_readlink
    SYS_readlink,
#endif
#ifdef SYS_open
    SYS_open,
#endif
};

/* Calls that libc makes on the way and that may fail: is this a terminal, how large is it, how much
 * memory? */
static const struct {
    int call, error;
} failing[] = {
    {SYS_ioctl, ENOTTY},    {SYS_newfstatat, EBADF},
    {SYS_sysinfo, ENOSYS},  {SYS_sched_getaffinity, ENOSYS},
    {SYS_prlimit64, EPERM}, {SYS_dup, EPERM}, /* of perror */
};

enum { PROGRAM_MAX = 200 };

typedef struct {
    struct sock_filter code[PROGRAM_MAX];
    int length;
} Program;

static void add(Program *p, struct sock_filter instruction)
{
    if (p->length < PROGRAM_MAX)
        p->code[p->length++] = instruction;
}

static void load(Program *p, size_t offset)
{
    add(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

/* The low half of an argument. */
static void load_argument(Program *p, int argument)
{
    load(p, offsetof(struct seccomp_data, args[0]) + 8 * (size_t)argument);
}

static void answer(Program *p, unsigned verdict)
{
    add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict));
}

/* Jumps over `over` instructions unless the loaded word equals value. */
static void unless_equal(Program *p, unsigned value, int over)
{
    add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, (unsigned char)over));
}

static void allow(Program *p, int call)
{
    unless_equal(p, (unsigned)call, 1);
    answer(p, SECCOMP_RET_ALLOW);
}

/* The call is allowed if none of these bits is set in its argument. */
static void allow_without(Program *p, int call, int argument, unsigned bits, unsigned denied)
{
    unless_equal(p, (unsigned)call, 4);
    load_argument(p, argument);
    add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
    answer(p, denied);
    answer(p, SECCOMP_RET_ALLOW);
}

/* abort() sends SIGABRT to its own process: that and no other signal, to nobody else. */
static void allow_abort(Program *p, unsigned denied)
{
    unless_equal(p, SYS_tgkill, 6);
    load_argument(p, 0);
    unless_equal(p, (unsigned)getpid(), 3);
    load_argument(p, 2);
    unless_equal(p, SIGABRT, 1);
    answer(p, SECCOMP_RET_ALLOW);
    answer(p, denied);
}

/* Waking others, of which there are none, is harmless; waiting for them would be sleeping. */
static void allow_waking(Program *p, unsigned denied)
{
    enum { WAKE = 1, PRIVATE = 128 };
    unless_equal(p, SYS_futex, 5);
    load_argument(p, 1);
    add(p, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~(unsigned)PRIVATE));
    unless_equal(p, WAKE, 1);
    answer(p, SECCOMP_RET_ALLOW);
    answer(p, denied);
}

static void begin(Program *p)
{
    load(p, offsetof(struct seccomp_data, arch));
    add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    answer(p, SECCOMP_RET_KILL_PROCESS);
    load(p, offsetof(struct seccomp_data, nr));
    add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FOREIGN_CALLS, 0, 1));
    answer(p, SECCOMP_RET_KILL_PROCESS);
}

bool filter_calls(Denial denial, bool loading)
{
    Program p = {.length = 0};
    unsigned denied = denial == DENY_STOP ? SECCOMP_RET_TRAP : SECCOMP_RET_ERRNO | EPERM;
    begin(&p);
    for (size_t i = 0; i < sizeof computing / sizeof *computing; i++)
        allow(&p, computing[i]);
    for (size_t i = 0; loading && i < sizeof loading_calls / sizeof *loading_calls; i++)
        allow(&p, loading_calls[i]);
    if (loading) { /* the narrower filter follows; both are asked */
        allow(&p, SYS_prctl);
#ifdef SYS_seccomp
        allow(&p, SYS_seccomp);
#endif
        allow(&p, SYS_prlimit64);
    }
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
        unless_equal(&p, (unsigned)failing[i].call, 1);
        answer(&p, SECCOMP_RET_ERRNO | (unsigned)failing[i].error);
    }
    allow_without(&p, SYS_mmap, 2, PROT_EXEC, denied);
    allow_without(&p, SYS_mprotect, 2, PROT_EXEC, denied);
    allow_abort(&p, denied);
    allow_waking(&p, denied);
    answer(&p, denied);
    struct sock_fprog program = {(unsigned short)p.length, p.code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

#else

bool filter_calls(Denial denial, bool loading)
{
    (void)denial;
    (void)loading;
    return false;
}

#endif
