/* test_parallel.c: a loop in pieces is the loop, whoever does the pieces; and how many may do so.
 *
 * Also built with OpenMP's threads (GRADUS_OPENMP) and without any, from the same sources. */
#define _GNU_SOURCE
#include "tests/harness/test.h"
#include "tensor/threads/parallel.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#endif
#ifndef _WIN32
#include <sys/wait.h>
#endif

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define UNDER_TSAN
#endif

#ifdef GRADUS_OPENMP
/* LLVM's OpenMP keeps some bytes for its threads until the process ends; the leak sanitizer would
 * report them. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libomp.so\n";
}
#endif

enum { ITEMS = 1000, ROUNDS = 500 };

/* ---- pieces ---------------------------------------------------------------------------------- */

typedef struct {
    int done[ITEMS]; /* how often */
    int part[ITEMS]; /* by which piece */
    int64_t grain, shortest;
} Tally;

static void count(int64_t begin, int64_t end, void *context)
{
    Tally *t = context;
    for (int64_t i = begin; i < end; i++) {
        t->done[i]++;
        t->part[i] = parallel_part();
    }
}

/* Every item once; parts in order from 0, none shorter than the grain unless there is but one. */
static bool is_right(const Tally *t, int64_t n, int threads)
{
    int64_t length = 0;
    for (int64_t i = 0; i < n; i++) {
        bool begins = i > 0 && t->part[i] == t->part[i - 1] + 1;
        if (t->done[i] != 1 || t->part[i] >= threads || (i == 0 && t->part[i] != 0) ||
            (i > 0 && t->part[i] != t->part[i - 1] && !begins) || (begins && length < t->grain))
            return false;
        length = begins ? 1 : length + 1;
    }
    return n == 0 || t->part[n - 1] == 0 || length >= t->grain;
}

TEST(pieces_cover_the_loop)
{
    static const int64_t sizes[] = {0, 1, 2, 3, 7, 100, ITEMS}, grains[] = {0, 1, 3, 50, ITEMS + 1};
    for (int threads = 1; threads <= 9; threads += 2)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t k = 0; k < sizeof grains / sizeof *grains; k++) {
                Tally t = {.grain = grains[k]};
                tensor_set_threads(threads);
                parallel_for(sizes[i], grains[k], count, &t);
                CHECK(is_right(&t, sizes[i], threads), "%d items, grain %d, %d threads",
                      (int)sizes[i], (int)grains[k], threads);
            }
    tensor_set_threads(0);
    CHECK(parallel_part() == 0, "outside of a loop the part is %d", parallel_part());
}

/* The caller may find all pieces done by itself; so each waits until another has begun, but not for
 * ever. */
typedef struct {
    pthread_t thread[4];
    int begun;
    pthread_mutex_t lock;
} Meeting;

static void meet(int64_t begin, int64_t end, void *context)
{
    Meeting *m = context;
    (void)end;
    m->thread[begin] = pthread_self();
    pthread_mutex_lock(&m->lock);
    m->begun++;
    pthread_mutex_unlock(&m->lock);
    for (int wait = 0; wait < 20000; wait++) { /* 20 seconds: the machine may be busy */
        pthread_mutex_lock(&m->lock);
        int begun = m->begun;
        pthread_mutex_unlock(&m->lock);
        if (begun > 1)
            return;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

TEST(threads_share_the_pieces)
{
    tensor_set_threads(2);
    if (tensor_threads() < 2)
        SKIP("built without threads");
    enum { MEETINGS = 200 };
    for (int round = 0; round < MEETINGS; round++) { /* the last comes when the workers sleep */
        Meeting m = {.lock = PTHREAD_MUTEX_INITIALIZER};
        if (round == MEETINGS - 1)
            nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        parallel_for(2, 1, meet, &m);
        CHECK(m.begun == 2, "%d pieces began", m.begun);
        CHECK(!pthread_equal(m.thread[0], m.thread[1]), "round %d: one thread did both", round);
        CHECK(pthread_equal(m.thread[0], pthread_self()), "round %d: a worker did piece 0", round);
    }
    tensor_set_threads(0);
}

static void count_inside(int64_t begin, int64_t end, void *context)
{
    Tally *t = context;
    int before = parallel_part();
    Tally inner = {0};
    parallel_for(ITEMS, 1, count, &inner);
    bool serial = parallel_threads() == 1 && inner.part[0] == before &&
                  inner.part[ITEMS - 1] == before && parallel_part() == before;
    for (int64_t i = begin; i < end; i++)
        t->done[i] = serial ? 1 : 2;
}

TEST(a_loop_inside_is_serial)
{
    Tally t = {0};
    tensor_set_threads(3);
    if (tensor_threads() < 2)
        SKIP("built without threads");
    CHECK(parallel_threads() == 3, "%d threads outside", parallel_threads());
    parallel_for(30, 1, count_inside, &t);
    for (int i = 0; i < 30; i++)
        CHECK(t.done[i] == 1, "item %d: the loop inside was shared", i);
    tensor_set_threads(0);
}

/* ---- several callers ------------------------------------------------------------------------- */

static void add_one(int64_t begin, int64_t end, void *context)
{
    int *x = context;
    for (int64_t i = begin; i < end; i++)
        x[i]++;
}

static void *call_often(void *context)
{
    for (int round = 0; round < ROUNDS; round++)
        parallel_for(ITEMS, 10, add_one, context);
    return NULL;
}

/* And another changes the number of threads at the same time. */
TEST(callers_do_not_disturb_each_other)
{
    static int x[3][ITEMS];
    pthread_t thread[3];
    memset(x, 0, sizeof x);
    for (int k = 0; k < 3; k++)
        REQUIRE(pthread_create(&thread[k], NULL, call_often, x[k]) == 0, "no thread");
    for (int i = 0; i < 300; i++)
        tensor_set_threads(1 + i % 5);
    for (int k = 0; k < 3; k++)
        pthread_join(thread[k], NULL);
    tensor_set_threads(0);
    for (int k = 0; k < 3; k++) {
        int done = 0;
        while (done < ITEMS && x[k][done] == ROUNDS)
            done++;
        CHECK(done == ITEMS, "caller %d, item %d: not done %d times", k, done, ROUNDS);
    }
}

typedef int (*Valued)(void);

/* What f returns, 0 to 255, in a child (on Windows in this process); -1 when the child crashed, or
 * alarm ended it after 20 seconds, where it hangs. */
static int in_child(Valued f)
{
#ifdef _WIN32
    return f();
#else
    int status;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        _exit(f());
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
               ? WEXITSTATUS(status)
               : -1;
#endif
}

static int loop_in_child(void)
{
    Tally t = {.grain = 1};
    for (int round = 0; round < 10; round++) {
        memset(&t, 0, sizeof t);
        parallel_for(ITEMS, 1, count, &t);
        if (!is_right(&t, ITEMS, 4))
            return 1;
    }
    return 0;
}

TEST(a_forked_process_goes_on)
{
#ifdef GRADUS_OPENMP
    SKIP("with GNU's OpenMP the child of a fork hangs");
#endif
#ifdef UNDER_TSAN
    SKIP("the race checker allows a forked process no threads");
#endif
    if (getenv("GRADUS_EMULATED") && *getenv("GRADUS_EMULATED"))
        SKIP("qemu's processes with threads cannot fork");
    tensor_set_threads(4);
    Tally t = {.grain = 1};
    parallel_for(ITEMS, 1, count, &t);
    for (int i = 0; i < 5; i++) {
        int status = in_child(loop_in_child);
        CHECK(status == 0, "the child ended with %d", status);
    }
    CHECK(loop_in_child() == 0, "the parent's loops are wrong after it");
    tensor_set_threads(0);
}

/* ---- how many -------------------------------------------------------------------------------- */

static char root[512];

static void put(const char *path, const char *text)
{
    char whole[1024];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    char *slash = strrchr(whole, '/');
    *slash = 0;
    tensor_make_directory(whole);
    *slash = '/';
    CHECK(scratch_write(whole, text, strlen(text)), "cannot write %s", whole);
}

/* Each case in a root of its own. */
static void new_root(const char *name)
{
    snprintf(root, sizeof root, "%s", scratch_path(name));
}

TEST(quota_of_cgroup_2)
{
    new_root("v2");
    CHECK(cpus_quota(root) == 0, "without files: %d", cpus_quota(root));
    put("/proc/self/cgroup", "0::/batch/job 7\n");
    CHECK(cpus_quota(root) == 0, "without limit: %d", cpus_quota(root));
    put("/sys/fs/cgroup/batch/job 7/cpu.max", "max 100000\n");
    CHECK(cpus_quota(root) == 0, "max: %d", cpus_quota(root));
    put("/sys/fs/cgroup/batch/cpu.max", "400000 100000\n");
    CHECK(cpus_quota(root) == 4, "the group above has 4: %d", cpus_quota(root));
    put("/sys/fs/cgroup/batch/job 7/cpu.max", "250000 100000\n");
    CHECK(cpus_quota(root) == 3, "2.5 are 3: %d", cpus_quota(root));
    put("/sys/fs/cgroup/batch/job 7/cpu.max", "5000 100000\n");
    CHECK(cpus_quota(root) == 1, "a twentieth is 1: %d", cpus_quota(root));
}

/* As in a container that sees the host's path and its own files. */
TEST(quota_of_cgroup_1)
{
    new_root("v1");
    put("/proc/self/cgroup", "5:cpuset:/\n4:cpuacct,cpu:/docker/abc\n0::/\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    CHECK(cpus_quota(root) == 0, "no limit is -1: %d", cpus_quota(root));
    put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
    CHECK(cpus_quota(root) == 2, "%d", cpus_quota(root));
    put("/proc/self/cgroup", "no colon\n:\n4:cpuset,cpuacct:/\n");
    CHECK(cpus_quota(root) == 0, "other controllers: %d", cpus_quota(root));
}

#ifdef __linux__
static int count_when_pinned(void)
{
    cpu_set_t one;
    if (sched_getaffinity(0, sizeof one, &one) != 0)
        return 100;
    for (int i = 0, found = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &one) && found++ > 0)
            CPU_CLR(i, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0 ? cpus_count() : 100;
}
#endif

static int count_when_told(void)
{
    setenv("OMP_NUM_THREADS", "7", 1);
    return cpus_requested();
}

/* Not a number, and not above 0. */
static int count_when_told_nothing(void)
{
    setenv("OMP_NUM_THREADS", "", 1);
    int sum = cpus_requested();
    setenv("OMP_NUM_THREADS", "many", 1);
    sum += cpus_requested();
    setenv("OMP_NUM_THREADS", "-2", 1);
    return sum + cpus_requested();
}

TEST(count_follows_the_system)
{
    CHECK(cpus_count() >= 1, "%d", cpus_count());
#ifdef __linux__
    int pinned = in_child(count_when_pinned);
    CHECK(pinned == 1, "pinned to one processor: %d", pinned);
#endif
    int told = in_child(count_when_told);
    CHECK(told == 7, "OMP_NUM_THREADS=7: %d", told);
    told = in_child(count_when_told_nothing);
    CHECK(told == 0, "OMP_NUM_THREADS empty, no number, negative: %d", told);
    unsetenv("OMP_NUM_THREADS");
}
