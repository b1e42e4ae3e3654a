/* tests.c: the tests of homework 1. See homework.h, and GUIDE.md beside this folder. */
#include "homework.h"
#include "hw1.h"

/* ---- 1. matrix multiplication ---------------------------------------------------------------- */

static void matmul_case(Case *c)
{
    int m = case_size(c, "m", 1, 5), k = case_size(c, "k", 1, 5), n = case_size(c, "n", 1, 5);
    const real *a = case_input(c, "a", 2, m, k), *b = case_input(c, "b", 2, k, n);
    matmul(case_output(c, "c", 2, m, n), a, b, m, k, n);
}

static void matmul_backward_case(Case *c)
{
    int m = case_size(c, "m", 1, 4), k = case_size(c, "k", 1, 4), n = case_size(c, "n", 1, 4);
    const real *a = case_input(c, "a", 2, m, k), *b = case_input(c, "b", 2, k, n);
    const real *dc = case_input(c, "dc", 2, m, n);
    real *da = case_sum(c, "da", 2, m, k), *db = case_sum(c, "db", 2, k, n);
    matmul_backward(da, db, dc, a, b, m, k, n);
}

/* ---- 2. addition with broadcasting ----------------------------------------------------------- */

/* The sizes of a and b: equal, or, with `repeat`, with axes of size 1 that the bits of `which`
 * choose. For each choice there is a case with 3 rows and 5 columns and one with 5 and 3: no size
 * is another one by chance, and each is the larger one once. */
typedef struct {
    int ar, ac, br, bc, rows, cols;
} Shapes;

static Shapes shapes(Case *c, bool repeat)
{
    int larger = repeat ? case_turn(c, "larger", 0, 3) : 0; /* 4 and 15 have no common divisor */
    int rows = larger == 1   ? case_choice(c, "rows", 3, 3)
               : larger == 2 ? case_choice(c, "rows", 5, 5)
                             : case_size(c, "rows", 1, 4);
    int cols = larger == 1   ? case_choice(c, "cols", 5, 5)
               : larger == 2 ? case_choice(c, "cols", 3, 3)
                             : case_size(c, "cols", 1, 5);
    int which = repeat ? case_turn(c, "which", 1, 15) : 0;
    Shapes s = {rows, cols, rows, cols, rows, cols};
    s.ar = which & 1 ? 1 : rows;
    s.ac = which & 2 ? 1 : cols;
    s.br = which & 4 ? 1 : rows;
    s.bc = which & 8 ? 1 : cols;
    s.rows = s.ar > s.br ? s.ar : s.br;
    s.cols = s.ac > s.bc ? s.ac : s.bc;
    return s;
}

static void add_of(Case *c, bool repeat)
{
    Shapes s = shapes(c, repeat);
    const real *a = case_input(c, "a", 2, s.ar, s.ac), *b = case_input(c, "b", 2, s.br, s.bc);
    add(case_output(c, "y", 2, s.rows, s.cols), a, s.ar, s.ac, b, s.br, s.bc);
}

static void add_same_case(Case *c)
{
    add_of(c, false);
}

static void add_case(Case *c)
{
    add_of(c, true);
}

static void add_backward_case(Case *c)
{
    Shapes s = shapes(c, true);
    case_input(c, "a", 2, s.ar, s.ac);
    case_input(c, "b", 2, s.br, s.bc);
    const real *dy = case_input(c, "dy", 2, s.rows, s.cols);
    real *da = case_sum(c, "da", 2, s.ar, s.ac), *db = case_sum(c, "db", 2, s.br, s.bc);
    add_backward(da, s.ar, s.ac, db, s.br, s.bc, dy);
}

/* ---- 3. softmax ------------------------------------------------------------------------------ */

static void softmax_case(Case *c)
{
    int rows = case_size(c, "rows", 1, 4), n = case_size(c, "n", 1, 6);
    const real *x = case_input(c, "x", 2, rows, n);
    softmax(case_output(c, "y", 2, rows, n), x, rows, n);
}

/* exp(88.8) is beyond a float, exp(709.8) beyond a double. In every third case all numbers are
 * below -1024, so that the largest number of a row is not found by a search that starts at 0. */
static const real *large_rows(Case *c, int rows, int n)
{
    real *x = case_given(c, "x", 2, rows, n);
    int negative = case_turn(c, "all_negative", 0, 2) == 1;
    for (int i = 0; i < rows * n; i++) {
        double number = 32 * (double)(int)(case_normal(c) * 32);
        x[i] = (real)(negative ? -1024 - (number < 0 ? -number : number) : number);
    }
    return x;
}

static void softmax_large_case(Case *c)
{
    int rows = case_size(c, "rows", 1, 4), n = case_size(c, "n", 2, 6);
    const real *x = large_rows(c, rows, n);
    softmax(case_output(c, "y", 2, rows, n), x, rows, n);
}

static void softmax_backward_case(Case *c)
{
    int rows = case_size(c, "rows", 1, 4), n = case_size(c, "n", 2, 6);
    const real *x = case_input(c, "x", 2, rows, n), *dy = case_input(c, "dy", 2, rows, n);
    real *y = case_given(c, "y", 2, rows, n);
    softmax(y, x, rows, n); /* the solution's, while a later function is tested */
    softmax_backward(case_sum(c, "dx", 2, rows, n), dy, y, rows, n);
}

/* ---- 4. log-sum-exp -------------------------------------------------------------------------- */

static void logsumexp_case(Case *c)
{
    int rows = case_size(c, "rows", 1, 4), n = case_size(c, "n", 1, 6);
    const real *x = case_input(c, "x", 2, rows, n);
    logsumexp(case_output(c, "y", 1, rows), x, rows, n);
}

static void logsumexp_large_case(Case *c)
{
    int rows = case_size(c, "rows", 1, 4), n = case_size(c, "n", 2, 6);
    const real *x = large_rows(c, rows, n);
    logsumexp(case_output(c, "y", 1, rows), x, rows, n);
}

static void logsumexp_backward_case(Case *c)
{
    int rows = case_size(c, "rows", 1, 4), n = case_size(c, "n", 2, 6);
    const real *x = case_input(c, "x", 2, rows, n), *dy = case_input(c, "dy", 1, rows);
    logsumexp_backward(case_sum(c, "dx", 2, rows, n), dy, x, rows, n);
}

/* ---- the table ------------------------------------------------------------------------------- */

const Test tests[] = {
    {"matmul", "matmul", "matrix product", POINTS(12), matmul_case},
    {"matmul_backward", "matmul_backward", "matrix product, backward", POINTS(18),
     matmul_backward_case, .forward = matmul_case, .gradients = "da:a db:b", .upstream = "dc:c"},
    {"add_same", "add", "sum of two matrices of one shape", POINTS(5), add_same_case},
    {"add", "add", "sum with broadcasting", POINTS(10), add_case, .needs = "add_same", .cases = 60},
    {"add_backward", "add_backward", "sum with broadcasting, backward", POINTS(15),
     add_backward_case, .forward = add_case, .gradients = "da:a db:b", .upstream = "dy:y",
     .cases = 60},
    {"softmax", "softmax", "softmax of rows", POINTS(8), softmax_case},
    {"softmax_large", "softmax", "softmax of large numbers", POINTS(5), softmax_large_case,
     .needs = "softmax"},
    {"softmax_backward", "softmax_backward", "softmax, backward", POINTS(12), softmax_backward_case,
     .forward = softmax_case, .gradients = "dx:x", .upstream = "dy:y"},
    {"logsumexp", "logsumexp", "log-sum-exp of rows", POINTS(5), logsumexp_case},
    {"logsumexp_large", "logsumexp", "log-sum-exp of large numbers", POINTS(3),
     logsumexp_large_case, .needs = "logsumexp"},
    {"logsumexp_backward", "logsumexp_backward", "log-sum-exp, backward", POINTS(7),
     logsumexp_backward_case, .forward = logsumexp_case, .gradients = "dx:x", .upstream = "dy:y"},
    {0},
};
