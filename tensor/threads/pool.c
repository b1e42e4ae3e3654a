/* pool.c: threads of our own, which share the pieces of one loop at a time.
 *
 *   the caller   publishes a loop, takes pieces until none is left, waits for those that others took
 *   a worker     waits for a loop, takes pieces until none is left, waits again
 *
 * A piece belongs to whoever takes it first, so the caller never waits for a thread that has not begun:
 * on a busy machine it does all of the work itself, and is no slower than alone.
 *
 * Who that waits looks again and again for a fifth of a millisecond, since the next loop of a training step
 * mostly comes sooner; then it sleeps, and costs nothing. Waking a sleeper takes 15 us or more, which is a
 * tiny transformer's whole loop. (OpenMP's threads spin for milliseconds or not at all, by what the
 * environment says when the program starts.)
 *
 * What threads share, and in which order they see it: all is in `pool`. `state` is one word that says which
 * loop, how many pieces, and the next one to take. The caller writes the loop first and `state` last; a
 * worker reads `state` first, then the loop, and what it read is good if it can exchange `state` for one
 * piece less, since no new loop begins while pieces are left. Each piece done counts `unfinished` down, so
 * that what was computed is to be seen by the caller that finds 0. Who wants to sleep says so first and then
 * looks once more; who brings news does so first and then looks for sleepers: in the one order that C's
 * atomics have by default, one of the two sees the other. */
#include "tensor/invariant.h"
#include "tensor/threads/parallel.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

enum { WORKERS_MAX = 255, SPIN_NS = 200000, LOOKS = 64, STACK_LEAST = 1 << 20 };

static struct {
    _Alignas(64) _Atomic uint64_t state; /* number << 32 | pieces << 16 | next */
    /* the loop, in the line of its state: one look at memory is enough */
    _Atomic(ParallelBody) body;
    _Atomic(void *) context;
    _Atomic int64_t n;
    _Alignas(64) atomic_int unfinished; /* pieces */
    _Alignas(64) atomic_flag taken;     /* by the caller of the present loop */
    atomic_int sleepers, sleeping_callers;
    atomic_bool stop;
    pthread_mutex_t lock; /* for going to sleep alone */
    pthread_cond_t news, finished;
    int workers;
    pthread_t worker[WORKERS_MAX];
} pool = {
    .taken = ATOMIC_FLAG_INIT,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .news = PTHREAD_COND_INITIALIZER,
    .finished = PTHREAD_COND_INITIALIZER,
};

/* ---- waiting ----------------------------------------------------------------------------------------- */

static uint32_t pieces_of(uint64_t state)
{
    return state >> 16 & 0xFFFF;
}

static uint32_t next_of(uint64_t state)
{
    return state & 0xFFFF;
}

static bool is_finished(void)
{
    return atomic_load(&pool.unfinished) == 0;
}

static bool is_news(void)
{
    uint64_t state = atomic_load(&pool.state);
    return next_of(state) != pieces_of(state) || atomic_load(&pool.stop);
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool comes_soon(bool (*has_come)(void))
{
    int64_t start = now();
    do {
        for (int i = 0; i < LOOKS; i++) {
            if (has_come())
                return true;
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause(); /* tells the processor that this loop waits */
#elif defined(__aarch64__)
            __asm__ volatile("yield");
#endif
        }
    } while (now() - start < SPIN_NS);
    return false;
}

static void wait_for(bool (*has_come)(void), pthread_cond_t *call, atomic_int *sleepers)
{
    if (comes_soon(has_come))
        return;
    pthread_mutex_lock(&pool.lock);
    atomic_fetch_add(sleepers, 1);
    while (!has_come())
        pthread_cond_wait(call, &pool.lock);
    atomic_fetch_sub(sleepers, 1);
    pthread_mutex_unlock(&pool.lock);
}

static void wake(pthread_cond_t *call, int count)
{
    pthread_mutex_lock(&pool.lock);
    while (count-- > 0)
        pthread_cond_signal(call);
    pthread_mutex_unlock(&pool.lock);
}

/* ---- workers ------------------------------------------------------------------------------------------- */

/* Takes a piece of the present loop and does it; false when none is left. */
static bool do_piece(void)
{
    uint64_t state = atomic_load(&pool.state);
    ParallelLoop loop;
    do {
        if (next_of(state) == pieces_of(state))
            return false;
        loop.fn = atomic_load_explicit(&pool.body, memory_order_relaxed);
        loop.context = atomic_load_explicit(&pool.context, memory_order_relaxed);
        loop.n = atomic_load_explicit(&pool.n, memory_order_relaxed);
        loop.pieces = (int)pieces_of(state);
    } while (!atomic_compare_exchange_weak(&pool.state, &state, state + 1));
    parallel_piece(&loop, (int)next_of(state));
    /* After the last piece the caller may go on. */
    int unfinished = atomic_fetch_sub(&pool.unfinished, 1);
    GRADUS_INVARIANT(next_of(state) < pieces_of(state) && unfinished >= 1);
    if (unfinished == 1 && atomic_load(&pool.sleeping_callers) > 0)
        wake(&pool.finished, 1);
    return true;
}

static void *work(void *unused)
{
    while (!atomic_load(&pool.stop)) {
        while (do_piece())
            continue;
        wait_for(is_news, &pool.news, &pool.sleepers);
    }
    return unused;
}

/* Where the system gives no thread, there are fewer. Signals are for the program's own threads. */
static void hire(int wanted)
{
    pthread_attr_t attributes;
    size_t stack = 0;
    sigset_t all, before;
    if (pool.workers >= wanted || pthread_attr_init(&attributes) != 0)
        return;
    sigfillset(&all);
    if (pthread_attr_getstacksize(&attributes, &stack) == 0 && stack < STACK_LEAST)
        pthread_attr_setstacksize(&attributes, STACK_LEAST);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool.workers < wanted && pool.workers < WORKERS_MAX &&
           pthread_create(&pool.worker[pool.workers], &attributes, work, NULL) == 0)
        pool.workers++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

/* When the program ends, or unloads the library. */
__attribute__((destructor)) static void dismiss(void)
{
    if (atomic_flag_test_and_set(&pool.taken))
        return; /* another thread still computes */
    atomic_store(&pool.stop, true);
    wake(&pool.news, pool.workers);
    for (int i = 0; i < pool.workers; i++)
        pthread_join(pool.worker[i], NULL);
    pool.workers = 0;
    atomic_store(&pool.stop, false);
    atomic_flag_clear(&pool.taken);
}

/* A forked process has none of the workers, and nobody in it holds anything. */
static void begin_again(void)
{
    pool.workers = 0;
    atomic_store(&pool.state, 0);
    atomic_store(&pool.unfinished, 0);
    atomic_store(&pool.sleepers, 0);
    atomic_store(&pool.sleeping_callers, 0);
    atomic_flag_clear(&pool.taken);
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.news, NULL);
    pthread_cond_init(&pool.finished, NULL);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, begin_again);
}

/* ---- a loop ---------------------------------------------------------------------------------------------- */

static void publish(const ParallelLoop *loop)
{
    uint64_t before = atomic_load(&pool.state), number = (before >> 32) + 1;
    /* The loop before is over: all of its pieces were taken, and done. */
    GRADUS_INVARIANT(next_of(before) == pieces_of(before) && is_finished());
    GRADUS_INVARIANT(loop->pieces > 0 && loop->pieces <= WORKERS_MAX + 1);
    atomic_store_explicit(&pool.body, loop->fn, memory_order_relaxed);
    atomic_store_explicit(&pool.context, loop->context, memory_order_relaxed);
    atomic_store_explicit(&pool.n, loop->n, memory_order_relaxed);
    atomic_store(&pool.unfinished, loop->pieces);
    atomic_store(&pool.state, number << 32 | (uint64_t)loop->pieces << 16);
    int sleepers = atomic_load(&pool.sleepers), awake = pool.workers - sleepers;
    if (sleepers > 0 && awake < loop->pieces - 1)
        wake(&pool.news, loop->pieces - 1 - awake);
}

bool parallel_share(const ParallelLoop *loop)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (atomic_flag_test_and_set(&pool.taken))
        return false;
    pthread_once(&once, watch_forks);
    hire(loop->pieces - 1);
    publish(loop);
    while (do_piece())
        continue;
    wait_for(is_finished, &pool.finished, &pool.sleeping_callers);
    atomic_flag_clear(&pool.taken);
    return true;
}
