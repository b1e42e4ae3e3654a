/* test_op_edges.c: ops where formulas break: ties, bounds, zero, infinity, NaN, and numbers whose
 * exponential does not fit.
 *
 * Finite differences cannot be taken there, and the samples of test_ops.c keep away. Expected
 * numbers are the limits and the conventions (a tie is shared) that autograd.h names. Each case is
 * tried with every kernel set of this machine. */
#include "tests/harness/runner.h"
#include "tests/kernels/kernel_sets.h"

#include "autograd/autograd.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Values are right to a few units in the last place: those next to zero too, so nothing
 * absolute. */
static const double relative = sizeof(real) == sizeof(double) ? 1e-14 : 1e-6;

enum { N = 4 };

typedef struct {
    const char *name;
    Tensor *(*call)(Tensor *a, Tensor *b);
    double a[N], b[N]; /* operands (4)                                        */
    int size;          /* of y: 1 or 4                                        */
    double y[N];
    double da[N], db[N]; /* gradients of y's sum; db where the op has two operands */
    bool two;
} Edge;

static Tensor *maximum(Tensor *a, Tensor *b)
{
    return ag_maximum(a, b);
}

#define UNARY(name, expression)               \
    static Tensor *name(Tensor *a, Tensor *b) \
    {                                         \
        (void)b;                              \
        return expression;                    \
    }
UNARY(magnitude, ag_abs(a))
UNARY(root, ag_sqrt(a))
UNARY(to_the_0, ag_pow(a, 0))
UNARY(to_the_1, ag_pow(a, 1))
UNARY(to_the_2, ag_pow(a, 2))
UNARY(to_the_half, ag_pow(a, (real)0.5))
UNARY(sigmoid, ag_sigmoid(a))
UNARY(silu, ag_silu(a))
UNARY(softplus, ag_softplus(a))
/* The value alone: the slope there is 0 to 1e-7. */
UNARY(gelu_value, ag_add(ag_gelu(tape_input(a->tape, a->data, a->shape)), ag_scale(a, 0)))
UNARY(gelu_tanh, ag_gelu_tanh(a))
UNARY(logsumexp, ag_logsumexp(a, 0, false))
UNARY(log_softmax, ag_log_softmax(a))

#define INF  INFINITY
#define TINY 1.8048513878454153e-35 /* e^-80 */
#define LN2  0.6931471805599453

static const Edge edges[] = {
    {.name = "maximum: a tie is shared, NaN wins",
     .call = maximum,
     .a = {1, 2, NAN, 0},
     .b = {1, 3, 0, NAN},
     .size = 4,
     .y = {1, 3, NAN, NAN},
     .da = {0.5, 0, 1, 1},
     .db = {0.5, 1, 1, 1},
     .two = true},
    {.name = "abs: slope 0 at 0",
     .call = magnitude,
     .a = {-2, 0, 3, -INF},
     .size = 4,
     .y = {2, 0, 3, INF},
     .da = {-1, 0, 1, -1}},
    {.name = "sqrt: of 0, of less, of infinity",
     .call = root,
     .a = {0, 4, -1, INF},
     .size = 4,
     .y = {0, 2, NAN, INF},
     .da = {INF, 0.25, NAN, 0}},
    {.name = "pow: x^0 is constant",
     .call = to_the_0,
     .a = {0, -1, 2, INF},
     .size = 4,
     .y = {1, 1, 1, 1},
     .da = {0, 0, 0, 0}},
    {.name = "pow: x^1",
     .call = to_the_1,
     .a = {0, -1, 2, -INF},
     .size = 4,
     .y = {0, -1, 2, -INF},
     .da = {1, 1, 1, 1}},
    {.name = "pow: squares of less than 0",
     .call = to_the_2,
     .a = {-3, 0, 2, -0.5},
     .size = 4,
     .y = {9, 0, 4, 0.25},
     .da = {-6, 0, 4, -1}},
    {.name = "pow: a fractional power of less than 0",
     .call = to_the_half,
     .a = {-1, 0, 4, 1},
     .size = 4,
     .y = {NAN, 0, 2, 1},
     .da = {NAN, INF, 0.25, 0.5}},
    {.name = "sigmoid: far out",
     .call = sigmoid,
     .a = {-1000, 0, 1000, -80},
     .size = 4,
     .y = {0, 0.5, 1, TINY},
     .da = {0, 0.25, 0, TINY}},
    {.name = "silu: far out",
     .call = silu,
     .a = {-1000, 0, 1000, -80},
     .size = 4,
     .y = {0, 0, 1000, -80 * TINY},
     .da = {0, 0.5, 1, -79 * TINY}},
    {.name = "softplus: far out",
     .call = softplus,
     .a = {-80, 0, 1000, -1000},
     .size = 4,
     .y = {TINY, LN2, 1000, 0},
     .da = {TINY, 0.5, 1, 0}},
    {.name = "gelu: far out",
     .call = gelu_value,
     .a = {-1000, 0, 1000, -1e30},
     .size = 4,
     .y = {0, 0, 1000, 0},
     .da = {0, 0, 0, 0}},
    {.name = "gelu_tanh: far out",
     .call = gelu_tanh,
     .a = {-1000, 0, 1000, 1e30},
     .size = 4,
     .y = {0, 0, 1000, 1e30},
     .da = {0, 0.5, 1, 1}},
    {.name = "logsumexp: of large numbers",
     .call = logsumexp,
     .a = {1000, -1000, -INF, 0},
     .size = 1,
     .y = {1000},
     .da = {1, 0, 0, 0}},
    {.name = "logsumexp: of -infinity and 0",
     .call = logsumexp,
     .a = {-INF, 0, -INF, -INF},
     .size = 1,
     .y = {0},
     .da = {0, 1, 0, 0}},
    {.name = "logsumexp: all -infinity",
     .call = logsumexp,
     .a = {-INF, -INF, -INF, -INF},
     .size = 1,
     .y = {-INF},
     .da = {0, 0, 0, 0}},
    {.name = "log_softmax: of small probabilities",
     .call = log_softmax,
     .a = {1000, 0, -1000, 0},
     .size = 4,
     .y = {0, -1000, -2000, -1000},
     .da = {-3, 1, 1, 1}},
    {.name = "log_softmax: the digits of large numbers",
     .call = log_softmax,
     .a = {1000, 1000, -INF, -INF},
     .size = 4,
     .y = {-LN2, -LN2, -INF, -INF},
     .da = {-1, -1, 1, 1}},
};
enum { EDGES = sizeof edges / sizeof *edges };

/* ---- one case, with every kernel set --------------------------------------------------------- */

static void to_real(real *to, const double *from)
{
    for (int i = 0; i < N; i++)
        to[i] = (real)from[i];
}

static void check_numbers(const char *what, const real *got, Shape shape, const double *want)
{
    real numbers[N];
    to_real(numbers, want);
    Tensor is = {.data = (real *)got}, should = {.data = numbers};
    tensor_set_contiguous(&is, shape);
    tensor_set_contiguous(&should, shape);
    const char *difference = tensor_difference(&is, &should, relative, 0);
    CHECK(!difference, "%s, %s: %s", tensor_kernels(), what, difference);
}

static void check_edge(const Edge *e)
{
    static const real ones[N] = {1, 1, 1, 1};
    real numbers[N];
    Tape *tape = tape_new(1);
    to_real(numbers, e->a);
    Tensor *a = tape_leaf(tape, numbers, shape1(N));
    to_real(numbers, e->b);
    Tensor *b = tape_leaf(tape, numbers, shape1(N));
    Tensor *y = e->call(a, b);
    CHECK(tensor_size(y) == e->size, "y is %s", tensor_describe(y));
    if (CHECK(ag_backward_from(y, ones), "%s", tensor_error())) {
        check_numbers("y", y->data, y->shape, e->y);
        check_numbers("gradient of a", a->grad, a->shape, e->da);
        if (e->two)
            check_numbers("gradient of b", b->grad, b->shape, e->db);
    }
    tape_free(tape);
}

static void with_each_set(void (*check)(const Edge *e), const Edge *e)
{
    char before[16];
    snprintf(before, sizeof before, "%s", tensor_kernels());
    for (int i = 0; i < KERNEL_SETS; i++)
        if (tensor_set_kernels(kernel_sets[i]))
            check(e);
    tensor_clear_error();
    tensor_set_kernels(before);
}

static void run_edge(void)
{
    with_each_set(check_edge, &edges[test_index()]);
}

/* ---- axes of length 0 ------------------------------------------------------------------------ */

static void check_short(const Edge *e)
{
    (void)e;
    Tape *tape = tape_new(1);
    real nothing = 0;
    Tensor *y = ag_logsumexp(tape_leaf(tape, &nothing, shape2(2, 0)), 1, false);
    check_numbers("logsumexp of nothing", y->data, shape1(2), (double[N]){-INF, -INF});
    CHECK_NO_ERROR();
    tape_free(tape);
}

static void short_axes(void)
{
    with_each_set(check_short, NULL);
}

/* A product of numbers below FLT_MIN takes a hundred times as long: the fast kernels leave none in
 * a gradient. */
static void check_small_shares(const Edge *e)
{
    (void)e;
    const real x[N] = {0, -90, -95, -1};
    Tape *tape = tape_new(1);
    Tensor *logits = tape_leaf(tape, x, shape2(1, N));
    Tensor *loss = ag_cross_entropy(logits, tape_ids(tape, (int[]){0}, shape1(1)));
    CHECK(ag_backward(loss), "%s", tensor_error());
    for (int i = 0; i < N && strcmp(tensor_kernels(), "ref") != 0; i++)
        CHECK(fpclassify(logits->grad[i]) != FP_SUBNORMAL, "%s: the gradient of logit %d is %g",
              tensor_kernels(), i, (double)logits->grad[i]);
    tape_free(tape);
}

static void small_shares(void)
{
    with_each_set(check_small_shares, NULL);
}

/* 2^40 rows without a number (2^27 of them where an address has 32 bits): whoever goes through them
 * one by one is not done in an hour. */
static void check_rows_of_nothing(const Edge *e)
{
    (void)e;
    const real nothing = 0;
    Tape *tape = tape_new(1);
    Tensor *x =
        tape_leaf(tape, &nothing, shape2(INT64_C(1) << (SIZE_MAX > UINT32_MAX ? 40 : 27), 0));
    Tensor *none = tape_leaf(tape, &nothing, shape1(0));
    Tensor *square = tape_leaf(tape, &nothing, shape2(0, 0));
    Tensor *y = ag_log_softmax(ag_softmax(ag_layernorm(x, none, none, (real)1e-5)));
    y = ag_matmul(ag_linear(ag_add(y, none), square, none), square);
    y = ag_copy(ag_transpose(y, 0, 1));
    CHECK(tensor_item(ag_sum(y)) == 0 && isnan(tensor_item(ag_mean(y))), "%s", tensor_error());
    CHECK(ag_backward(ag_sum(y)), "%s", tensor_error());
    tape_free(tape);
}

static void rows_of_nothing(void)
{
    with_each_set(check_rows_of_nothing, NULL);
}

/* No class, whatever number says "ignored" elsewhere. */
static void targets_that_are_no_class(void)
{
    static const int targets[] = {-1, -100, INT_MIN, INT_MAX, 4};
    const real x[N] = {0};
    Tape *tape = tape_new(1);
    for (int i = 0; i < 5; i++) {
        char want[64];
        tape_reset(tape);
        Tensor *logits = tape_leaf(tape, x, shape2(1, N));
        Tensor *loss = ag_cross_entropy(logits, tape_ids(tape, &targets[i], shape1(1)));
        CHECK(tensor_is_poison(loss), "class %d of 4", targets[i]);
        snprintf(want, sizeof want, "target %d at position 0", targets[i]);
        CHECK_ERROR(want);
    }
    tape_reset(tape);
    Tensor *target = tape_ids(tape, &targets[2], shape1(1));
    Tensor *loss = ag_cross_entropy_ignore(tape_leaf(tape, x, shape2(1, N)), target, INT_MIN);
    CHECK(tensor_item(loss) == 0, "asked for, it is ignored: %s", tensor_error());
    tape_free(tape);
}

int main(int argc, char **argv)
{
    TestCase cases[EDGES + 5] = {{0}};
    for (int i = 0; i < EDGES; i++)
        cases[i] = (TestCase){edges[i].name, run_edge};
    cases[EDGES] = (TestCase){"axes of length 0", short_axes};
    cases[EDGES + 1] = (TestCase){"rows of nothing", rows_of_nothing};
    cases[EDGES + 2] = (TestCase){"targets that are no class", targets_that_are_no_class};
    cases[EDGES + 3] = (TestCase){"small shares of a gradient", small_shares};
    return run_tests("op edges", cases, argc, argv);
}
