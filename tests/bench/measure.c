/* measure.c: measures time and memory of a row and prints its line.
 *
 * The columns are name, median and least milliseconds of a step, GFLOP/s where operations are
 * counted, and peak memory in MB. --detail adds the share of the machine's own limit, the larger of
 * two measurements, just before and just after the row, because whatever else the machine does can
 * only make the limit look smaller. A share above 100 is marked with an asterisk: both measurements
 * were disturbed. */
#include "plot/system.h"
#include "tensor/system/system.h"
#include "tests/bench/bench.h"

Settings settings = {.seconds = 3};

double now(void)
{
    return 1e-9 * (double)system_clock();
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts x. */
static double median_of(double *x, int count)
{
    qsort(x, (size_t)count, sizeof *x, by_size);
    return count % 2 ? x[count / 2] : (x[count / 2 - 1] + x[count / 2]) / 2;
}

/* On Linux, the system's figure includes the memory of the process before exec; VmHWM does not. */
double peak_memory(void)
{
    double kilobytes = (double)system_peak_memory() / 1024;
    char line[256];
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %lf", &kilobytes) == 1)
            break;
    if (f)
        fclose(f);
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

void print_row(const char *name, double median, double least, double gflops, double memory,
               const char *share)
{
    printf("%s\t%.3f\t%.3f\t", name, median, least);
    printf(gflops < 0 ? "-" : "%.1f", gflops);
    printf("\t%.0f%s%s\n", memory, settings.detail ? "\t" : "", settings.detail ? share : "");
    fflush(stdout);
}

/* The machine's limit for this kind of work, or 0 if it was not requested. */
static double peak_of(Work work)
{
    if (!settings.detail || work.bound == BOUND_NONE)
        return 0;
    return work.bound == BOUND_FMA ? peak_products() : peak_read(work.different);
}

/* The seconds of each step, which the caller frees. */
static double *repeat(Step step, void *context, int *count)
{
    double *seconds = NULL, end;
    step(context);
    step(context);
    for (end = now() + settings.seconds, *count = 0; *count < 5 || now() < end; ++*count) {
        if (*count % 4096 == 0) {
            double *grown = realloc(seconds, (size_t)(*count + 4096) * sizeof *grown);
            if (!grown)
                break;
            seconds = grown;
        }
        double start = now();
        step(context);
        seconds[*count] = now() - start;
    }
    return seconds;
}

void measure(const char *name, Step step, void *context, Work work)
{
    int count;
    char share[16] = "-";
    double before = peak_of(work);
    forget_peak();
    double *seconds = repeat(step, context, &count);
    double memory = peak_memory(), median = median_of(seconds, count),
           rate = work.amount / median / 1e9;
    double after = peak_of(work), percent = 100 * rate / (before > after ? before : after);
    if (work.bound != BOUND_NONE)
        snprintf(share, sizeof share, "%.0f%s", percent, percent > 100.5 ? "*" : "");
    print_row(name, 1e3 * median, 1e3 * seconds[0], work.bound == BOUND_FMA ? rate : -1, memory,
              share);
    free(seconds);
}
