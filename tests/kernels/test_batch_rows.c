/* test_batch_rows.c: the same row in another batch, in every kernel set.
 *
 * A set may choose its method by the number of rows (kernels/amx/gemm.c: from 26 rows on where n is
 * 512). So the bits of a row may depend on the batch, as in cached decoding beside the full forward
 * pass; but no more than the rounding of floats allows. Two bounds on the difference of two results
 * of one row, both relative to |A||B|:
 *
 *   where sgemm's error e on these matrices is stored: each result is off by at most 2 e (test_exactness.c), so
 *   that two differ by at most 4 e, and not at all where products are exact;
 *
 *   elsewhere: a sum of k products in floats is off by at most LAMBDA sqrt(k) 2^-24, but for a probability of
 *   2 k exp(-LAMBDA^2 / 2) (Higham and Mary, "A new approach to probabilistic rounding error analysis", 2019,
 *   theorem 3.1), and two sums differ by at most twice that. For LAMBDA = 7 and all elements here the probability is
 *   below 1e-3. */
#include "tests/kernels/exactness.h"
#include "tests/kernels/set_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LAMBDA = 7, FEW_ROUNDINGS = 1.5; /* see test_exactness.c */

/* The largest |c - d| / |A||B| of rows 0 to rows - 1 of A; row i of d is row from + i * step of A.
 * In 2^-24. */
static double largest_gap(const Factors *f, const float *c, const float *d, int64_t rows,
                          int64_t from, int64_t step)
{
    double largest = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < f->n; j++) {
            int64_t row = from + i * step;
            double gap = fabs((double)c[row * f->n + j] - (double)d[i * f->n + j]), size = 0;
            if (gap == 0)
                continue;
            for (int64_t l = 0; l < f->k; l++)
                size += fabs((double)f->a[row * f->k + l] * (double)f->b[l * f->n + j]);
            largest = fmax(largest, isnan(gap) ? (double)INFINITY : gap / size);
        }
    return largest * 0x1p24;
}

/* The largest gap between the product of all rows and those of the first m alone, for each m of
 * `batches` below that (0 ends them); and the product of all rows in reverse. */
static double gap_between_batches(const Factors *f, const int64_t *batches)
{
    size_t bytes = (size_t)(f->m * f->n) * sizeof(float);
    float *all = malloc(bytes), *part = malloc(bytes);
    Factors other = *f;
    double largest = 0;
    exactness_multiply(all, f);
    for (; *batches && *batches < f->m; batches++) {
        other.m = *batches;
        exactness_multiply(part, &other);
        largest = fmax(largest, largest_gap(f, all, part, other.m, 0, 1));
    }
    other.m = f->m;
    other.a = malloc((size_t)(f->m * f->k) * sizeof *other.a);
    for (int64_t i = 0; i < f->m; i++)
        memcpy(other.a + i * f->k, f->a + (f->m - 1 - i) * f->k, (size_t)f->k * sizeof *f->a);
    exactness_multiply(part, &other);
    largest = fmax(largest, largest_gap(f, all, part, f->m, f->m - 1, -1));
    free(other.a);
    free(all);
    free(part);
    return largest;
}

/* Every kind of input that test_exactness.c holds to a bound, with outliers among them. With n =
 * 112 the tile unit begins at 31 rows. */
static void known_inputs(void)
{
    static const int64_t batches[] = {1, 30, 31, 70, 0};
    int compared = 0;
    for (int kind = 0; kind < EXACTNESS_KINDS; kind++)
        for (int length = 0; length < 2; length++) {
            Factors f;
            ProductError sgemm = {0, 0};
            if (exactness_promise(kind) == PROMISE_NONE || !exactness_factors(&f, kind, length))
                continue;
            bool exact = exactness_promise(kind) == PROMISE_EXACT;
            CHECK(exact || exactness_sgemm(&sgemm, kind, length), "no figure of sgemm");
            double most = exact ? 0 : 4 * fmax(sgemm.element, FEW_ROUNDINGS);
            double gap = gap_between_batches(&f, batches);
            CHECK(gap <= most,
                  "%s, k %d: the same row differs by %.3g 2^-24; expected at most %.3g",
                  exactness_name(kind), (int)f.k, gap, most);
            free(f.a);
            free(f.b);
            compared++;
        }
    CHECK(compared > 50, "only %d products", compared);
}

/* Normal numbers; every 37th channel of A is `outlier` times larger, and its weights are 0 or as
 * much smaller. */
static Factors with_outliers(int64_t m, int64_t n, int64_t k, double outlier)
{
    Factors f = {m, n, k, malloc((size_t)(m * k) * sizeof(float)),
                 malloc((size_t)(k * n) * sizeof(float))};
    Rng rng = {.seed = (uint64_t)(k + n)};
    for (int64_t i = 0; i < m * k; i++)
        f.a[i] = (float)((double)rng_normal(&rng) * (i % k % 37 == 5 ? outlier : 1));
    for (int64_t i = 0; i < k * n; i++) {
        double weight = (double)rng_normal(&rng);
        f.b[i] = (float)(i / n % 37 != 5 ? weight : i / n % 2 ? 0 : weight / outlier);
    }
    return f;
}

/* Across each threshold of kernels/amx/gemm.c: rows where n is 512 (26) and 96 (32), steps from 24
 * on. */
static void thresholds(void)
{
    static const int64_t lengths[] = {23, 24, 512}, widths[] = {96, 512};
    static const int64_t batches[] = {1, 25, 26, 31, 32, 0};
    static const double outliers[] = {1, 1000};
    for (int l = 0; l < 3; l++)
        for (int w = 0; w < 2; w++)
            for (int o = 0; o < 2; o++) {
                Factors f = with_outliers(40, widths[w], lengths[l], outliers[o]);
                double most = 2 * LAMBDA * sqrt((double)f.k),
                       gap = gap_between_batches(&f, batches);
                CHECK(gap <= most,
                      "k %d, n %d, outliers x%g: the same row differs by %.3g 2^-24; expected at "
                      "most %.3g",
                      (int)f.k, (int)f.n, outliers[o], gap, most);
                free(f.a);
                free(f.b);
            }
}

int main(int argc, char **argv)
{
    static const TestCase cases[] = {
        {"a row differs by the rounding of floats: known inputs", known_inputs},
        {"a row differs by the rounding of floats: across thresholds", thresholds},
        {NULL, NULL},
    };
    return run_in_every_set("batch_rows", cases, argc, argv);
}
