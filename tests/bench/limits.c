/* limits.c: the limits of the machine, and the overhead of gradus without any arithmetic.
 *
 *   peak_fma     fused multiply-adds in registers, with all threads
 *   peak_read    a sum over 256 MB, divided among the threads; beside another row, over as many bytes as that row reads
 *   op_overhead  adding two tensors of one element, in nanoseconds
 *   fork_join    starting and joining all threads for a loop, in nanoseconds beyond the time of the loop's parts
 *   startup      from the start of a process to the first loss of train_tiny's model
 *   import       from the start of a process to its main */
#include "tests/bench/bench.h"
#include "tensor/system/system.h"
#include "tensor/threads/parallel.h" /* internal; the benchmark needs the threads of the kernels */
#include "tests/bench/peak_loop.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    double (*fma)(long n);
    double (*read)(const float *x, long n);
} Loops;

/* Those of the kernels' own instructions: GRADUS_KERNELS=avx2 is held against the peak of AVX2. */
static Loops best_loops(void)
{
#ifdef GRADUS_X86_LEVELS
    const char *kernels = tensor_kernels();
    if (strcmp(kernels, "avx512") == 0)
        return (Loops){fma_loop_avx512, read_loop_avx512};
    if (strcmp(kernels, "avx2") == 0)
        return (Loops){fma_loop_avx2, read_loop_avx2};
#endif
    return (Loops){fma_loop_base, read_loop_base};
}

/* Runs `work` operations with all threads and returns the best of several measurements, since
 * disturbances only make one slower. */
static double best_rate(ParallelBody part, double work)
{
    double best = 0;
    for (int r = 0; r < 10; r++) {
        double start = now();
        parallel_for(settings.threads, 1, part, NULL);
        double rate = work / (now() - start) / 1e9;
        best = rate > best ? rate : best;
    }
    return best;
}

static void fma_part(int64_t begin, int64_t end, void *context)
{
    (void)context;
    best_loops().fma((end - begin) * 400000);
}

double peak_products(void)
{
    return best_rate(fma_part, best_loops().fma(1) * 400000 * settings.threads);
}

enum {
    READ_BYTES = 256 << 20,
    READ_LINE = 128,
    READ_ALIGN = 64
}; /* numbers that a step of the loop reads */

static void read_part(int64_t begin, int64_t end, void *context)
{
    const float *x = context;
    volatile double kept = best_loops().read(x + READ_LINE * begin, READ_LINE * (end - begin));
    (void)kept;
}

double peak_read(double bytes)
{
    int64_t lines = (int64_t)bytes / (READ_LINE * (int64_t)sizeof(float)) + 1;
    size_t size = (size_t)lines * READ_LINE * sizeof(float);
    char *block = malloc(size + READ_ALIGN);
    if (!block)
        return 0;
    float *x = (float *)(block + READ_ALIGN - (uintptr_t)block % READ_ALIGN);
    memset(x, 0, size);
    double best = 0;
    for (int r = 0; r < 8; r++) {
        double start = now();
        parallel_for(lines, 1, read_part, x);
        double rate = (double)size / (now() - start) / 1e9;
        best = rate > best ? rate : best;
    }
    free(block);
    return best;
}

static void run_peak_fma(const Row *r)
{
    double start = now(), peak = peak_products(), ms = 1e3 * (now() - start);
    print_row(r->name, ms, ms, peak);
}

static void run_peak_read(const Row *r)
{
    double start = now(), peak = peak_read(READ_BYTES), ms = 1e3 * (now() - start);
    print_row(r->name, ms, ms, peak);
}

/* ---- overhead -------------------------------------------------------------------------------- */

enum { OPS = 1000 };

static double add_ops(Tape *tape)
{
    static const real one = 1;
    tape_reset(tape);
    Tensor *x = tape_input(tape, &one, shape1(1)), *y = tape_input(tape, &one, shape1(1));
    double start = now();
    for (int i = 0; i < OPS; i++)
        ag_add(x, y);
    return 1e9 * (now() - start) / OPS;
}

static const double PIECE = 5e-6; /* seconds: long enough for each thread to start its part */

static void take_a_while(int64_t begin, int64_t end, void *context)
{
    (void)context;
    for (double until = now() + (double)(end - begin) * PIECE; now() < until;)
        continue;
}

/* The time of a loop minus that of its parts, with one part a thread. */
static double shared_loops(Tape *unused)
{
    (void)unused;
    double start = now();
    for (int i = 0; i < OPS; i++)
        parallel_for(settings.threads, 1, take_a_while, NULL);
    return 1e9 * ((now() - start) / OPS - PIECE);
}

/* Nanoseconds a call, measured after the tape has seen the size of a step. */
static void print_overhead(const char *name, double (*time_of)(Tape *tape))
{
    enum { ROUNDS = 101 };
    double ns[ROUNDS];
    Tape *tape = tape_new(1);
    time_of(tape);
    time_of(tape);
    for (int i = 0; i < ROUNDS; i++)
        ns[i] = time_of(tape);
    double median = median_of(ns, ROUNDS);
    print_row(name, median, ns[0], -1);
    tape_free(tape);
}

static void run_op_overhead(const Row *r)
{
    print_overhead(r->name, add_ops);
}

static void run_fork_join(const Row *r)
{
    print_overhead(r->name, shared_loops);
}

/* ---- starting processes ---------------------------------------------------------------------- */

/* Starts this program with `word`, which makes it print the time at that point, and returns the ms
 * until then. */
static double time_of_process(const char *word)
{
    char text[64] = "", *arguments[] = {(char *)settings.program, (char *)word, NULL};
    SystemProcess child;
    double start = now();
    if (system_start(&child, arguments, STDOUT_FILENO) != 0)
        return -1;
    ssize_t length = system_read(child.stream, text, sizeof text - 1);
    system_wait(&child);
    return length > 0 ? 1e3 * (atof(text) - start) : -1;
}

static void print_process(const char *name, const char *word)
{
    enum { ROUNDS = 11 };
    double ms[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        ms[i] = time_of_process(word);
    double median = median_of(ms, ROUNDS);
    print_row(name, median, ms[0], -1);
}

static void run_startup(const Row *r)
{
    print_process(r->name, "first-loss");
}

void print_import(void)
{
    print_process("import", "idle");
}

const Row limit_rows[] = {
    {"peak_fma", run_peak_fma, {0}, false},       {"peak_read", run_peak_read, {0}, false},
    {"op_overhead", run_op_overhead, {0}, false}, {"fork_join", run_fork_join, {0}, false},
    {"startup", run_startup, {0}, false},         {0},
};
