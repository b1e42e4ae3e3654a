/* test_finite.c: what the watch asks of every set of kernels: where is the first number that is
 * none? */
#include "tests/kernels/set_cases.h"

#include "tensor/kernels/kernels.h"

#include <math.h>
#include <stdlib.h>

enum { LONGEST = 200001 }; /* enough for several threads */

/* One bad number at each place of interest, around the ends of lanes and of blocks of 1024. */
static void the_first_bad_number_is_found(void)
{
    enum { COUNT = 3 };
    static const real bad[COUNT] = {(real)NAN, (real)INFINITY, (real)-INFINITY};
    static const int lengths[] = {1, 15, 16, 17, 1023, 1024, 1025, 2048, 2100, LONGEST};
    real *x = calloc(LONGEST, sizeof *x);
    for (int i = 0; i < LONGEST; i++)
        x[i] = (real)(i % 2 ? -3e38 : 1e-40); /* large and denormal numbers are numbers */
    CHECK(kernels->finite(x, 0) == 0, "of nothing: %d", (int)kernels->finite(x, 0));
    for (int n = 0; n < (int)(sizeof lengths / sizeof *lengths); n++) {
        int length = lengths[n];
        CHECK(kernels->finite(x, length) == length, "%s, %d good numbers", tensor_kernels(),
              length);
        for (int b = 0; b < COUNT; b++)
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

static const TestCase cases[] = {
    {"the first bad number is found", the_first_bad_number_is_found},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_in_every_set("finite", cases, argc, argv);
}
