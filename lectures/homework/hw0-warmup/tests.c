/* tests.c: the tests of homework 0. See homework.h, and GUIDE.md beside this folder. */
#include "homework.h"
#include "hw0.h"

#include <math.h>

enum { RANK_MOST = 4 };

/* Sizes that differ, so that exchanged axes show. */
static int shape_of(Case *c, int *shape, int *rank)
{
    int count = 1;
    *rank = case_size(c, "rank", 1, RANK_MOST);
    int *given = case_given_integers(c, "shape", 1, *rank);
    for (int i = 0; i < *rank; i++)
        count *= shape[i] = given[i] = 1 + (int)(case_random(c) * 5);
    return count;
}

static void offset_case(Case *c)
{
    int shape[RANK_MOST], rank;
    shape_of(c, shape, &rank);
    int *at = case_given_integers(c, "at", 1, rank);
    for (int i = 0; i < rank; i++)
        at[i] = (int)(case_random(c) * shape[i]);
    *case_output_integers(c, "offset", 0) = offset_of(shape, at, rank);
}

static void indices_case(Case *c)
{
    int shape[RANK_MOST], rank, count = shape_of(c, shape, &rank);
    int *offset = case_given_integers(c, "offset", 0);
    *offset = (int)(case_random(c) * count);
    indices_of(case_output_integers(c, "at", 1, rank), shape, rank, *offset);
}

static void transpose_case(Case *c)
{
    int rows = case_size(c, "rows", 1, 5), columns = case_size(c, "columns", 1, 6);
    const real *x = case_input(c, "x", 2, rows, columns);
    transpose(case_output(c, "y", 2, columns, rows), x, rows, columns);
}

/* f(x) = sum of x_i^3 / 8 + a_i x_i x_(i + 1); the last input's neighbour is the first. */
static real cubic(const real *x, int n, const void *data)
{
    const real *a = data;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double here = (double)x[i], next = (double)x[(i + 1) % n];
        sum += here * here * here / 8 + (double)a[i] * here * next;
    }
    return (real)sum;
}

static void differences_case(Case *c)
{
    int n = case_size(c, "n", 1, 5);
    const real *x = case_input(c, "x", 1, n), *a = case_input(c, "a", 1, n);
    real *h = case_given(c, "h", 0);
    *h = (real)1 / (real)(4 << (int)(case_random(c) * 4));
    differences(case_output(c, "dx", 1, n), cubic, x, n, *h, a);
}

/* The others are not quite the differences, each a little less than the one before. */
static void wrong_case(Case *c)
{
    int n = case_size(c, "n", 1, 5), wrong = case_turn(c, "turn", 0, 3);
    const real *x = case_input(c, "x", 1, n), *a = case_input(c, "a", 1, n);
    real *g = case_given(c, "gradients", 2, 4, n), dx[INPUTS_MOST];
    differences(dx, cubic, x, n, (real)1 / 64, a);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < n; i++)
            g[k * n + i] = dx[i] + (real)(k + 1) / (1 << 16);
    int at = wrong * n + (int)(case_random(c) * n);
    double by = 0.25 + case_random(c);
    g[at] += (real)(case_random(c) < 0.5 ? -by : by);
    *case_output_integers(c, "number", 0) = wrong_gradient(g, cubic, x, n, a);
}

const Test tests[] = {
    {"offset", "offset_of", "where an element stands", POINTS(20), offset_case, .cases = 24},
    {"indices", "indices_of", "which element stands there", POINTS(20), indices_case, .cases = 24},
    {"transpose", "transpose", "the transposed matrix", POINTS(15), transpose_case},
    {"differences", "differences", "central differences", POINTS(25), differences_case},
    {"wrong", "wrong_gradient", "the wrong gradient", POINTS(20), wrong_case, .cases = 24},
    {0},
};
