/* test_finite.c: what the watch asks of every set of kernels: where is the first number that is
 * none? */
#include "tests/harness/runner.h"
#include "tests/kernels/kernel_sets.h"

#include "tensor/kernels/kernels.h"

#include <math.h>
#include <stdlib.h>

enum { LONGEST = 200001 }; /* enough for several threads */

static const char *const sets[] = {"ref", "base", "avx2", "avx512", "amx"};

/* One bad number at each place of interest, around the ends of lanes and of blocks of 1024. */
static void check_set(const real *bad, int count)
{
    static const int lengths[] = {1, 15, 16, 17, 1023, 1024, 1025, 2048, 2100, LONGEST};
    real *x = calloc(LONGEST, sizeof *x);
    for (int i = 0; i < LONGEST; i++)
        x[i] = (real)(i % 2 ? -3e38 : 1e-40); /* large and denormal numbers are numbers */
    CHECK(kernels->finite(x, 0) == 0, "of nothing: %d", (int)kernels->finite(x, 0));
    for (int n = 0; n < (int)(sizeof lengths / sizeof *lengths); n++) {
        int length = lengths[n];
        CHECK(kernels->finite(x, length) == length, "%s, %d good numbers", tensor_kernels(),
              length);
        for (int b = 0; b < count; b++)
            for (int at = 0; at < length; at += at < 20 || at > length - 4 ? 1 : 1 + length / 7) {
                real kept = x[at];
                x[at] = bad[b];
                CHECK(kernels->finite(x, length) == at, "%s, %d numbers, %g at %d: found at %d",
                      tensor_kernels(), length, (double)bad[b], at,
                      (int)kernels->finite(x, length));
                x[at] = kept;
            }
    }
    free(x);
}

static void the_first_bad_number_is_found(void)
{
    const real bad[] = {(real)NAN, (real)INFINITY, (real)-INFINITY};
    char before[16];
    snprintf(before, sizeof before, "%s", tensor_kernels());
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (use_kernel_set(sets[i]))
            check_set(bad, 3);
    tensor_clear_error();
    use_kernel_set(before);
}

static const TestCase cases[] = {
    {"the first bad number is found", the_first_bad_number_is_found},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("finite", cases, argc, argv);
}
