/* test_long_products.c: sums of many products, in every kernel set: the bound of their error,
 * denormal numbers and numbers that are not finite among them; and sums of squares. The oracle is
 * double. */
#include "tests/kernels/set_cases.h"
#include "tensor/kernels/kernels.h"

#include <math.h>
#include <string.h>

enum { M = 72, N = 100, K = 900 };

static unsigned char scratch[2 * KERNEL_SCRATCH_BYTES] __attribute__((aligned(64)));
static real a[M * K], b[K * N], c[M * N];

/* Where A's and B's elements stand: by rows, or by columns. */
typedef struct {
    int64_t k, a_row, a_column, b_row, b_column;
} Form;

enum { FORMS = 4 };

static Form form_of(int form, int64_t k)
{
    Form f = {k, k, 1, N, 1};
    if (form & 1)
        f.a_row = 1, f.a_column = M;
    if (form & 2)
        f.b_row = 1, f.b_column = k;
    return f;
}

static real *a_at(Form f, int64_t i, int64_t l)
{
    return a + i * f.a_row + l * f.a_column;
}

static real *b_at(Form f, int64_t l, int64_t j)
{
    return b + l * f.b_row + j * f.b_column;
}

/* What C starts from. */
typedef enum { ZEROS, BIAS, ADDED, STARTS } Start;

static real start_of(Start start, int64_t j)
{
    return start == ZEROS ? 0 : (real)(j + 1) / 3;
}

/* C = A B, C = A B + bias, or C += A B. */
static void multiply(Form f, Start start)
{
    real bias[N];
    for (int64_t j = 0; j < N; j++)
        bias[j] = start_of(start, j);
    for (int64_t i = 0; i < M * N; i++)
        c[i] = start == ADDED ? bias[i % N] : (real)NAN;
    Gemm g = {.m = M,
              .n = N,
              .k = f.k,
              .a = a,
              .a_row = f.a_row,
              .a_column = f.a_column,
              .b = b,
              .b_row = f.b_row,
              .b_column = f.b_column,
              .c = c,
              .c_row = N,
              .c_column = 1,
              .bias = start == BIAS ? bias : NULL,
              .add = start == ADDED,
              .scratch = {scratch, 2}};
    kernels->gemm(&g);
}

/* Numbers between -1 and 1; row i of A and column j of B times a power of two of their own,
 * `spread` at most up or down. */
static void fill(Form f, int spread)
{
    Rng rng = {.seed = (uint64_t)f.k};
    for (int64_t l = 0; l < f.k; l++) {
        for (int64_t i = 0; i < M; i++)
            *a_at(f, i, l) =
                (real)ldexp(2 * rng_uniform(&rng) - 1, (int)(i * 37 % (2 * spread + 1)) - spread);
        for (int64_t j = 0; j < N; j++)
            *b_at(f, l, j) =
                (real)ldexp(2 * rng_uniform(&rng) - 1, (int)(j * 37 % (2 * spread + 1)) - spread);
    }
}

/* Element by element at most `most` 2^-24 |A||B|, and a rounding of the start: k roundings of a sum
 * of floats. */
static void check_bound(Form f, Start start, const char *form)
{
    const double most = (double)f.k;
    int wrong = 0;
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < N; j++) {
            double sum = (double)start_of(start, j), bound = 2 * sum;
            for (int64_t l = 0; l < f.k; l++) {
                const double product = (double)*a_at(f, i, l) * (double)*b_at(f, l, j);
                sum += product;
                bound += most * fabs(product);
            }
            wrong += !(fabs((double)c[i * N + j] - sum) <= bound * 0x1p-24);
        }
    CHECK(wrong == 0, "%s, %d steps: %d elements are off by more than %.0f 2^-24 |A||B|", form,
          (int)f.k, wrong, most);
}

static void errors_are_bounded(void)
{
    static const char *const forms[FORMS] = {"both by rows", "A by columns", "B by columns",
                                             "both by columns"};
    static const int64_t lengths[] = {24, 33, 128, 129, K};
    for (int form = 0; form < FORMS; form++)
        for (int i = 0; i < 5; i++) {
            Form f = form_of(form, lengths[i]);
            const Start start = (Start)((form + i) % STARTS);
            fill(f, start == ZEROS ? 40 : 0);
            multiply(f, start);
            check_bound(f, start, forms[form]);
        }
}

/* -1: NaN, 0: finite, 1 and 2: infinity and its negative. */
static int kind_of(real x)
{
    return isnan(x) ? -1 : !isinf(x) ? 0 : x > 0 ? 1 : 2;
}

/* Rows with infinities, a NaN, the largest float and 2^100; columns with infinities and zeros. They
 * stand in several blocks of steps. What meets none of them is as it was. */
static void rows_that_are_not_finite_stay_apart(void)
{
    static real before[M * N];
    for (int form = 0; form < FORMS * STARTS; form++) {
        const Form f = form_of(form % FORMS, 600);
        const Start start = (Start)(form / FORMS);
        fill(f, 0);
        for (int64_t j = 0; j < N; j += 2)
            *b_at(f, 3, j) = *b_at(f, 590, j) = 0;
        multiply(f, start);
        memcpy(before, c, sizeof before);
        *a_at(f, 3, 590) = *a_at(f, 5, 500) = (real)INFINITY;
        *a_at(f, 20, 599) = (real)NAN;
        *a_at(f, 40, 3) = (real)0x1.fffffep127;
        *a_at(f, 41, 5) = (real)0x1p100;
        *b_at(f, 500, 70) = *b_at(f, 7, 71) = -(real)INFINITY;
        *b_at(f, 7, 80) = (real)0x1p100;
        multiply(f, start);
        int wrong = 0, changed = 0;
        for (int64_t i = 0; i < M; i++)
            for (int64_t j = 0; j < N; j++) {
                double sum = (double)start_of(start, j);
                for (int64_t l = 0; l < f.k; l++)
                    sum += (double)*a_at(f, i, l) * (double)*b_at(f, l, j);
                const real got = c[i * N + j], want = (real)sum;
                const bool met = i == 3 || i == 5 || i == 20 || i == 40 || i == 41 || j == 70 ||
                                 j == 71 || j == 80;
                changed += !met && got != before[i * N + j];
                wrong += kind_of(got) != kind_of(want);
                wrong += kind_of(want) == 0 && fabs((double)got - sum) > 1e-5 * fabs(sum) + 1e-3;
            }
        CHECK(wrong == 0, "form %d: %d elements are not what they should be", form, wrong);
        CHECK(changed == 0, "form %d: %d elements that met nothing changed", form, changed);
    }
}

/* The smallest normal float and a denormal one keep their values. */
static void denormal_numbers(void)
{
    const Form f = form_of(0, 48);
    const real denormal = (real)(0x1p-126 - 0x1p-133);
    memset(a, 0, sizeof a);
    for (int64_t i = 0; i < M; i++)
        *a_at(f, i, i % f.k) = i % 2 == 0 ? (real)0x1p-126 : denormal;
    for (int64_t l = 0; l < f.k; l++)
        for (int64_t j = 0; j < N; j++)
            *b_at(f, l, j) = (real)0x1p100;
    multiply(f, ZEROS);
    for (int64_t i = 0; i < M; i++) {
        const double want = i % 2 == 0 ? 0x1p-26 : (double)denormal * 0x1p100;
        CHECK((double)c[i * N] == want, "row %d: %g; expected %g", (int)i, (double)c[i * N], want);
    }
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
        {"denormal numbers", denormal_numbers},
        {"squares keep their range", squares_keep_their_range},
        {"errors are within the bound", errors_are_bounded},
        {"rows that are not finite do not change others", rows_that_are_not_finite_stay_apart},
        {NULL, NULL},
    };
    return run_in_every_set("long_products", cases, argc, argv);
}
