/* test_long_products.c: sums of many products, in every kernel set: the bound of their error,
 * denormal numbers and numbers that are not finite among them; sums of squares; and the search for
 * the first number that is not finite. The oracle is double. */
#include "tests/kernels/matrices.h"
#include "tests/kernels/set_cases.h"

#include <string.h>

enum { M = 72, N = 100, K = 900, FORMS = 4 };

static const char *const forms[FORMS] = {"both by rows", "A by columns", "B by columns",
                                         "both by columns"};

/* A product of k steps: each operand by rows or by columns, and what C starts from. */
typedef struct {
    Matrix a, b, c;
    Start start;
} Product;

static Product product_of(int form, int64_t k, Start start)
{
    return (Product){matrix(M, k, form & 1 ? COLUMNS : ROWS),
                     matrix(k, N, form & 2 ? COLUMNS : ROWS), matrix(M, N, ROWS), start};
}

static void product_free(Product *p)
{
    free(p->a.block);
    free(p->b.block);
    free(p->c.block);
}

static real start_of(Start start, int64_t j)
{
    return start == NOTHING ? 0 : (real)(j + 1) / 3;
}

static void compute(Product *p)
{
    real bias[N];
    for (int64_t j = 0; j < N; j++)
        bias[j] = start_of(BIAS, j);
    for (int64_t i = 0; i < M * N; i++)
        p->c.block[i] = p->start == ITSELF ? bias[i % N] : (real)NAN;
    multiply(&p->a, &p->b, &p->c, p->start, bias);
}

/* Numbers between -1 and 1; row i of A and column j of B times a power of two of their own,
 * `spread` at most up or down. */
static void fill(Product *p, int spread)
{
    const int64_t k = p->a.columns;
    Rng rng = {.seed = (uint64_t)k};
    for (int64_t l = 0; l < k; l++) {
        for (int64_t i = 0; i < M; i++)
            *at(&p->a, i, l) =
                (real)ldexp(2 * rng_uniform(&rng) - 1, (int)(i * 37 % (2 * spread + 1)) - spread);
        for (int64_t j = 0; j < N; j++)
            *at(&p->b, l, j) =
                (real)ldexp(2 * rng_uniform(&rng) - 1, (int)(j * 37 % (2 * spread + 1)) - spread);
    }
}

/* Element by element at most `most` 2^-24 |A||B|, and a rounding of the start: k roundings of a sum
 * of floats. */
static void check_bound(const Product *p, const char *form)
{
    const int64_t k = p->a.columns;
    const double most = (double)k;
    int wrong = 0;
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < N; j++) {
            double sum = (double)start_of(p->start, j), bound = 2 * sum;
            for (int64_t l = 0; l < k; l++) {
                const double product = (double)*at(&p->a, i, l) * (double)*at(&p->b, l, j);
                sum += product;
                bound += most * fabs(product);
            }
            wrong += !(fabs((double)*at(&p->c, i, j) - sum) <= bound * 0x1p-24);
        }
    CHECK(wrong == 0, "%s, %d steps: %d elements are off by more than %.0f 2^-24 |A||B|", form,
          (int)k, wrong, most);
}

static void errors_are_bounded(void)
{
    static const int64_t lengths[] = {24, 33, 128, 129, K};
    for (int form = 0; form < FORMS; form++)
        for (int i = 0; i < 5; i++) {
            Product p = product_of(form, lengths[i], (Start)((form + i) % STARTS));
            fill(&p, p.start == NOTHING ? 40 : 0);
            compute(&p);
            check_bound(&p, forms[form]);
            product_free(&p);
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
        Product p = product_of(form % FORMS, 600, (Start)(form / FORMS));
        const Matrix *a = &p.a, *b = &p.b;
        fill(&p, 0);
        for (int64_t j = 0; j < N; j += 2)
            *at(b, 3, j) = *at(b, 590, j) = 0;
        compute(&p);
        memcpy(before, p.c.block, sizeof before);
        *at(a, 3, 590) = *at(a, 5, 500) = (real)INFINITY;
        *at(a, 20, 599) = (real)NAN;
        *at(a, 40, 3) = (real)0x1.fffffep127;
        *at(a, 41, 5) = (real)0x1p100;
        *at(b, 500, 70) = *at(b, 7, 71) = -(real)INFINITY;
        *at(b, 7, 80) = (real)0x1p100;
        compute(&p);
        int wrong = 0, changed = 0;
        for (int64_t i = 0; i < M; i++)
            for (int64_t j = 0; j < N; j++) {
                double sum = (double)start_of(p.start, j);
                for (int64_t l = 0; l < a->columns; l++)
                    sum += (double)*at(a, i, l) * (double)*at(b, l, j);
                const real got = *at(&p.c, i, j), want = (real)sum;
                const bool met = i == 3 || i == 5 || i == 20 || i == 40 || i == 41 || j == 70 ||
                                 j == 71 || j == 80;
                changed += !met && got != before[i * N + j];
                wrong += kind_of(got) != kind_of(want);
                wrong += kind_of(want) == 0 && fabs((double)got - sum) > 1e-5 * fabs(sum) + 1e-3;
            }
        CHECK(wrong == 0, "form %d: %d elements are not what they should be", form, wrong);
        CHECK(changed == 0, "form %d: %d elements that met nothing changed", form, changed);
        product_free(&p);
    }
}

/* The smallest normal float and a denormal one keep their values. */
static void denormal_numbers(void)
{
    enum { STEPS = 48 };
    Product p = product_of(0, STEPS, NOTHING);
    const real denormal = (real)(0x1p-126 - 0x1p-133);
    memset(p.a.block, 0, M * STEPS * sizeof(real));
    for (int64_t i = 0; i < M; i++)
        *at(&p.a, i, i % STEPS) = i % 2 == 0 ? (real)0x1p-126 : denormal;
    for (int64_t i = 0; i < STEPS * N; i++)
        p.b.block[i] = (real)0x1p100;
    compute(&p);
    for (int64_t i = 0; i < M; i++) {
        const double want = i % 2 == 0 ? 0x1p-26 : (double)denormal * 0x1p100;
        CHECK((double)*at(&p.c, i, 0) == want, "row %d: %g; expected %g", (int)i,
              (double)*at(&p.c, i, 0), want);
    }
    product_free(&p);
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

/* ---- what is not finite ---------------------------------------------------------------------- */

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

int main(int argc, char **argv)
{
    static const TestCase cases[] = {
        {"denormal numbers", denormal_numbers},
        {"squares keep their range", squares_keep_their_range},
        {"the first bad number is found", the_first_bad_number_is_found},
        {"errors are within the bound", errors_are_bounded},
        {"rows that are not finite do not change others", rows_that_are_not_finite_stay_apart},
        {NULL, NULL},
    };
    return run_in_every_set("long_products", cases, argc, argv);
}
