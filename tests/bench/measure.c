/* measure.c: measures time and memory of a row and prints its line.
 *
 * The columns are name, median and least milliseconds of a step, GFLOP/s where operations are
 * counted, and peak memory in MB. --detail adds allocations and page faults per step, and the share
 * of the machine's own limit, the larger of two measurements, just before and just after the row,
 * because whatever else the machine does can only make the limit look smaller. A share above 100 is
 * marked with an asterisk: both measurements were disturbed. */
#include "tensor/system/system.h"
#include "tests/bench/bench.h"

#include <stdlib.h>
#include <string.h>

Settings settings = {.seconds = 3, .models = ""};

double now(void)
{
    return 1e-9 * (double)system_clock();
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median_of(double *x, int count)
{
    qsort(x, (size_t)count, sizeof *x, by_size);
    return count % 2 ? x[count / 2] : (x[count / 2 - 1] + x[count / 2]) / 2;
}

Tensor *normal_tensor(Shape shape, uint64_t seed)
{
    Rng r = {.seed = seed};
    Tensor *t = tensor_new(shape);
    for (int64_t i = 0; t && i < tensor_size(t); i++)
        t->data[i] = (real)rng_normal(&r);
    return t;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* On Linux, the system's figure includes the memory of the process before exec; VmHWM does not. */
double peak_memory(void)
{
    double kilobytes = -1;
    char line[256];
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %lf", &kilobytes) == 1)
            break;
    if (f)
        fclose(f);
    if (kilobytes < 0) {
        int64_t peak, faults;
        system_usage(&peak, &faults);
        kilobytes = (double)peak / 1024;
    }
    return kilobytes / 1024;
}

/* Resets the peak before each row, if the system can. */
static void forget_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f) {
        fputs("5", f);
        fclose(f);
    }
}

static int64_t page_faults(void)
{
    int64_t peak, faults;
    system_usage(&peak, &faults);
    return faults;
}

static long allocations;

static void *count_alloc(size_t bytes, void *context)
{
    (void)context;
    allocations++;
    return malloc(bytes);
}

static void count_free(void *block, void *context)
{
    (void)context;
    free(block);
}

/* ---- lines ----------------------------------------------------------------------------------- */

void print_header(void)
{
    printf("name\tmedian_ms\tmin_ms\tgflops\tpeak_rss_mb");
    if (settings.detail) {
        static const TensorAllocator counting = {count_alloc, count_free, NULL};
        tensor_set_allocator(&counting); /* nothing is allocated yet */
        printf("\tallocations\tpage_faults\tpercent_of_peak");
    }
    printf("\n");
}

static void print_columns(const char *name, double median, double least, double gflops)
{
    printf("%s\t%.3f\t%.3f\t", name, median, least);
    printf(gflops < 0 ? "-" : "%.1f", gflops);
    printf("\t%.0f", peak_memory());
}

void print_row(const char *name, double median, double least, double gflops)
{
    print_columns(name, median, least, gflops);
    printf(settings.detail ? "\t-\t-\t-\n" : "\n");
    fflush(stdout);
}

/* The machine's limit for this kind of work, or 0 if it was not requested; `ms` is the time of its
 * measurement. */
static double peak_of(Work work, double *ms)
{
    double start = now(), peak = 0;
    if (settings.detail && work.bound == BOUND_FMA)
        peak = peak_products();
    else if (settings.detail && work.bound == BOUND_READ)
        peak = peak_read(work.different > 0 ? work.different : work.amount);
    *ms = 1e3 * (now() - start);
    return peak;
}

static void print_peak(Work work, double peak, double ms)
{
    if (settings.detail && work.bound != BOUND_NONE)
        print_row(work.bound == BOUND_FMA ? "peak_products" : "peak_read", ms, ms, peak);
}

/* ---- a row ----------------------------------------------------------------------------------- */

typedef struct {
    double *seconds; /* of each step */
    int count;
    double allocations, faults; /* per step */
} Samples;

static Samples repeat(Step step, void *context)
{
    Samples s = {0};
    int capacity = 0;
    step(context);
    step(context);
    long allocated = allocations;
    int64_t faults = page_faults();
    double end = now() + settings.seconds;
    while (s.count < 5 || now() < end) {
        if (s.count == capacity) {
            capacity = capacity ? 2 * capacity : 4096;
            double *grown = realloc(s.seconds, (size_t)capacity * sizeof *grown);
            if (!grown)
                break;
            s.seconds = grown;
        }
        double start = now();
        step(context);
        s.seconds[s.count++] = now() - start;
    }
    s.allocations = (double)(allocations - allocated) / s.count;
    s.faults = (double)(page_faults() - faults) / s.count;
    return s;
}

void measure(const char *name, Step step, void *context, Work work)
{
    double ms, before = peak_of(work, &ms);
    print_peak(work, before, ms);
    forget_peak();
    Samples s = repeat(step, context);
    double median = median_of(s.seconds, s.count), rate = work.amount / median / 1e9;
    double gflops = work.bound == BOUND_FMA && work.amount > 0 ? rate : -1;
    print_columns(name, 1e3 * median, 1e3 * s.seconds[0], gflops);
    double after = peak_of(work, &ms); /* the last column of the row's line */
    if (settings.detail)
        printf("\t%.0f\t%.1f\t", s.allocations, s.faults);
    double percent = 100 * rate / (before > after ? before : after);
    if (settings.detail && work.bound != BOUND_NONE)
        printf("%.0f%s\n", percent, percent > 100.5 ? "*" : "");
    else
        printf(settings.detail ? "-\n" : "\n");
    print_peak(work, after, ms);
    fflush(stdout);
    free(s.seconds);
}
