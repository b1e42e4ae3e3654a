/* test_schedules.c: learning rates against PyTorch's OneCycleLR, and at the ends of their formulas.
 * */
#include "tests/harness/oracle.h"
#include "tests/harness/test.h"

#include "nn/nn.h"

#include <math.h>

TEST(one_cycle_is_pytorch)
{
    Safetensors golden;
    REQUIRE(oracle_open(&golden, "modules.safetensors"), "%s", tensor_error());
    static const int totals[] = {2, 10, 100, 101};
    for (int i = 0; i < 4; i++) {
        int total = totals[i];
        const Tensor *want = oracle_find(&golden, "one_cycle.%d", total);
        REQUIRE(want && tensor_size(want) == total, "no oracle for %d steps", total);
        for (int step = 0; step < total; step++) /* the file keeps floats: half a unit of 0.5 */
            CHECK(fabs(nn_one_cycle(step, total, 0.5) - want->data[step]) <= 3e-8,
                  "step %d of %d: %.9g, not %.9g", step, total, nn_one_cycle(step, total, 0.5),
                  (double)want->data[step]);
    }
    safetensors_free(&golden);
    CHECK_CLOSE(nn_one_cycle(5000, 100, 1), 1 / 250e3, 0); /* it ends where PyTorch stops */
    CHECK_CLOSE(nn_one_cycle(0, 1, 1), 1 / 250e3, 0);
}

/* d^-1/2 min(n^-1/2, n w^-3/2): a line to n = w, then the inverse root. */
TEST(noam_is_its_formula)
{
    const double top = 1 / sqrt(512. * 4000); /* at n = w both are w^-1/2 */
    CHECK_CLOSE(nn_noam(3999, 512, 4000, 1), top, 1e-15);
    CHECK_CLOSE(nn_noam(0, 512, 4000, 1), top / 4000, 1e-18);
    CHECK_CLOSE(nn_noam(1999, 512, 4000, 1), top / 2, 1e-15);
    CHECK_CLOSE(nn_noam(15999, 512, 4000, 1), top / 2, 1e-15);
    CHECK_CLOSE(nn_noam(3999, 512, 4000, 2), 2 * top, 1e-15);
    CHECK_CLOSE(nn_noam(3, 4, 0, 1), 0.25, 1e-15); /* without a warm-up: 1/2 times 1/2 */
}

/* Up by 0.2 a step, then down a half cosine or a line. */
TEST(warmup_and_a_fall)
{
    static const struct {
        int64_t step;
        double cosine, linear;
    } corners[] = {{0, 0.2, 0.2},
                   {4, 1, 1},
                   {9, 2, 2},
                   {10, 2, 2},
                   {35, 1.25 + 0.75 * M_SQRT1_2, 1.625},
                   {60, 1.25, 1.25},
                   {85, 1.25 - 0.75 * M_SQRT1_2, 0.875},
                   {110, 0.5, 0.5},
                   {111, 0.5, 0.5},
                   {1000000, 0.5, 0.5}};
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++) {
        CHECK_CLOSE(nn_warmup_cosine(corners[i].step, 10, 110, 2, 0.5), corners[i].cosine, 1e-14);
        CHECK_CLOSE(nn_warmup_linear(corners[i].step, 10, 110, 2, 0.5), corners[i].linear, 1e-14);
    }
    double (*const kinds[])(int64_t, int64_t, int64_t, double, double) = {(nn_warmup_cosine),
                                                                          (nn_warmup_linear)};
    for (int i = 0; i < 2; i++) {
        CHECK_CLOSE(kinds[i](0, 0, 10, 3, 0), 3, 0);  /* without a warm-up */
        CHECK_CLOSE(kinds[i](5, 0, 0, 3, 1), 1, 0);   /* without anything  */
        CHECK_CLOSE(kinds[i](9, 10, 10, 3, 1), 3, 0); /* a warm-up alone   */
        CHECK_CLOSE(kinds[i](10, 10, 10, 3, 1), 1, 0);
        /* Half-way from -2^63 to 2^63 - 1: no difference of these numbers fits into 64 bits. */
        CHECK_CLOSE(kinds[i](0, INT64_MIN, INT64_MAX, 1, 0), 0.5, 1e-14);
    }
}
