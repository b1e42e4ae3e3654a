/* sandbox.c: resource limits, and on Linux a filter on system calls (seccomp). See sandbox.h. */
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

static void limit(int what, rlim_t value)
{
    struct rlimit now;
    if (getrlimit(what, &now) == 0 && (now.rlim_max == RLIM_INFINITY || value < now.rlim_max))
        now.rlim_max = value;
    now.rlim_cur = value < now.rlim_max ? value : now.rlim_max;
    setrlimit(what, &now);
}

void sandbox_limits(int cpu_seconds, int memory_mb)
{
    limit(RLIMIT_CPU, (rlim_t)cpu_seconds);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_STACK, (rlim_t)8 << 20);
#ifdef RLIMIT_NPROC
    limit(RLIMIT_NPROC, 0);
#endif
    if (memory_mb)
        limit(RLIMIT_AS, (rlim_t)memory_mb << 20);
}

void sandbox_no_files(void)
{
    limit(RLIMIT_NOFILE, 0);
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifdef __x86_64__
#define ARCHITECTURE  AUDIT_ARCH_X86_64
#define FOREIGN_CALLS 0x40000000 /* x32: other numbers for the same calls */
#else
#define ARCHITECTURE  AUDIT_ARCH_AARCH64
#define FOREIGN_CALLS 0x7fffffff
#endif

/* What computing and printing need. */
static const int computing[] = {
    SYS_write,           SYS_writev, SYS_exit,         SYS_exit_group,   SYS_brk,
    SYS_munmap,          SYS_mremap, SYS_madvise,      SYS_rt_sigreturn, SYS_rt_sigprocmask,
    SYS_clock_gettime,   SYS_futex,  SYS_gettimeofday, SYS_getrandom,    SYS_lseek,
    SYS_fstat,           SYS_getpid, SYS_gettid,       SYS_tgkill,       SYS_newfstatat,
    SYS_restart_syscall,
};

/* What a sanitizer's report never needs. */
static const int harmful[] = {
    SYS_clone,
    SYS_execve,
    SYS_execveat,
    SYS_kill,
    SYS_tkill,
    SYS_ptrace,
    SYS_socket,
    SYS_connect,
    SYS_bind,
    SYS_sendto,
    SYS_unlinkat,
    SYS_renameat2,
    SYS_mkdirat,
    SYS_linkat,
    SYS_symlinkat,
    SYS_fchmodat,
    SYS_fchownat,
    SYS_truncate,
    SYS_ftruncate,
    SYS_mount,
    SYS_umount2,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_setsid,
    SYS_setpgid,
    SYS_nanosleep,
    SYS_process_vm_writev,
    SYS_process_vm_readv,
    SYS_clock_nanosleep,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_keyctl,
#ifdef SYS_clone3
    SYS_clone3,
#endif
#ifdef SYS_fork
    SYS_fork,
    SYS_vfork,
    SYS_unlink,
    SYS_rename,
    SYS_mkdir,
    SYS_rmdir,
    SYS_link,
    SYS_symlink,
    SYS_chmod,
    SYS_chown,
    SYS_creat,
    SYS_pause,
#endif
#ifdef SYS_pidfd_open
    SYS_pidfd_open,
#endif
#ifdef SYS_openat2
    SYS_openat2,
#endif
};

enum { PROGRAM_MAX = 220 };

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

static void answer(Program *p, unsigned verdict)
{
    add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict));
}

/* If the loaded word equals value, the next instruction is run, else it is jumped over. */
static void only_if(Program *p, unsigned value)
{
    add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
}

/* The call `number` is stopped if any of these bits is set in its argument. */
static void not_with(Program *p, int number, int argument, unsigned bits)
{
    add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 4));
    load(p, offsetof(struct seccomp_data, args[0]) + 8 * (size_t)argument);
    add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
    answer(p, SECCOMP_RET_TRAP);
    answer(p, SECCOMP_RET_ALLOW);
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

bool sandbox_calls(bool strict)
{
    Program p = {.length = 0};
    begin(&p);
    if (strict) {
        for (size_t i = 0; i < sizeof computing / sizeof *computing; i++) {
            only_if(&p, (unsigned)computing[i]);
            answer(&p, SECCOMP_RET_ALLOW);
        }
        not_with(&p, SYS_mmap, 2, PROT_EXEC);
        not_with(&p, SYS_mprotect, 2, PROT_EXEC);
        only_if(&p, SYS_ioctl); /* stdio asks whether it writes to a terminal: no */
        answer(&p, SECCOMP_RET_ERRNO | ENOTTY);
        answer(&p, SECCOMP_RET_TRAP);
    } else {
        for (size_t i = 0; i < sizeof harmful / sizeof *harmful; i++) {
            only_if(&p, (unsigned)harmful[i]);
            answer(&p, SECCOMP_RET_TRAP);
        }
        not_with(&p, SYS_openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC);
#ifdef SYS_open
        not_with(&p, SYS_open, 1, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC);
#endif
        answer(&p, SECCOMP_RET_ALLOW);
    }
    struct sock_fprog program = {(unsigned short)p.length, p.code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

/* Without a program the call fails in one way where filters exist and in another where they do not. */
bool sandbox_has_calls(void)
{
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) == -1 && errno == EFAULT;
}

#else

bool sandbox_calls(bool strict)
{
    (void)strict;
    return false;
}

bool sandbox_has_calls(void)
{
    return false;
}

#endif
