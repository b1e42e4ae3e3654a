/* test_precision.c: products in every kernel set keep all 24 bits of a float, infinities and NaN.
 *
 * A product with the identity must be the matrix itself bit by bit. Sums of squares keep their
 * bits, too. */
#include "tests/kernels/set_cases.h"
#include "tensor/kernels/kernels.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { M = 48, N = 72, K = 48 };

static unsigned char scratch[2 * KERNEL_SCRATCH_BYTES] __attribute__((aligned(64)));
static real a[M * K], b[K * N], c[M * N], at[K * M], bt[N * K];

/* A number with all its bits in use, from 2^-`below` up to 2^`above`, of either sign. */
static real any_number(Rng *rng, int below, int above)
{
    double exponent = (double)rng_uniform(rng) * (below + above) - below;
    double sign = rng_uniform(rng) < (real)0.5 ? -1 : 1;
    return (real)(sign * exp2(exponent) * (1 + (double)rng_uniform(rng)));
}

/* C = A B, `form` saying which of them is read from its transpose. */
static void multiply(int form)
{
    for (int l = 0; l < K; l++)
        for (int i = 0; i < M; i++)
            at[l * M + i] = a[i * K + l];
    for (int j = 0; j < N; j++)
        for (int l = 0; l < K; l++)
            bt[j * K + l] = b[l * N + j];
    bool a_transposed = form & 1, b_transposed = form & 2;
    Gemm g = {.m = M,
              .n = N,
              .k = K,
              .a = a_transposed ? at : a,
              .a_row = a_transposed ? 1 : K,
              .a_column = a_transposed ? M : 1,
              .b = b_transposed ? bt : b,
              .b_row = b_transposed ? 1 : N,
              .b_column = b_transposed ? K : 1,
              .c = c,
              .c_row = N,
              .c_column = 1,
              .scratch = {scratch, 2}};
    kernels->gemm(&g);
}

static void identity_keeps_all_bits(void)
{
    Rng rng = {.seed = 1};
    for (int form = 0; form < 4; form++) {
        int wrong = 0;
        for (int i = 0; i < M * K; i++)
            a[i] = any_number(&rng, 40, 40);
        for (int i = 0; i < K * N; i++)
            b[i] = i / N == i % N ? 1 : 0;
        multiply(form);
        for (int i = 0; i < M * N; i++)
            wrong += c[i] != (i % N < K ? a[i / N * K + i % N] : 0);
        CHECK(wrong == 0, "A times 1, form %d: %d of %d elements changed", form, wrong, M * N);
        wrong = 0;
        for (int i = 0; i < M * K; i++)
            a[i] = i / K == i % K ? 1 : 0;
        for (int i = 0; i < K * N; i++)
            b[i] = any_number(&rng, 40, 40);
        multiply(form);
        for (int i = 0; i < M * N; i++)
            wrong += c[i] != b[i];
        CHECK(wrong == 0, "1 times B, form %d: %d of %d elements changed", form, wrong, M * N);
    }
}

/* The largest |C - AB| over sum |a||b|, with AB in double. */
static double largest_error(void)
{
    double largest = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0, weight = 0;
            for (int l = 0; l < K; l++) {
                double product = (double)a[i * K + l] * (double)b[l * N + j];
                sum += product;
                weight += fabs(product);
            }
            double error = fabs((double)c[i * N + j] - sum) / weight;
            largest = larger_or_nan(largest, error);
        }
    return largest;
}

/* 48 additions, each rounded by at most 2^-24 of what is there: 2^-21 is eight of them all one way,
 * at full weight. */
static void sums_are_as_exact_as_floats(void)
{
    Rng rng = {.seed = 2};
    for (int form = 0; form < 4; form++) {
        for (int i = 0; i < M * K; i++)
            a[i] = any_number(&rng, 2, 2);
        for (int i = 0; i < K * N; i++)
            b[i] = any_number(&rng, 2, 2);
        multiply(form);
        double error = largest_error();
        CHECK(error < 0x1p-21, "form %d: relative error 2^%.1f", form, log2(error));
    }
}

/* Numbers around 2^-103, and far below 2^-126, where products are denormal. 2^-21 is explained
 * above. */
static void small_numbers_lose_little(void)
{
    Rng rng = {.seed = 3};
    for (int form = 0; form < 8; form++) {
        const bool rows = form < 4;
        int wrong = 0;
        for (int i = 0; i < M * K; i++)
            a[i] = rows ? any_number(&rng, 140, -90) : any_number(&rng, 4, 4);
        for (int i = 0; i < K * N; i++)
            b[i] = rows ? any_number(&rng, 4, 4) : any_number(&rng, 140, -90);
        multiply(form % 4);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                double sum = 0, bound = 0;
                for (int l = 0; l < K; l++) {
                    const double x = (double)a[i * K + l], y = (double)b[l * N + j];
                    sum += x * y;
                    bound += 0x1p-21 * fabs(x * y) + 0x1p-125 * (fabs(x) + fabs(y) + 4);
                }
                wrong += !(fabs((double)c[i * N + j] - sum) <= bound);
            }
        CHECK(wrong == 0, "form %d: %d of %d elements are off by more than stated", form, wrong,
              M * N);
    }
}

/* The smallest normal float and a denormal one keep their values. */
static void denormal_numbers(void)
{
    const real denormal = (real)(0x1p-126 - 0x1p-133);
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    for (int i = 0; i < M; i++)
        a[i * K + i % K] = i % 2 == 0 ? (real)0x1p-126 : denormal;
    for (int l = 0; l < K; l++)
        for (int j = 0; j < N; j++)
            b[l * N + j] = (real)0x1p100;
    multiply(0);
    for (int i = 0; i < M; i++) {
        const double want = i % 2 == 0 ? 0x1p-26 : (double)denormal * 0x1p100;
        CHECK((double)c[i * N] == want, "row %d: %g; expected %g", i, (double)c[i * N], want);
    }
}

/* -1: NaN, 0: finite, 1 and 2: infinity and its negative. */
static int kind_of(real x)
{
    return isnan(x) ? -1 : !isinf(x) ? 0 : x > 0 ? 1 : 2;
}

/* Row 3 meets an infinity, row 40 the largest float, row 20 a NaN, row 30 a NaN whose
 * upper 16 bits are those of an infinity; column 70 an infinity of the other sign, and zeros. Row
 * 41 has a number near the largest, times 1. */
static void infinities_stay(void)
{
    for (int i = 0; i < M * K; i++)
        a[i] = (real)(i % 7 - 3);
    for (int i = 0; i < K * N; i++)
        b[i] = (real)(i % 5 - 2);
    for (int j = 0; j < N; j++)
        b[j] = (real)(j % 3 - 1);
    a[3 * K + 5] = (real)INFINITY;
    a[20 * K + 47] = (real)NAN;
    a[40 * K] = (real)FLT_MAX;
    memcpy(&a[30 * K + 11], &(uint32_t){0x7f800001}, sizeof *a);
    for (int l = 0; l < K; l++)
        a[41 * K + l] = l == 1 ? (real)0x1.ff8p127 : 0;
    for (int form = 0; form < 8; form++) {
        b[33 * N + 70] = form < 4 ? -(real)INFINITY : 1; /* the last four have them in A alone */
        multiply(form % 4);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                double sum = 0;
                for (int l = 0; l < K; l++)
                    sum += (double)a[i * K + l] * (double)b[l * N + j];
                real want = (real)sum;
                bool right = kind_of(c[i * N + j]) == kind_of(want) &&
                             (kind_of(want) != 0 || i == 40 || c[i * N + j] == want);
                if (!right)
                    CHECK(right, "form %d, (%d, %d): %g, expected %g", form, i, j,
                          (double)c[i * N + j], (double)want);
            }
    }
    CHECK(isinf(c[3 * N]) && isnan(c[20 * N]), "the infinity came through");
}

/* 0^2 + 1^2 + .. is known exactly, and a double keeps it; squares of 3e30 no float keeps. */
static void squares_keep_their_range(void)
{
    static real x[70001];
    const int64_t lengths[] = {0, 1, 31, 32, 33, 1000, 1055, 70001};
    for (int i = 0; i < 70001; i++)
        x[i] = (real)i;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        double n = (double)lengths[k];
        CHECK_CLOSE(kernels->squares(x, lengths[k]), (n - 1) * n * (2 * n - 1) / 6, 0);
    }
    x[70000] = (real)3e30;
    CHECK_CLOSE(kernels->squares(x, 70001), (double)x[70000] * (double)x[70000], 1e-12 * 9e60);
    x[3] = (real)NAN;
    CHECK(isnan(kernels->squares(x, 70001)), "a NaN was passed over");
}

int main(int argc, char **argv)
{
    static const TestCase cases[] = {
        {"the identity keeps all bits", identity_keeps_all_bits},
        {"sums are as exact as floats", sums_are_as_exact_as_floats},
        {"small numbers lose as little as stated", small_numbers_lose_little},
        {"denormal numbers", denormal_numbers},
        {"infinities stay", infinities_stay},
        {"squares keep their range", squares_keep_their_range},
        {NULL, NULL},
    };
    return run_in_every_set("precision", cases, argc, argv);
}
