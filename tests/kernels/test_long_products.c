/* test_long_products.c: the error of sums of many products, in every kernel set, beside that of consecutive float sums.
 *
 * A set may slice rows into int8, scaled by their absolute maxima (kernels/amx/tile_int8.h). The oracle is double. An
 * error is the root mean square over all elements of a product, each divided by the absolute maximum of its row times
 * that of its column, whatever powers of two these were multiplied by. */
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

/* C = A B + bias, or C += A B; bias may be NULL. */
static void multiply_from(Form f, const real *bias, bool add)
{
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
              .bias = bias,
              .add = add,
              .scratch = {scratch, 2}};
    kernels->gemm(&g);
}

static void multiply(Form f)
{
    multiply_from(f, NULL, false);
}

/* The powers of two by which row i of A and column j of B are multiplied: `spread` at most, up or down. */
static int power(int64_t row, int spread)
{
    return spread == 0 ? 0 : (int)(row * 37 % (2 * spread + 1)) - spread;
}

static void fill(Form f, double (*number)(Rng *), int spread)
{
    Rng rng = {.seed = (uint64_t)f.k};
    for (int64_t l = 0; l < f.k; l++) {
        for (int64_t i = 0; i < M; i++)
            *a_at(f, i, l) = (real)ldexp(number(&rng), power(i, spread));
        for (int64_t j = 0; j < N; j++)
            *b_at(f, l, j) = (real)ldexp(number(&rng), power(j, spread));
    }
}

/* The errors of the products, in 2^-24, and those of sums of floats in a row. */
typedef struct {
    double ours, floats;
} Errors;

static Errors errors(Form f)
{
    double ours = 0, floats = 0, high[M] = {0}, wide[N] = {0};
    for (int64_t l = 0; l < f.k; l++) {
        for (int64_t i = 0; i < M; i++)
            high[i] = fmax(high[i], fabs((double)*a_at(f, i, l)));
        for (int64_t j = 0; j < N; j++)
            wide[j] = fmax(wide[j], fabs((double)*b_at(f, l, j)));
    }
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < N; j++) {
            double exact = 0, unit = high[i] * wide[j];
            float sum = 0;
            for (int64_t l = 0; l < f.k; l++) {
                double product = (double)*a_at(f, i, l) * (double)*b_at(f, l, j);
                exact += product;
                sum = (float)((double)sum + product);
            }
            ours += pow(((double)c[i * N + j] - exact) / unit, 2);
            floats += pow(((double)sum - exact) / unit, 2);
        }
    return (Errors){sqrt(ours / (M * N)) * 0x1p24, sqrt(floats / (M * N)) * 0x1p24};
}

static double any(Rng *rng)
{
    return 2 * rng_uniform(rng) - 1;
}

/* Rows and columns on scales from 2^-55 to 2^55, each with its own. With six products of slices, the omitted products (two
 * of up to 2^7 2^7 2^8 units beside 2^23 2^23) and the rounding of both factors add up to at most 5 / 2^24 a product, all
 * of one sign; of either sign, to less than 2 / 2^24 times the square root of the number of products. A lost slice would
 * be an error of 2^-17. */
static void each_row_has_its_scale(void)
{
    static const int64_t lengths[] = {56, 64, 130, 384, 385, K};
    for (int form = 0; form < FORMS; form++)
        for (int i = 0; i < 6; i++) {
            Form f = form_of(form, lengths[i]);
            fill(f, any, 55);
            multiply(f);
            Errors e = errors(f);
            CHECK(e.ours <= fmax(sqrt((double)f.k) * 2, 1.01 * e.floats),
                  "form %d, %d products: an error of %.2f 2^-24, floats' %.2f", form, (int)f.k,
                  e.ours, e.floats);
        }
}

/* Of normal numbers, long sums have the error of float sums, shorter ones at most twice that. */
static void near_as_floats(void)
{
    static const int64_t lengths[] = {56, 64, 128, 256, 512, K};
    for (int i = 0; i < 6; i++) {
        Form f = form_of(0, lengths[i]);
        fill(f, rng_normal, 0);
        multiply(f);
        Errors e = errors(f);
        CHECK(e.ours <= (f.k < 256 ? 2 : 1.25) * e.floats,
              "%d products: an error of %.2f 2^-24, floats' %.2f", (int)f.k, e.ours, e.floats);
    }
}

/* Whole numbers whose sum cancels although the products of their lower slices all have one sign. In slices of base 256,
 * 98175 is (1, 127, 127). Of 270 products of it with itself, the sum of the products of middle and last slices is 270 * 2 *
 * 127^2; 256 times that, as it is added to the next order, exceeds 2^31. The other steps cancel the sum and keep the spread
 * of a row small. Floats round k partial sums of at most |A||B| (Higham, "Accuracy and stability of numerical algorithms",
 * 3.1). */
static void large_sums_of_low_slices(void)
{
    enum { EQUAL = 270, IN_A = 327, LENGTH = 384 };
    static const double number = 98175, large = 0x1p22, opposite = -10885;
    Form f = form_of(0, LENGTH);
    double sum = 0, bound = 0;
    for (int64_t l = 0; l < LENGTH; l++) {
        const double x = l < EQUAL ? number : l < IN_A ? large : opposite;
        const double y = l < EQUAL ? number : l < IN_A ? 0 : large;
        for (int64_t i = 0; i < M; i++)
            *a_at(f, i, l) = (real)x;
        for (int64_t j = 0; j < N; j++)
            *b_at(f, l, j) = (real)y;
        sum += x * y;
        bound += LENGTH * 0x1p-24 * fabs(x * y);
    }
    multiply(f);
    for (int64_t i = 0; i < M * N; i++)
        CHECK(fabs((double)c[i] - sum) <= bound, "%.9g for %.9g; expected at most %.2g off",
              (double)c[i], sum, bound);
}

/* -1: NaN, 0: finite, 1 and 2: infinity and its negative. */
static int kind_of(real x)
{
    return isnan(x) ? -1 : !isinf(x) ? 0 : x > 0 ? 1 : 2;
}

/* Rows with an infinity, a NaN, the largest float and 2^100; a column with an infinity and zeros; the infinity and the
 * NaN stand in the last block of steps. 2^100 in a column meets a step that is 1000 in a row of A, and that slices leave
 * out for it. What meets none of them is as it was. */
static void rows_out_of_range_stay_apart(void)
{
    for (int form = 0; form < FORMS; form++) {
        Form f = form_of(form, 600);
        static real before[M * N];
        fill(f, any, 0);
        for (int64_t j = 0; j < N; j += 2)
            *b_at(f, 3, j) = 0;
        *a_at(f, 50, 7) = 1000;
        multiply(f);
        memcpy(before, c, sizeof before);
        *a_at(f, 3, 590) = (real)INFINITY;
        *a_at(f, 20, 599) = (real)NAN;
        *a_at(f, 40, 3) = (real)3e38;
        *a_at(f, 41, 5) = (real)0x1p100;
        *b_at(f, 500, 70) = -(real)INFINITY;
        *b_at(f, 7, 80) = (real)0x1p100;
        multiply(f);
        int wrong = 0, changed = 0;
        for (int64_t i = 0; i < M; i++)
            for (int64_t j = 0; j < N; j++) {
                double sum = 0;
                for (int64_t l = 0; l < f.k; l++)
                    sum += (double)*a_at(f, i, l) * (double)*b_at(f, l, j);
                real got = c[i * N + j], want = (real)sum;
                bool met = i == 3 || i == 20 || i == 40 || i == 41 || j == 70 || j == 80;
                changed += !met && got != before[i * N + j];
                wrong += kind_of(got) != kind_of(want);
                wrong += kind_of(want) == 0 && fabs((double)got - sum) > 1e-5 * fabs(sum) + 1e-3;
            }
        CHECK(wrong == 0, "form %d: %d elements are not what they should be", form, wrong);
        CHECK(changed == 0, "form %d: %d elements that met nothing changed", form, changed);
    }
}

/* Rows of zeros stay zero, and very small rows do not change others. */
static void small_ones(void)
{
    Form f = form_of(0, 300);
    fill(f, any, 0);
    for (int64_t l = 0; l < f.k; l++) {
        *a_at(f, 7, l) = 0;
        *a_at(f, 8, l) *= (real)0x1p-140;
        *a_at(f, 9, l) *= (real)0x1p-90;
    }
    multiply(f);
    for (int64_t j = 0; j < N; j++) {
        double sum = 0;
        for (int64_t l = 0; l < f.k; l++)
            sum += (double)*a_at(f, 9, l) * (double)*b_at(f, l, j);
        CHECK(c[7 * N + j] == 0, "zeros times column %d: %g", (int)j, (double)c[7 * N + j]);
        CHECK(fabs((double)c[8 * N + j]) <= 300 * 0x1p-120, "%g of numbers below 2^-140",
              (double)c[8 * N + j]);
        CHECK_CLOSE(c[9 * N + j], sum, 300 * 0x1p-113);
    }
}

/* Where groups of 16 rows of A and columns of B begin that are zeros, or all but three elements of each row. */
enum {
    ZERO_ROWS = 16,
    FEW_ROWS = 32,
    END_ROWS = 48,
    ZERO_COLUMNS = 48,
    NAN_COLUMN = 50,
    END_COLUMNS = 64
};

static void fill_with_zero_groups(Form f)
{
    fill(f, any, 0);
    for (int64_t l = 0; l < f.k; l++) {
        for (int64_t i = ZERO_ROWS; i < END_ROWS; i++)
            if (i < FEW_ROWS || (l != 5 && l != 400 && l != 401))
                *a_at(f, i, l) = 0;
        for (int64_t j = ZERO_COLUMNS; j < END_COLUMNS; j++)
            *b_at(f, l, j) = 0;
    }
    *b_at(f, 500, NAN_COLUMN) = (real)NAN;
}

/* The product with zeros leaves the start as it is; the sum of three products and the start is rounded at most four times.
 * Only the products with other rows and columns are as in the other tests, and are not compared. */
static void check_zero_groups(Form f, const real *start)
{
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < N; j++) {
            const bool in_rows = i >= ZERO_ROWS && i < END_ROWS;
            if (!in_rows && (j < ZERO_COLUMNS || j >= END_COLUMNS || j == NAN_COLUMN))
                continue;
            double sum = (double)start[j], magnitude = fabs(sum);
            for (int64_t l = 0; l < f.k; l++) {
                const double product = (double)*a_at(f, i, l) * (double)*b_at(f, l, j);
                sum += product;
                magnitude += fabs(product);
            }
            const double bound = in_rows && i >= FEW_ROWS ? 4 * 0x1p-24 * magnitude : 0;
            const double got = (double)c[i * N + j];
            CHECK(j == NAN_COLUMN ? isnan(got) : fabs(got - sum) <= bound,
                  "row %d, column %d: %.9g; expected %.9g", (int)i, (int)j, got, sum);
        }
}

/* Products of what `set_up` fills, where C starts from zeros, from a bias, or from what it holds. */
static void check_starts(void (*set_up)(Form), void (*check)(Form, const real *))
{
    static real zeros[N], bias[N];
    for (int64_t j = 0; j < N; j++)
        bias[j] = (real)(j + 1) / 3;
    for (int form = 0; form < FORMS; form++) {
        Form f = form_of(form, 600);
        set_up(f);
        for (int64_t i = 0; i < M * N; i++)
            c[i] = (real)NAN;
        multiply(f);
        check(f, zeros);
        multiply_from(f, bias, false);
        check(f, bias);
        for (int64_t i = 0; i < M * N; i++)
            c[i] = bias[i % N];
        multiply_from(f, NULL, true);
        check(f, bias);
    }
}

static void groups_of_zeros(void)
{
    check_starts(fill_with_zero_groups, check_zero_groups);
}

/* Sixteen rows with four elements each that are 3000 times the others, at other steps in each row: too many for int8 slices,
 * and in the second block of steps few enough to be left out. Among them are a NaN, an infinity and a row near 2^-90. In
 * the sixteen rows after them, one has few elements that are not 0. A column has three elements that are 3000 times the
 * others: one in the first block of steps, and one at a step that the wide rows leave out. Sixteen columns have too many
 * of them for slices. */
enum {
    WIDE_ROWS = 16,
    NAN_ROW = 20,
    SMALL_ROW = 25,
    INFINITE_ROW = 27,
    SPARSE_ROW = 37,
    END_WIDE = 48,
    WIDE_COLUMN = 70,
    WIDE_GROUP = 80
};

static void fill_with_wide_rows(Form f)
{
    fill(f, any, 0);
    for (int64_t i = 0; i < 16; i++)
        for (int64_t wide = 0; wide < 4; wide++)
            *a_at(f, WIDE_ROWS + i, (4 * i + wide) * 9) *= 3000;
    for (int64_t l = 0; l < f.k; l++) {
        *a_at(f, SMALL_ROW, l) *= (real)0x1p-90;
        if (l % 101 != 0 && l != 504)
            *a_at(f, SPARSE_ROW, l) = 0;
    }
    for (int64_t wide = 0; wide < 48; wide++)
        *b_at(f, 6 * wide, WIDE_GROUP + wide / 3) *= 3000;
    *a_at(f, NAN_ROW, 4) = (real)NAN;
    *a_at(f, INFINITE_ROW, 3) = (real)INFINITY;
    *b_at(f, 450, NAN_COLUMN) = (real)NAN;
    *b_at(f, 101, WIDE_COLUMN) *= 3000;
    *b_at(f, 504, WIDE_COLUMN) *= 3000;
    *b_at(f, 505, WIDE_COLUMN) *= 3000;
}

/* Twice sgemm's element-wise error for such rows (13.5 at 384 steps, tests/bench/EXACTNESS.md), relative to the sum of
 * absolute values, and a rounding of the start. */
static void check_wide_rows(Form f, const real *start)
{
    int wrong = 0;
    for (int64_t i = WIDE_ROWS; i < END_WIDE; i++)
        for (int64_t j = 0; j < N; j++) {
            double sum = (double)start[j], magnitude = 0;
            for (int64_t l = 0; l < f.k; l++) {
                const double product = (double)*a_at(f, i, l) * (double)*b_at(f, l, j);
                sum += product;
                magnitude += fabs(product);
            }
            const double got = (double)c[i * N + j];
            const double bound = (27 * magnitude + fabs((double)start[j])) * 0x1p-24;
            wrong += kind_of((real)got) != kind_of((real)sum) ||
                     (kind_of((real)sum) == 0 && !(fabs(got - sum) <= bound));
        }
    CHECK(wrong == 0, "%d of %d elements are not what they should be", wrong,
          (END_WIDE - WIDE_ROWS) * N);
}

static void wide_rows(void)
{
    check_starts(fill_with_wide_rows, check_wide_rows);
}

int main(int argc, char **argv)
{
    static const TestCase cases[] = {
        {"each row has its scale", each_row_has_its_scale},
        {"long sums are as near as floats'", near_as_floats},
        {"large sums of low slices", large_sums_of_low_slices},
        {"rows that are not finite do not change others", rows_out_of_range_stay_apart},
        {"small numbers and zeros", small_ones},
        {"groups of zeros", groups_of_zeros},
        {"wide rows, some out of range", wide_rows},
        {NULL, NULL},
    };
    return run_in_every_set("long_products", cases, argc, argv);
}
