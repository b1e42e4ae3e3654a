/* pool.c: the library's own threads, which share the pieces of one loop at a time.
 *
 *   the caller  publishes a loop, takes pieces until none is left, waits for the pieces that workers took
 *   a worker    waits for a loop, takes pieces until none is left, waits again
 *
 * A piece belongs to the thread that takes it first, so the caller never waits for a worker that
 * has not started: on a busy machine the caller computes all pieces itself, and is no slower than
 * without workers. The caller takes the first piece that is left and a worker the last, so that of
 * two threads each meets the part of an array that it wrote in the loop before.
 *
 * A waiting thread spins for 0.2 ms, since the next loop of a training step mostly comes sooner,
 * and then sleeps. Waking a sleeping thread takes 15 us or more, as long as a whole loop of a tiny
 * transformer. (OpenMP's threads spin for milliseconds or not at all, as the environment says when
 * the program starts.)
 *
 * Invariants of what the threads share, all of it in `pool`:
 *   - `state` is one word with the number of the loop, and the first and the end of the pieces that are left. The
 *     caller writes the loop first and `state` last. A worker reads `state` first and then the loop; the values belong
 *     together if it can then exchange `state` for the state with its piece taken, since no loop begins while pieces
 *     are left.
 *   - `unfinished` counts pieces that are not computed yet. The caller that reads 0 sees all that was computed.
 *   - A thread that wants to sleep counts itself as a sleeper first, and then looks for a loop once more; the thread
 *     that publishes writes the loop first, and then looks for sleepers. In the single order of C's sequentially
 *     consistent atomics, one of the two sees the other. */
#include "tensor/invariant.h"
#include "tensor/system/system.h"
#include "tensor/threads/parallel.h"

#include <pthread.h>
#include <stdatomic.h>

/* WORKERS_MAX and the caller are as many threads as parallel.c divides a loop among. LOOKS
 * conditions are tested between two readings of the clock, which takes as long as many tests. A
 * worker's stack is at least STACK_LEAST bytes, since kernels keep tiles there; some C libraries
 * give threads 128 KB. */
enum { WORKERS_MAX = 255, SPIN_NS = 200000, LOOKS = 64, STACK_LEAST = 1 << 20 };

static struct {
    _Alignas(64) _Atomic uint64_t state; /* number << 32 | end << 16 | first */
    /* the loop, in the cache line of its state, so that one access brings both */
    _Atomic(ParallelBody) body;
    _Atomic(void *) context;
    _Atomic int64_t n;
    atomic_int pieces;
    _Alignas(64) atomic_int unfinished; /* pieces */
    _Alignas(64) atomic_flag taken;     /* a loop uses the workers */
    atomic_int sleepers, sleeping_callers;
    atomic_bool stop;
    pthread_mutex_t lock; /* held only to begin or end sleep */
    pthread_cond_t news, finished;
    int workers;
    pthread_t worker[WORKERS_MAX];
} pool = {
    .taken = ATOMIC_FLAG_INIT,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .news = PTHREAD_COND_INITIALIZER,
    .finished = PTHREAD_COND_INITIALIZER,
};

/* ---- waiting --------------------------------------------------------------------------------- */

/* The parts of the word `state`. */
static int end_of(uint64_t state)
{
    return state >> 16 & 0xFFFF;
}

static int first_of(uint64_t state)
{
    return state & 0xFFFF;
}

/* The two conditions on which threads wait: the caller until its loop is computed, a worker until
 * pieces are left to take or the process ends. A worker that wakes too late finds no piece and
 * waits again. */
static bool is_finished(void)
{
    return atomic_load(&pool.unfinished) == 0;
}

static bool is_loop_published(void)
{
    uint64_t state = atomic_load(&pool.state);
    return first_of(state) != end_of(state) || atomic_load(&pool.stop);
}

/* Spins until the condition holds, or for SPIN_NS nanoseconds. */
static bool holds_soon(bool (*condition)(void))
{
    int64_t start = system_clock();
    do {
        for (int i = 0; i < LOOKS; i++) {
            if (condition())
                return true;
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause(); /* lets the core's other thread run */
#elif defined(__aarch64__)
            __asm__ volatile("yield");
#endif
        }
    } while (system_clock() - start < SPIN_NS);
    return false;
}

/* Returns when the condition holds; `call` is signalled after it became true. */
static void wait_for(bool (*condition)(void), pthread_cond_t *call, atomic_int *sleepers)
{
    if (holds_soon(condition))
        return;
    pthread_mutex_lock(&pool.lock);
    atomic_fetch_add(sleepers, 1);
    while (!condition())
        pthread_cond_wait(call, &pool.lock);
    atomic_fetch_sub(sleepers, 1);
    pthread_mutex_unlock(&pool.lock);
}

/* Wakes `count` threads. The lock orders this after a sleeper has counted itself. */
static void wake(pthread_cond_t *call, int count)
{
    pthread_mutex_lock(&pool.lock);
    while (count-- > 0)
        pthread_cond_signal(call);
    pthread_mutex_unlock(&pool.lock);
}

/* ---- workers --------------------------------------------------------------------------------- */

/* Takes a piece of the present loop and computes it; false when none is left.
 * The exchange fails, and the loop is read again, where another thread took the piece or a new
 * loop began: the values read then may not belong together. */
static bool compute_piece(bool caller)
{
    uint64_t state = atomic_load(&pool.state), taken;
    ParallelLoop loop;
    do {
        if (first_of(state) == end_of(state))
            return false;
        loop.fn = atomic_load_explicit(&pool.body, memory_order_relaxed);
        loop.context = atomic_load_explicit(&pool.context, memory_order_relaxed);
        loop.n = atomic_load_explicit(&pool.n, memory_order_relaxed);
        loop.pieces = atomic_load_explicit(&pool.pieces, memory_order_relaxed);
        taken = caller ? state + 1 : state - (1 << 16);
    } while (!atomic_compare_exchange_weak(&pool.state, &state, taken));
    int piece = caller ? first_of(state) : end_of(state) - 1;
    parallel_piece(&loop, piece);
    /* After the last piece the caller may go on. */
    int unfinished = atomic_fetch_sub(&pool.unfinished, 1);
    GRADUS_INVARIANT(piece < loop.pieces && unfinished >= 1);
    if (unfinished == 1 && atomic_load(&pool.sleeping_callers) > 0)
        wake(&pool.finished, 1);
    return true;
}

/* A worker: computes pieces while there are any, and waits. */
static void *work(void *unused)
{
    while (!atomic_load(&pool.stop)) {
        while (compute_piece(false))
            continue;
        wait_for(is_loop_published, &pool.news, &pool.sleepers);
    }
    return unused;
}

static bool start_worker(pthread_t *worker)
{
    pthread_attr_t attributes;
    size_t usual = 0;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    if (pthread_attr_getstacksize(&attributes, &usual) == 0 && usual < STACK_LEAST)
        pthread_attr_setstacksize(&attributes, STACK_LEAST);
    bool runs = system_start_thread(worker, &attributes, work) == 0;
    pthread_attr_destroy(&attributes);
    return runs;
}

/* Starts workers until there are `wanted`, or as many as the system permits. */
static void start_workers(int wanted)
{
    while (pool.workers < wanted && pool.workers < WORKERS_MAX &&
           start_worker(&pool.worker[pool.workers]))
        pool.workers++;
}

/* When the process ends or unloads the library. */
__attribute__((destructor)) static void stop_workers(void)
{
    if (!system_stops_threads() || atomic_flag_test_and_set(&pool.taken))
        return; /* the system ends them, or another thread still computes */
    atomic_store(&pool.stop, true);
    wake(&pool.news, pool.workers);
    for (int i = 0; i < pool.workers; i++)
        pthread_join(pool.worker[i], NULL);
    pool.workers = 0;
    atomic_store(&pool.stop, false);
    atomic_flag_clear(&pool.taken);
}

/* A forked process has none of the workers, and no thread of it holds the lock. */
static void reset_after_fork(void)
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

/* Once for the process, by pthread_once. */
static void watch_forks(void)
{
    system_after_fork(reset_after_fork);
}

/* ---- a loop ---------------------------------------------------------------------------------- */

/* Makes the loop visible to the workers, and wakes as many as it needs. */
static void publish(const ParallelLoop *loop)
{
    uint64_t before = atomic_load(&pool.state), number = (before >> 32) + 1;
    /* The loop before is over: all of its pieces were taken, and done. */
    GRADUS_INVARIANT(first_of(before) == end_of(before) && is_finished());
    GRADUS_INVARIANT(loop->pieces > 0 && loop->pieces <= WORKERS_MAX + 1);
    atomic_store_explicit(&pool.body, loop->fn, memory_order_relaxed);
    atomic_store_explicit(&pool.context, loop->context, memory_order_relaxed);
    atomic_store_explicit(&pool.n, loop->n, memory_order_relaxed);
    atomic_store_explicit(&pool.pieces, loop->pieces, memory_order_relaxed);
    atomic_store(&pool.unfinished, loop->pieces);
    atomic_store(&pool.state, number << 32 | (uint64_t)loop->pieces << 16);
    int sleepers = atomic_load(&pool.sleepers), awake = pool.workers - sleepers;
    if (sleepers > 0 && awake < loop->pieces - 1)
        wake(&pool.news, loop->pieces - 1 - awake);
}

/* The caller computes pieces like a worker, and then waits for the pieces of the others. */
bool parallel_share(const ParallelLoop *loop)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (atomic_flag_test_and_set(&pool.taken))
        return false;
    pthread_once(&once, watch_forks);
    start_workers(loop->pieces - 1);
    publish(loop);
    while (compute_piece(true))
        continue;
    wait_for(is_finished, &pool.finished, &pool.sleeping_callers);
    atomic_flag_clear(&pool.taken);
    return true;
}
