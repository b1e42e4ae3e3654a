/* bench.h: what the files of the benchmark share.
 *
 * A row is a name, the function that runs it, and its sizes. The tables of rows stand in the file
 * of their subject: ops.c, train.c, decode.c, pretrained.c, limits.c. measure() times all of them:
 * it repeats a step for --seconds and prints one line. */
#ifndef GRADUS_BENCH_H
#define GRADUS_BENCH_H

#include "gradus.h"

#include <string.h>

enum { SIZES = 7 };

typedef struct Row {
    const char *name;
    void (*run)(const struct Row *row);
    int size[SIZES]; /* their meaning depends on the table                         */
    bool named_only; /* runs only if --only names it: it is long, or has no peer   */
} Row;

/* A row without a name ends each table. */
extern const Row op_rows[], train_rows[], decode_rows[], named_train_rows[], folder_rows[],
    limit_rows[];

/* The limit of a row: arithmetic or memory. */
typedef enum { BOUND_NONE, BOUND_FMA, BOUND_READ } Bound;

/* The work of one step: floating-point operations, or bytes read (0: not counted). The speed of
 * reading depends on the number of different bytes, since caches are faster than memory (0: as many
 * as are read). */
typedef struct {
    Bound bound;
    double amount, different;
} Work;

typedef void (*Step)(void *context);

/* Runs two steps, then steps until --seconds have passed and there were five, and prints the
 * row. */
void measure(const char *name, Step step, void *context, Work work);

/* The columns of a row that is not timed by measure(). gflops < 0: "-". */
void print_row(const char *name, double median, double least, double gflops);
void print_header(void);

double now(void);                       /* seconds, from some start */
double median_of(double *x, int count); /* sorts x */
double peak_memory(void);               /* the most this process had in memory, MB */

/* The machine's own speed with --threads threads: GFLOP/s of float products, by multiply-adds of
 * the kernels' instruction set; GB/s of reading so many bytes. */
double peak_products(void);
double peak_read(double bytes);

/* Settings of this run. */
typedef struct {
    double seconds;
    int threads;
    bool check, detail;
    const char *models; /* the folder of the pretrained models, or "" */
    int size[3];        /* of train_grow: tokens, channels, batch */
    const char *program;
} Settings;
extern Settings settings;

/* Numbers from the normal distribution in a tensor of its own. */
Tensor *normal_tensor(Shape shape, uint64_t seed);

/* The first loss of a transformer, in a process that has just started: see limits.c. */
void first_loss(void);
void print_import(void);

#endif
