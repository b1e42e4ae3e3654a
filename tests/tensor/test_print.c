/* test_print.c: printing as NumPy prints, and comparing.
 *
 * Expected pictures: NumPy 1.24.2, numpy.array2string(a, precision=4),
 * the same for float32 and float64. */
#include "tests/harness/test.h"

#include <math.h>

static void prints(const Tensor *t, const char *want)
{
    char got[8192];
    FILE *file = tmpfile();
    REQUIRE(file, "no temporary file");
    tensor_print(file, t);
    rewind(file);
    got[fread(got, 1, sizeof got - 1, file)] = 0;
    fclose(file);
    CHECK_TEXT(got, want);
}

TEST(small_tables)
{
    static const struct {
        Shape shape;
        real numbers[12];
        const char *picture;
    } table[] = {
        {{0}, {0.5}, "0.5\n"},
        {SHAPE(3), {-0., 1, 2.5}, "[-0.   1.   2.5]\n"},
        {SHAPE(2, 0), {0}, "[]\n"},
        {SHAPE(2, 2),
         {(real)0.1, 0.25, 100, (real)-3.14159},
         "[[  0.1      0.25  ]\n"
         " [100.      -3.1416]]\n"},
        {SHAPE(3), {(real)0.00001, 1, -2}, "[ 1.e-05  1.e+00 -2.e+00]\n"},
        {SHAPE(3), {(real)1234.5678, 0.5, 1}, "[1.2346e+03 5.0000e-01 1.0000e+00]\n"},
        {SHAPE(2), {(real)1e8, 1}, "[1.e+08 1.e+00]\n"},
        {SHAPE(1), {(real)1e8}, "[1.e+08]\n"},
        {SHAPE(1), {99999992}, "[99999992.]\n"},
        {SHAPE(1), {(real)0.00005}, "[5.e-05]\n"},
        {SHAPE(2), {1000, 1}, "[1000.    1.]\n"},
        {SHAPE(2), {1001, 1}, "[1.001e+03 1.000e+00]\n"},
        {SHAPE(2), {(real)123456.75, 99999.5}, "[123456.75  99999.5 ]\n"},
        {SHAPE(3), {(real)1e-7, (real)2.5e-7, (real)-1e-3}, "[ 1.0e-07  2.5e-07 -1.0e-03]\n"},
        {SHAPE(2, 2),
         {NAN, 1.5, -INFINITY, INFINITY},
         "[[ nan  1.5]\n"
         " [-inf  inf]]\n"},
        {SHAPE(2), {NAN, NAN}, "[nan nan]\n"},
        {SHAPE(3), {NAN, (real)2e10, 1}, "[   nan 2.e+10 1.e+00]\n"},
        {SHAPE(3), {(real)1.00004, (real)1.00006, (real)0.99996}, "[1.     1.0001 1.    ]\n"},
        {SHAPE(2, 2), {0, 0, 0, 0}, "[[0. 0.]\n [0. 0.]]\n"},
        {SHAPE(2, 3, 2),
         {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
         "[[[ 1.  2.]\n"
         "  [ 3.  4.]\n"
         "  [ 5.  6.]]\n"
         "\n"
         " [[ 7.  8.]\n"
         "  [ 9. 10.]\n"
         "  [11. 12.]]]\n"},
        {SHAPE(1, 2, 1, 2),
         {1, 2, 3, 4},
         "[[[[1. 2.]]\n"
         "\n"
         "  [[3. 4.]]]]\n"},
        {SHAPE(2), {67108864, 67108872}, "[67108864. 67108872.]\n"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        Tensor *t = tensor_from(table[i].numbers, table[i].shape);
        prints(t, table[i].picture);
        tensor_free(t);
    }
}

/* Elements i * step + start. */
static Tensor *ramp(Shape shape, double step, double start)
{
    Tensor *t = tensor_new(shape);
    for (int64_t i = 0; t && i < tensor_size(t); i++)
        t->data[i] = (real)((double)i * step + start);
    return t;
}

TEST(long_rows_break_at_75)
{
    Tensor *row = ramp(shape1(30), 0.5, -3), *two = ramp(shape2(2, 30), 0.25, -3);
    prints(row, "[-3.  -2.5 -2.  -1.5 -1.  -0.5  0.   0.5  1.   1.5  2.   2.5  3.   3.5\n"
                "  4.   4.5  5.   5.5  6.   6.5  7.   7.5  8.   8.5  9.   9.5 10.  10.5\n"
                " 11.  11.5]\n");
    prints(two, "[[-3.   -2.75 -2.5  -2.25 -2.   -1.75 -1.5  -1.25 -1.   -0.75 -0.5  -0.25\n"
                "   0.    0.25  0.5   0.75  1.    1.25  1.5   1.75  2.    2.25  2.5   2.75\n"
                "   3.    3.25  3.5   3.75  4.    4.25]\n"
                " [ 4.5   4.75  5.    5.25  5.5   5.75  6.    6.25  6.5   6.75  7.    7.25\n"
                "   7.5   7.75  8.    8.25  8.5   8.75  9.    9.25  9.5   9.75 10.   10.25\n"
                "  10.5  10.75 11.   11.25 11.5  11.75]]\n");
    tensor_free(row);
    tensor_free(two);
}

TEST(large_ones_show_their_ends)
{
    Tensor *row = ramp(shape1(1001), 1, 0), *many = ramp(shape2(40, 30), 1, 0),
           *deep = tensor_new(shape3(3, 2, 200));
    REQUIRE(row && many && deep, "%s", tensor_error());
    for (int i = 0; i < 1200; i++)
        deep->data[i] = (real)(i % 8) / 8;
    prints(row, "[   0.    1.    2. ...  998.  999. 1000.]\n");
    prints(many, "[[0.000e+00 1.000e+00 2.000e+00 ... 2.700e+01 2.800e+01 2.900e+01]\n"
                 " [3.000e+01 3.100e+01 3.200e+01 ... 5.700e+01 5.800e+01 5.900e+01]\n"
                 " [6.000e+01 6.100e+01 6.200e+01 ... 8.700e+01 8.800e+01 8.900e+01]\n"
                 " ...\n"
                 " [1.110e+03 1.111e+03 1.112e+03 ... 1.137e+03 1.138e+03 1.139e+03]\n"
                 " [1.140e+03 1.141e+03 1.142e+03 ... 1.167e+03 1.168e+03 1.169e+03]\n"
                 " [1.170e+03 1.171e+03 1.172e+03 ... 1.197e+03 1.198e+03 1.199e+03]]\n");
    prints(deep, "[[[0.    0.125 0.25  ... 0.625 0.75  0.875]\n"
                 "  [0.    0.125 0.25  ... 0.625 0.75  0.875]]\n"
                 "\n"
                 " [[0.    0.125 0.25  ... 0.625 0.75  0.875]\n"
                 "  [0.    0.125 0.25  ... 0.625 0.75  0.875]]\n"
                 "\n"
                 " [[0.    0.125 0.25  ... 0.625 0.75  0.875]\n"
                 "  [0.    0.125 0.25  ... 0.625 0.75  0.875]]]\n");
    tensor_free(row);
    tensor_free(many);
    tensor_free(deep);
}

TEST(ids_are_integers)
{
    static int32_t ids[1200];
    Tensor t = {.ids = (int32_t[]){7, -30522, 0, 101}}, large = {.ids = ids};
    tensor_set_contiguous(&t, shape2(2, 2));
    tensor_set_contiguous(&large, shape2(300, 4));
    for (int i = 0; i < 1200; i++)
        ids[i] = 1000 * i;
    prints(&t, "[[     7 -30522]\n"
               " [     0    101]]\n");
    prints(&large, "[[      0    1000    2000    3000]\n"
                   " [   4000    5000    6000    7000]\n"
                   " [   8000    9000   10000   11000]\n"
                   " ...\n"
                   " [1188000 1189000 1190000 1191000]\n"
                   " [1192000 1193000 1194000 1195000]\n"
                   " [1196000 1197000 1198000 1199000]]\n");
}

/* The transpose of a (3, 4) table, its gradient the same numbers. */
TEST(views)
{
    static const char *const picture = "[[0.     0.3125 0.625 ]\n"
                                       " [0.25   0.5625 0.1875]\n"
                                       " [0.5    0.125  0.4375]\n"
                                       " [0.0625 0.375  0.    ]]\n";
    real numbers[12];
    for (int i = 0; i < 12; i++)
        numbers[i] = (real)(i * 37 % 11) / 16;
    Tensor view = {.shape = shape2(4, 3), .stride = {1, 4}, .data = numbers};
    prints(&view, picture);
}

TEST(null_prints_as_poison)
{
    prints(NULL, "nan\n");
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void difference_is(const char *want, const real *got_numbers, const real *want_numbers,
                          double relative, double absolute)
{
    Tensor *a = tensor_from(got_numbers, shape2(2, 2)),
           *b = tensor_from(want_numbers, shape2(2, 2));
    CHECK_TEXT(tensor_difference(a, b, relative, absolute), want);
    tensor_free(a);
    tensor_free(b);
}

TEST(agreement_within_tolerance)
{
    static const real base[] = {1, -100, 0, 0.5}, near[] = {1.25, -125, 0.25, 0.5};
    difference_is(NULL, base, base, 0, 0);
    difference_is(NULL, near, base, 0.25, 0.25);
    difference_is(NULL, near, base, 0, 25);
    difference_is("1 of 4 differ, first at (0, 1): got -125, want -100; largest difference 25",
                  near, base, 0, 0.25);
    difference_is("3 of 4 differ, first at (0, 0): got 1.25, want 1; largest difference 25", near,
                  base, 0, 0);
    /* The relative part is of want, so it is not symmetric: 25 > 0.2 * 100, but 25 <= 0.2 * 125. */
    difference_is("1 of 4 differ, first at (0, 1): got -125, want -100; largest difference 25",
                  near, base, 0.2, 0.25);
    difference_is(NULL, base, near, 0.2, 0.25);
}

TEST(specials_equal_themselves_only)
{
    static const real special[] = {NAN, INFINITY, -INFINITY, 1}, finite[] = {0, 1, 2, 1},
                      mixed[] = {NAN, -INFINITY, -INFINITY, 1};
    difference_is(NULL, special, special, 0, 0);
    difference_is("3 of 4 differ, first at (0, 0): got nan, want 0; largest difference inf",
                  special, finite, 1e9, 1e9);
    difference_is("3 of 4 differ, first at (0, 0): got 0, want nan; largest difference inf", finite,
                  special, 1e9, 1e9);
    difference_is("1 of 4 differ, first at (0, 1): got -inf, want inf; largest difference inf",
                  mixed, special, 1e9, 1e9);
}

TEST(different_things)
{
    Tensor *a = tensor_new(shape2(2, 3)), *b = tensor_new(shape2(3, 2)), *e = tensor_new(shape1(0));
    CHECK_TEXT(tensor_difference(a, b, 1, 1), "shapes differ: got (2, 3), want (3, 2)");
    CHECK(tensor_difference(NULL, b, 1, 1), "nothing agrees with a tensor");
    CHECK_ERROR("tensor_difference: got is NULL or poison, as an earlier call failed");
    CHECK(tensor_difference(a, tensor_poison(), 1, 1), "poison agrees with a tensor");
    CHECK_ERROR("tensor_difference: want is NULL or poison, as an earlier call failed");
    CHECK(tensor_difference(NULL, NULL, 1, 1), "two failures agree");
    CHECK(!tensor_difference(e, e, 0, 0), "no elements differ: %s", tensor_difference(e, e, 0, 0));
    tensor_free(a);
    tensor_free(b);
    tensor_free(e);
}

/* NULL means that they agree, so a tolerance with which everything would agree is refused. */
TEST(tolerances_are_checked)
{
    const double bad[] = {NAN, INFINITY, -INFINITY, -1};
    Tensor *a = tensor_new(shape1(2)), *b = tensor_from((real[]){1, 2}, shape1(2));
    for (int i = 0; i < 8; i++) {
        double relative = i < 4 ? bad[i] : 0, absolute = i < 4 ? 0 : bad[i - 4];
        CHECK(tensor_difference(a, b, relative, absolute), "agree within %g and %g", relative,
              absolute);
        CHECK_ERROR("tensor_difference: the tolerances are");
        tensor_clear_error();
    }
    tensor_free(a);
    tensor_free(b);
}

TEST(views_and_ids_compare)
{
    real rows[] = {1, 2, 3, 4, 5, 6}, columns[] = {1, 4, 2, 5, 3, 6};
    Tensor view = {.shape = shape2(3, 2), .stride = {1, 3}, .data = rows};
    Tensor *copy = tensor_from(columns, shape2(3, 2));
    CHECK_TENSOR(&view, copy, 0, 0);
    copy->data[3] = 7;
    CHECK_TEXT(tensor_difference(&view, copy, 0, 0),
               "1 of 6 differ, first at (1, 1): got 5, want 7; largest difference 2");
    tensor_free(copy);
    Tensor a = {.ids = (int32_t[]){1, 2}}, b = {.ids = (int32_t[]){1, 30522}};
    tensor_set_contiguous(&a, shape1(2));
    tensor_set_contiguous(&b, shape1(2));
    CHECK_TEXT(tensor_difference(&a, &b, 0, 0),
               "1 of 2 differ, first at (1,): got 2, want 30522; largest difference 3.05e+04");
}
