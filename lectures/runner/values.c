/* values.c: see values.h. */
#include "lectures/runner/values.h"

#include "lectures/runner/poison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static Tensor *drawn(Tape *tape, Rng *rng, Shape shape, double deviation, bool leaf)
{
    int64_t n = shape_size(shape);
    real *x = malloc(sizeof *x * (size_t)(n > 0 ? n : 1));
    if (!x) {
        tensor_fail("values: no memory for %lld numbers", (long long)n);
        return tensor_poison();
    }
    for (int64_t i = 0; i < n; i++)
        x[i] = (real)(deviation * rng_normal(rng));
    Tensor *t = leaf ? tape_leaf(tape, x, shape) : tape_input(tape, x, shape);
    free(x);
    return t;
}

Tensor *values_normal(Tape *tape, Rng *rng, Shape shape, double deviation)
{
    return drawn(tape, rng, shape, deviation, false);
}

Tensor *values_leaf(Tape *tape, Rng *rng, Shape shape, double deviation)
{
    return drawn(tape, rng, shape, deviation, true);
}

/* Element i in row-major order, of any strides. */
static double element(const Tensor *t, int64_t i)
{
    int64_t index[TENSOR_MAX_RANK];
    for (int axis = t->shape.rank - 1; axis >= 0; axis--) {
        index[axis] = i % t->shape.dim[axis];
        i /= t->shape.dim[axis];
    }
    return (double)tensor_get(t, index);
}

double values_worst(double a, double b)
{
    return isnan(a) || a > b ? a : b; /* where b is NaN no comparison holds, and it is returned */
}

double values_least(double a, double b)
{
    return isnan(a) || a < b ? a : b;
}

double values_largest(const Tensor *a)
{
    double most = 0;
    if (tensor_is_poison(a))
        return (double)NAN;
    for (int64_t i = 0; i < tensor_size(a); i++)
        most = values_worst(most, fabs(element(a, i)));
    return most;
}

double values_difference(const Tensor *a, const Tensor *b)
{
    double most = 0;
    if (tensor_is_poison(a) || tensor_is_poison(b) || !shape_equal(a->shape, b->shape))
        return (double)NAN;
    if (values_largest(a) == 0 && values_largest(b) == 0)
        return (double)NAN;
    for (int64_t i = 0; i < tensor_size(a); i++)
        most = values_worst(most, fabs(element(a, i) - element(b, i)));
    return most;
}

/* ---- errors ---------------------------------------------------------------------------------- */

static bool an_error_is_an_answer;

static void end_program(const char *message, void *context)
{
    (void)context;
    if (an_error_is_an_answer || poison_on())
        return;
    fprintf(stderr, "lectures: %s\n", message);
    exit(1);
}

void values_exit_on_error(void)
{
    tensor_on_error(end_program, NULL);
}

bool values_can_multiply(Tape *tape, Shape a, Shape b, char *message, size_t size)
{
    an_error_is_an_answer = true;
    bool ok = !tensor_is_poison(ag_matmul(tape_full(tape, 1, a), tape_full(tape, 1, b)));
    if (message)
        snprintf(message, size, "%s", ok ? "fits" : tensor_error());
    tape_reset(tape);
    tensor_clear_error();
    an_error_is_an_answer = false;
    return ok;
}

/* ---- rows in another order, exponents -------------------------------------------------------- */

Tensor *values_permuted(Tensor *x, const int *order)
{
    int axis = x->shape.rank - 2;
    int T = (int)x->shape.dim[axis];
    Tensor *row[64];
    if (T > 64) {
        tensor_fail("values: %d rows to permute; expected up to 64", T);
        return tensor_poison();
    }
    for (int t = 0; t < T; t++)
        row[t] = ag_slice(x, axis, order[t], order[t] + 1);
    return ag_concat(row, T, axis);
}

Mean values_mean_difference(const double *a, const double *b, int n)
{
    double mean = 0, squares = 0;
    for (int i = 0; i < n; i++)
        mean += (a[i] - (b ? b[i] : 0)) / n;
    for (int i = 0; i < n; i++) {
        double off = a[i] - (b ? b[i] : 0) - mean;
        squares += off * off;
    }
    return (Mean){mean, sqrt(squares / (n - 1) / n)};
}

Mean values_mean(const double *x, int n)
{
    return values_mean_difference(x, NULL, n);
}

double values_exponent(const double *x, const double *y, int n)
{
    double mx = 0, my = 0, xy = 0, xx = 0;
    for (int i = 0; i < n; i++) {
        mx += log(x[i]) / n;
        my += log(y[i]) / n;
    }
    for (int i = 0; i < n; i++) {
        xy += (log(x[i]) - mx) * (log(y[i]) - my);
        xx += (log(x[i]) - mx) * (log(x[i]) - mx);
    }
    return xy / xx;
}

bool made_for(Made *m, uint64_t seed)
{
    bool is = m->is && m->seed == seed;
    *m = (Made){true, seed};
    return is;
}
