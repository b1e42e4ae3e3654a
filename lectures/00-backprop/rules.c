/* rules.c: what each op adds to the gradients of its operands (row 59).
 *
 * A rule is held to two others that know nothing of it: the library, and central differences of
 * L = sum_i g_i y_i, which take the forward formula alone. All operands are N x N. Their rows are
 * about (0, 1, 2), so that no row's deviation is near 0, where LayerNorm divides by it. */
#include "lectures/00-backprop/backprop.h"

#include <string.h>

enum { N = 3, SIZE = N * N };
#define EPSILON 1e-5
#define STEP    1e-4
#define SPREAD  0.25

typedef struct {
    void (*forward)(const double *a, const double *b, double *y);
    /* Adds to da and db, given the result y and its gradient g. */
    void (*backward)(const Trial *t, const double *a, const double *b, const double *y,
                     const double *g, double *da, double *db);
    Tensor *(*library)(Tensor *a, Tensor *b);
} Rule;

/* ---- sum and product ------------------------------------------------------------------------- */

static void add_forward(const double *a, const double *b, double *y)
{
    for (int i = 0; i < SIZE; i++)
        y[i] = a[i] + b[i];
}

static void add_backward(const Trial *t, const double *a, const double *b, const double *y,
                         const double *g, double *da, double *db)
{
    (void)a, (void)b, (void)y;
    for (int i = 0; i < SIZE; i++) {
        da[i] += g[i];
        db[i] += broken(t, "halves") ? g[i] / 2 : g[i];
    }
}

static void mul_forward(const double *a, const double *b, double *y)
{
    for (int i = 0; i < SIZE; i++)
        y[i] = a[i] * b[i];
}

static void mul_backward(const Trial *t, const double *a, const double *b, const double *y,
                         const double *g, double *da, double *db)
{
    (void)y;
    for (int i = 0; i < SIZE; i++) {
        da[i] += g[i] * (broken(t, "own-value") ? a[i] : b[i]);
        db[i] += g[i] * a[i];
    }
}

/* ---- matrix product, broadcasting ------------------------------------------------------------ */

static void matmul_forward(const double *a, const double *b, double *y)
{
    memset(y, 0, sizeof *y * SIZE);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                y[i * N + j] += a[i * N + k] * b[k * N + j];
}

/* dA = G B^T, dB = A^T G */
static void matmul_backward(const Trial *t, const double *a, const double *b, const double *y,
                            const double *g, double *da, double *db)
{
    (void)y;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) {
                da[i * N + k] += g[i * N + j] * b[broken(t, "B") ? j * N + k : k * N + j];
                db[k * N + j] += a[broken(t, "A") ? k * N + i : i * N + k] * g[i * N + j];
            }
}

/* b is a row, which is added to each row of a; the other rows of b are not used. */
static void rows_forward(const double *a, const double *b, double *y)
{
    for (int i = 0; i < SIZE; i++)
        y[i] = a[i] + b[i % N];
}

static void rows_backward(const Trial *t, const double *a, const double *b, const double *y,
                          const double *g, double *da, double *db)
{
    (void)a, (void)b, (void)y;
    for (int i = 0; i < SIZE; i++) {
        da[i] += g[i];
        db[i % N] = (broken(t, "last-row") ? 0 : db[i % N]) + g[i];
    }
}

static Tensor *rows_library(Tensor *a, Tensor *b)
{
    return ag_add(a, ag_slice(b, 0, 0, 1));
}

/* ---- softmax and LayerNorm, a row at a time -------------------------------------------------- */

static void softmax_forward(const double *a, const double *b, double *y)
{
    (void)b;
    for (int i = 0; i < SIZE; i += N) {
        double sum = 0;
        for (int k = i; k < i + N; k++)
            sum += y[k] = exp(a[k]);
        for (int k = i; k < i + N; k++)
            y[k] /= sum;
    }
}

/* dL/dx_i = y_i (g_i - sum_k y_k g_k) */
static void softmax_backward(const Trial *t, const double *a, const double *b, const double *y,
                             const double *g, double *da, double *db)
{
    (void)a, (void)b, (void)db;
    for (int i = 0; i < SIZE; i += N) {
        double mean = 0;
        for (int k = i; k < i + N && !broken(t, "no-mean"); k++)
            mean += y[k] * g[k];
        for (int k = i; k < i + N; k++)
            da[k] += y[k] * (g[k] - (broken(t, "diagonal") ? y[k] * g[k] : mean));
    }
}

static Tensor *softmax_library(Tensor *a, Tensor *b)
{
    (void)b;
    return ag_softmax(a);
}

static double deviation(const double *x, double *mean)
{
    double variance = 0;
    *mean = 0;
    for (int k = 0; k < N; k++)
        *mean += x[k] / N;
    for (int k = 0; k < N; k++)
        variance += (x[k] - *mean) * (x[k] - *mean) / N;
    return sqrt(variance + EPSILON);
}

static void norm_forward(const double *a, const double *b, double *y)
{
    (void)b;
    for (int i = 0; i < SIZE; i++) {
        double mean, sigma = deviation(a + i / N * N, &mean);
        y[i] = (a[i] - mean) / sigma;
    }
}

/* dL/dx = (g - mean(g) - y mean(g y)) / sigma */
static void norm_backward(const Trial *t, const double *a, const double *b, const double *y,
                          const double *g, double *da, double *db)
{
    (void)b, (void)db;
    for (int i = 0; i < SIZE; i++) {
        const int row = i / N * N;
        double mean, sigma = deviation(a + row, &mean), of_g = 0, of_gy = 0;
        for (int k = row; k < row + N; k++) {
            of_g += broken(t, "shift") ? 0 : g[k] / N;
            of_gy += broken(t, "stretch") ? 0 : g[k] * y[k] / N;
        }
        da[i] += (g[i] - of_g - y[i] * of_gy) / sigma;
    }
}

static Tensor *norm_library(Tensor *a, Tensor *b)
{
    (void)b;
    return ag_layernorm(a, tape_full(a->tape, 1, shape1(N)), tape_full(a->tape, 0, shape1(N)),
                        (real)EPSILON);
}

/* ---- a rule beside differences and the library ----------------------------------------------- */

static Tensor *add_library(Tensor *a, Tensor *b)
{
    return ag_add(a, b);
}

static Tensor *mul_library(Tensor *a, Tensor *b)
{
    return ag_mul(a, b);
}

static Tensor *matmul_library(Tensor *a, Tensor *b)
{
    return ag_matmul(a, b);
}

static const Rule rules[] = {
    {add_forward, add_backward, add_library},
    {mul_forward, mul_backward, mul_library},
    {matmul_forward, matmul_backward, matmul_library},
    {rows_forward, rows_backward, rows_library},
    {softmax_forward, softmax_backward, softmax_library},
    {norm_forward, norm_backward, norm_library},
};

typedef struct {
    const Rule *rule;
    const double *g;
} Weighted;

/* x: the numbers of both operands, a and then b. */
static double weighted_sum(const double *x, const void *with)
{
    const Weighted *w = with;
    double y[SIZE], sum = 0;
    w->rule->forward(x, x + SIZE, y);
    for (int i = 0; i < SIZE; i++)
        sum += w->g[i] * y[i];
    return sum;
}

double central_difference(double (*f)(const double *x, const void *with), double *x, int i,
                          const void *with, double h)
{
    const double kept = x[i];
    x[i] = kept + h;
    double above = f(x, with);
    x[i] = kept - h;
    double below = f(x, with);
    x[i] = kept;
    return (above - below) / (2 * h);
}

static double rule_is_right(Trial *t)
{
    const Rule *rule = &rules[t->claim->variant];
    Tape *tape = trial_tape(t);
    double x[2 * SIZE], y[SIZE], g[SIZE], grad[2 * SIZE] = {0}, worst = 0;
    Tensor *weights = trial_normal(t, 590, shape2(N, N));
    Tensor *in[2] = {values_leaf(tape, trial_rng(t, 591), shape2(N, N), SPREAD),
                     values_leaf(tape, trial_rng(t, 591), shape2(N, N), SPREAD)};
    for (int i = 0; i < SIZE; i++) {
        in[0]->data[i] += (real)(i % N), in[1]->data[i] += (real)(i % N);
        x[i] = (double)in[0]->data[i], x[SIZE + i] = (double)in[1]->data[i];
        g[i] = (double)weights->data[i];
    }
    rule->forward(x, x + SIZE, y);
    rule->backward(t, x, x + SIZE, y, g, grad, grad + SIZE);
    Tensor *out = rule->library(in[0], in[1]);
    if (!ag_backward_from(out, weights->data))
        return (double)NAN;
    for (int i = 0; i < SIZE; i++) /* the library computes the same forward */
        worst =
            values_worst(worst, fabs((double)out->data[i] - y[i]) / values_worst(1, fabs(y[i])));
    for (int i = 0; i < 2 * SIZE; i++) {
        const Tensor *operand = in[i / SIZE];
        double library = operand->grad ? (double)operand->grad[i % SIZE] : 0,
               difference = central_difference(weighted_sum, x, i, &(Weighted){rule, g}, STEP),
               size = values_worst(1, fabs(difference));
        if (i % SIZE < N)
            explain(t, "operand %d, element %d: rule %.6f, difference %.6f, library %.6f",
                    1 + i / SIZE, i % SIZE, grad[i], difference, library);
        worst = values_worst(worst, fabs(grad[i] - difference) / size);
        worst = values_worst(worst, fabs(grad[i] - library) / size);
    }
    return worst;
}

/* ---- the claims ------------------------------------------------------------------------------ */

#define RULE(variant_, statement_, why_, ...)                                               \
    {                                                                                       \
        59, rule_is_right, statement_,                                                      \
            .quantity = "max |rule - central difference|, |rule - library|, relative to 1 " \
                        "or the gradient",                                                  \
            AT_MOST(1e-5, why_), .variant = (variant_), .faults = {__VA_ARGS__},            \
    }
#define FEW_ROUNDINGS "a dozen roundings of 2^-24 in the library, h^2 = 1e-8 in the difference"

const Claim rules_claims[] = {
    RULE(0, "sum: y = a + b adds g to both operands", FEW_ROUNDINGS,
         {"halves", "the gradient is shared out between the operands"}),
    RULE(1, "product: y = a b adds g b to dL/da and g a to dL/db", FEW_ROUNDINGS,
         {"own-value", "the slope for a is taken to be a"}),
    RULE(2, "matrix product: Y = A B adds G B^T to dL/dA and A^T G to dL/dB", FEW_ROUNDINGS,
         {"B", "B is not transposed"}, {"A", "A is not transposed"}),
    RULE(3, "broadcasting: a row that is added to every row gets the sum over the rows",
         FEW_ROUNDINGS, {"last-row", "= in place of +=: the gradient of the last row alone"}),
    RULE(4, "softmax: dL/dx_i = y_i (g_i - the mean of g under y)", FEW_ROUNDINGS,
         {"no-mean", "the mean is not subtracted"},
         {"diagonal", "only the slope of y_i for x_i, y_i (1 - y_i)"}),
    RULE(5, "LayerNorm: dL/dx = (g - mean(g) - y mean(g y)) / sigma",
         "roundings of 2^-24, which 1/sigma of three numbers enlarges; h^2 times 1/sigma^3",
         {"shift", "mean(g) is not subtracted"}, {"stretch", "y mean(g y) is not subtracted"}),
    {0},
};
