/* bench.h: what the files of the benchmark share.
 *
 * A row is a name, which says its sizes, and the function that runs it: bench.c has their table.
 * measure() times all of them: it repeats a step for --seconds and prints one line. */
#ifndef GRADUS_BENCH_H
#define GRADUS_BENCH_H

#include "gradus.h"

#include <stdlib.h>
#include <string.h>

/* What a row's name says after this mark: 64 in train_tiny_V64_T32 after "_V"; 0: it has none. */
static inline int size_in(const char *name, const char *mark)
{
    const char *at = strstr(name, mark);
    return at ? atoi(at + strlen(mark)) : 0;
}

/* Run a row, or a row's model for ten steps (--check). The sizes of a product stand between x. */
void run_product(const char *name);
void run_forward(const char *name); /* softmax, layernorm, gelu */
void run_cross_entropy(const char *name);
void run_attention(const char *name);
void run_training(const char *name);
void run_generate(const char *name);

/* The limit of a row: arithmetic or memory. */
typedef enum { BOUND_NONE, BOUND_FMA, BOUND_READ } Bound;

/* The work of one step: floating-point operations, or bytes read (0: not counted). The speed of
 * reading depends on the number of different bytes, since caches are faster than memory. */
typedef struct {
    Bound bound;
    double amount, different;
} Work;

typedef void (*Step)(void *context);

/* Runs two steps, then steps until --seconds have passed and there were five, and prints the
 * row. */
void measure(const char *name, Step step, void *context, Work work);

/* The columns of a row. gflops < 0: "-"; share: of the machine's peak, with --detail. */
void print_row(const char *name, double median, double least, double gflops, double memory,
               const char *share);

double peak_memory(void); /* since the last row, in MB; 0 where the system is not Linux */
double now(void);         /* seconds, from some start */

/* The machine's own speed with --threads threads: GFLOP/s of float products, by multiply-adds of
 * the kernels' instruction set; GB/s of reading so many bytes. */
double peak_products(void);
double peak_read(double bytes);

/* Settings of this run. */
typedef struct {
    double seconds;
    int threads;
    bool check, detail;
} Settings;
extern Settings settings;

#endif
