/* runner.c: the program in which a submission runs. The grader starts it in namespaces of its own
 * where the system allows that, and asks it on a pipe to run one test after another.
 *
 *   server  (this process; no code of the submission is ever in it)   reads Requests, writes Statuses
 *     `- one process a test: loads what is trusted, puts up the walls, loads the submission, runs the cases,
 *        and writes Records on the pipe of results, which is all that it can reach
 *
 * That process holds the inputs of the cases and the memory for the outputs. Expected numbers are
 * in none of its memory; of the solution it holds the functions before the tested one, of the
 * hidden tests nothing unless the test is one of them. After each test everything that it started
 * is killed. What the test's process writes may be forged; the grader believes only numbers that
 * are right.
 *
 *   runner CONTROL STATUS RESULTS TESTS HIDDEN SUBMISSION BEFORE...
 *
 * are descriptors; BEFORE of function 0, 1, ..., -1 where there is none. */
#define _GNU_SOURCE /* where a signal found the program */
#include "runner.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#ifdef HOMEWORK_SANITIZED
#define SANITIZED true
#else
#define SANITIZED false
#endif

enum { FUNCTIONS_MAX = 32, FIRST_PART = 7, FAULT_STACK = 1 << 16 };

static struct {
    int control, status, results, tests, hidden, submission, before[FUNCTIONS_MAX], functions;
    const Test *test[2]; /* visible, hidden */
    void *base;          /* where the submission was loaded */
} runner;

/* ---- writing --------------------------------------------------------------------------------- */

bool write_all(int to, const void *bytes, size_t count)
{
    const char *from = bytes;
    while (count > 0) {
        ssize_t wrote = write(to, from, count);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        from += wrote;
        count -= (size_t)wrote;
    }
    return true;
}

static void record(Record r)
{
    r.magic = MAGIC;
    write_all(runner.results, &r, sizeof r);
}

/* ---- what goes wrong in a test's process ----------------------------------------------------- */

#if defined(__linux__) && defined(__x86_64__)
#define PLACE(context) ((char *)(context)->uc_mcontext.gregs[REG_RIP])
#elif defined(__linux__) && defined(__aarch64__)
#define PLACE(context) ((char *)(context)->uc_mcontext.pc)
#else
#define PLACE(context) ((char *)runner.base)
#endif

static void on_signal(int number, siginfo_t *info, void *context)
{
    Record r = {.type = number == SIGSYS ? RECORD_SYSCALL : RECORD_SIGNAL, .value = number};
#ifdef __linux__
    if (number == SIGSYS)
        r.value = info->si_syscall;
#endif
    (void)info;
    (void)context;
    r.offset = PLACE((ucontext_t *)context) - (char *)runner.base;
    record(r);
    _exit(128 + number);
}

/* Where the sanitizer is built in, it reports crashes itself, and better. */
static void catch_signals(void)
{
    static char stack[FAULT_STACK];
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    sigaction(SIGSYS, &action, NULL);
    for (size_t i = 0; !SANITIZED && i < sizeof crashes / sizeof *crashes; i++)
        sigaction(crashes[i], &action, NULL);
}

/* ---- loading --------------------------------------------------------------------------------- */

static void *load(int descriptor, int flags)
{
    char path[64];
#ifdef __linux__
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
#else
    snprintf(path, sizeof path, "/dev/fd/%d", descriptor);
#endif
    return dlopen(path, flags);
}

static void *load_trusted(int descriptor, int flags)
{
    void *library = load(descriptor, flags);
    if (library)
        return library;
    fprintf(stderr, "a library of the grader could not be loaded: %s\n", dlerror());
    _exit(RUNNER_FAILED);
}

/* The first library that has a function wins: of those before the tested one, the reference's. */
static void load_before(int function)
{
    if (function > 0 && function < runner.functions)
        load_trusted(runner.before[function], RTLD_NOW | RTLD_GLOBAL);
}

static void load_tests(int descriptor)
{
    void *library = load_trusted(descriptor, RTLD_LAZY | RTLD_GLOBAL);
    runner.test[0] = dlsym(library, "tests");
    runner.test[1] = dlsym(library, "hidden_tests");
}

static void load_submission(void)
{
    runner.base = load(runner.submission, RTLD_LAZY | RTLD_GLOBAL);
    if (!runner.base) {
        const char *why = dlerror();
        record((Record){.type = RECORD_LOAD, .value = (int)strlen(why)});
        write_all(runner.results, why, strlen(why));
        _exit(1);
    }
#ifdef __linux__
    runner.base = *(void **)runner.base; /* struct link_map begins with the address */
#endif
}

const Test *test_at(int index)
{
    for (int hidden = 0; hidden < 2; hidden++)
        for (const Test *t = runner.test[hidden]; t && t->name; t++)
            if (index-- == 0)
                return t;
    return NULL;
}

/* Of the earlier functions, which are the solution's and built to tell this (compile.c). */
static int calls;
void __cyg_profile_func_enter(void *function, void *site)
{
    Dl_info info;
    (void)function;
    calls += dladdr(site, &info) && info.dli_fbase == runner.base;
}

void __cyg_profile_func_exit(void *function, void *site)
{
    (void)function, (void)site;
}

/* ---- one test -------------------------------------------------------------------------------- */

static void send_arrays(const Case *c, int blocks, long leaked)
{
    record((Record){.type = RECORD_DONE, .number = c->number, .blocks = blocks, .leaked = leaked});
    for (int i = 0; i < c->arrays; i++) {
        size_t bytes = (size_t)c->array[i].count * case_element(&c->array[i]);
        write_all(runner.results, c->memory[i], bytes + (SANITIZED ? 0 : 2 * GUARD));
    }
}

static void run_cases(const Request *q, const Test *test)
{
    for (int i = q->first; i < q->first + q->count; i++) {
        Case *c = case_new(q->seed, i, q->total, NULL);
        if (!c)
            _exit(1);
        int before, after;
        long bytes_before, bytes_after;
        record((Record){.type = RECORD_START, .number = i});
        heap_state(&before, &bytes_before);
        test->body(c);
        heap_state(&after, &bytes_after);
        send_arrays(c, after - before, bytes_after - bytes_before);
        case_free(c);
    }
    fflush(stdout);
    record((Record){.type = RECORD_END, .value = calls});
    _exit(0);
}

static void close_others(void)
{
    for (int i = 3; i < 256; i++)
        if (i != runner.results)
            close(i);
}

/* What libraries read of the system on their first use they read now: qsort the size of the memory,
 * the sanitizer the list of what is mapped. */
static int by_byte(const void *a, const void *b)
{
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

static void warm_up(void)
{
    static unsigned char bytes[1 << 12];
    qsort(bytes, sizeof bytes, 1, by_byte);
#ifdef HOMEWORK_SANITIZED
    extern void __sanitizer_sandbox_on_notify(void *arguments) __attribute__((weak));
    if (__sanitizer_sandbox_on_notify)
        __sanitizer_sandbox_on_notify(NULL);
#endif
}

/* The walls, those first that have to stand before any code of the submission's can run: a library
 * may have code that runs when it is loaded. */
static void enter_walls(const Request *q)
{
    Denial denial = SANITIZED ? DENY_ERROR : DENY_STOP;
    warm_up();
    sandbox_limits(q->cpu_seconds, q->memory_mb);
    heap_limit((size_t)q->memory_mb << 19); /* half of it */
    if (!sandbox_user(q->user))
        _exit(RUNNER_FAILED);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* after the change of user, which undoes it */
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);        /* or /proc/self/fd is not ours to read */
#endif
    catch_signals();
    if (!(q->without & WITHOUT_LANDLOCK))
        sandbox_files(runner.submission);
    if (!(q->without & WITHOUT_FILTER))
        filter_calls(denial, true);
    load_submission();
    close_others();
    sandbox_no_files();
    if (!(q->without & WITHOUT_FILTER))
        filter_calls(denial, false);
}

static void as_submission(const Request *q)
{
    bool hidden = q->test >= q->visible;
    close(runner.control);
    close(runner.status);
    /* first, because all others need the library that is in the tests of a lab */
    load_tests(hidden ? runner.hidden : runner.tests);
    load_before(q->function);
    const Test *test = test_at(hidden ? q->test - q->visible : q->test);
    if (!test)
        _exit(RUNNER_FAILED);
    enter_walls(q);
    record((Record){.type = RECORD_READY});
    run_cases(q, test);
}

static void run(const Request *q)
{
    if (q->mode == RUN_CASES)
        as_submission(q);
    bool apart = q->mode != RUN_LIST && q->test >= q->visible && runner.hidden >= 0;
    load_tests(apart ? runner.hidden : runner.tests); /* the judge's tests are in one library */
    load_submission();
    const Test *test = test_at(apart ? q->test - q->visible : q->test);
    if (q->mode == RUN_LIST)
        judge_list(runner.results, runner.test);
    else if (test)
        judge_cases(runner.results, test, q);
    _exit(0);
}

/* ---- the server ------------------------------------------------------------------------------ */

/* What it may have started is in its group; in a namespace, all else is. */
static void kill_what_is_left(pid_t test)
{
    bool alone = getpid() == 1;
    kill(alone ? -1 : -test, SIGKILL);
    while (waitpid(-1, NULL, alone ? 0 : WNOHANG) > 0)
        ;
}

static bool serve(const Request *q)
{
    Status s = {.magic = MAGIC};
    pid_t test = fork();
    if (test < 0)
        s.stopped = STOPPED_NO_PROCESS;
    if (test == 0) {
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* also where the solution does not end */
#endif
        watch_leave();
        setpgid(0, 0);
        run(q);
    }
    if (test > 0) {
        setpgid(test, test);
        watch_test(test, q, &s);
        kill_what_is_left(test);
    }
    return write_all(runner.status, &s, sizeof s);
}

/* The first message: what holds here. The grader's first Request says under which walls. */
static bool hello(void)
{
    Request q;
    Status s = {.magic = MAGIC, .hello = 1};
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
    if (read(runner.control, &q, sizeof q) != sizeof q)
        return false;
    if (q.mode == RUN_CASES)
        s.held = sandbox_measure(&q) | (getpid() == 1 ? HELD_PIDS : 0);
    return write_all(runner.status, &s, sizeof s);
}

int main(int argc, char **argv)
{
    if (argc < FIRST_PART || argc > FIRST_PART + FUNCTIONS_MAX) {
        fprintf(stderr, "runner: the grader starts this program\n");
        return 2;
    }
    int *into[] = {&runner.control, &runner.status, &runner.results,
                   &runner.tests,   &runner.hidden, &runner.submission};
    for (int i = 0; i < FIRST_PART - 1; i++)
        *into[i] = atoi(argv[1 + i]);
    for (int i = FIRST_PART; i < argc; i++)
        runner.before[runner.functions++] = atoi(argv[i]);
    signal(SIGPIPE, SIG_IGN);
    Request q;
    if (!hello())
        return 1;
    watch_begin();
    while (read(runner.control, &q, sizeof q) == sizeof q)
        if (!serve(&q))
            return 1;
    return 0;
}

/* The sanitizer's settings, where it is built in. */
const char *__asan_default_options(void)
{
    return "symbolize=0:detect_leaks=0:exitcode=77:handle_abort=1:handle_sigfpe=1:allocator_may_"
           "return_null=1:max_allocation_size_mb=512:verify_asan_link_order=0:color=never:"
           "quarantine_size_mb=8";
}

const char *__ubsan_default_options(void)
{
    return "symbolize=0:print_stacktrace=1:halt_on_error=1:exitcode=77:color=never";
}
