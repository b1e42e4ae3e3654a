/* test_op_edges.c: ops where formulas break: ties, bounds, zero, infinity, NaN, and numbers whose
 * exponential does not fit.
 *
 * Finite differences cannot be taken there, and the samples of test_ops.c keep away. Expected
 * numbers are the limits and the conventions (a tie is shared) that autograd.h names. Each case is
 * tried with every kernel set of this machine. */
#include "tests/autograd/on_tape.h"
#include "tests/kernels/kernel_sets.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Values are right to a few units in the last place: those next to zero too, so nothing
 * absolute. */
static const double relative = sizeof(real) == sizeof(double) ? 1e-14 : 1e-6;

enum { N = 4 };

typedef struct {
    const char *name;
    Tensor *(*call)(Tensor *x);
    double x[N], y[N], dx[N]; /* of y the first where it has but one; dx: of y's sum */
} Edge;

#define CALL(name, expression)     \
    static Tensor *name(Tensor *x) \
    {                              \
        return expression;         \
    }
CALL(first, ag_maximum(x, tape_input(x->tape, (real[]){1, 3, 0, (real)NAN}, x->shape)))
CALL(second, ag_maximum(tape_input(x->tape, (real[]){1, 2, (real)NAN, 0}, x->shape), x))
CALL(root, ag_sqrt(x))
CALL(to_the_0, ag_pow(x, 0))
CALL(to_the_1, ag_pow(x, 1))
CALL(to_the_2, ag_pow(x, 2))
CALL(to_the_half, ag_pow(x, (real)0.5))
CALL(sigmoid, ag_sigmoid(x))
CALL(silu, ag_silu(x))
CALL(softplus, ag_softplus(x))
/* The value alone: the slope there is 0 to 1e-7. */
CALL(gelu_value, ag_add(ag_gelu(tape_input(x->tape, x->data, x->shape)), ag_scale(x, 0)))
CALL(gelu_tanh, ag_gelu_tanh(x))
CALL(logsumexp, ag_logsumexp(x, 0, false))
CALL(log_softmax, ag_log_softmax(x))

#define INF  INFINITY
#define TINY 1.8048513878454153e-35 /* e^-80 */
#define LN2  0.6931471805599453

static const Edge edges[] = {
    {"maximum: a tie is shared, NaN wins", first, {1, 2, NAN, 0}, {1, 3, NAN, NAN}, {0.5, 0, 1, 1}},
    {"maximum: and for the second", second, {1, 3, 0, NAN}, {1, 3, NAN, NAN}, {0.5, 1, 1, 1}},
    {"sqrt: of 0, of less", root, {0, 4, -1, INF}, {0, 2, NAN, INF}, {INF, 0.25, NAN, 0}},
    {"pow: x^0 is constant", to_the_0, {0, -1, 2, INF}, {1, 1, 1, 1}, {0, 0, 0, 0}},
    {"pow: x^1", to_the_1, {0, -1, 2, -INF}, {0, -1, 2, -INF}, {1, 1, 1, 1}},
    {"pow: squares", to_the_2, {-3, 0, 2, -0.5}, {9, 0, 4, 0.25}, {-6, 0, 4, -1}},
    {"pow: of less than 0", to_the_half, {-1, 0, 4, 1}, {NAN, 0, 2, 1}, {NAN, INF, 0.25, 0.5}},
    {"sigmoid", sigmoid, {-1000, 0, 1000, -80}, {0, 0.5, 1, TINY}, {0, 0.25, 0, TINY}},
    {"silu", silu, {-1000, 0, 1000, -80}, {0, 0, 1000, -80 * TINY}, {0, 0.5, 1, -79 * TINY}},
    {"softplus", softplus, {-80, 0, 1000, -1000}, {TINY, LN2, 1000, 0}, {TINY, 0.5, 1, 0}},
    {"gelu: far out", gelu_value, {-1000, 0, 1000, -1e30}, {0, 0, 1000, 0}, {0, 0, 0, 0}},
    {"gelu_tanh: far out", gelu_tanh, {-1000, 0, 1000, 1e30}, {0, 0, 1000, 1e30}, {0, 0.5, 1, 1}},
    {"logsumexp: of large numbers", logsumexp, {1000, -1000, -INF, 0}, {1000}, {1, 0, 0, 0}},
    {"logsumexp: of one number", logsumexp, {-INF, 0, -INF, -INF}, {0}, {0, 1, 0, 0}},
    {"logsumexp: of none", logsumexp, {-INF, -INF, -INF, -INF}, {-INF}, {0, 0, 0, 0}},
    {"log_softmax: of small probabilities",
     log_softmax,
     {1000, 0, -1000, 0},
     {0, -1000, -2000, -1000},
     {-3, 1, 1, 1}},
    {"log_softmax: the digits of large numbers",
     log_softmax,
     {1000, 1000, -INF, -INF},
     {-LN2, -LN2, -INF, -INF},
     {-1, -1, 1, 1}},
};

/* ---- with every kernel set ------------------------------------------------------------------- */

static void check_numbers(const char *name, const char *what, const real *got, Shape shape,
                          const double *want)
{
    real numbers[N];
    for (int i = 0; i < N; i++)
        numbers[i] = (real)want[i];
    Tensor is = {.data = (real *)got}, should = {.data = numbers};
    tensor_set_contiguous(&is, shape);
    tensor_set_contiguous(&should, shape);
    const char *difference = tensor_difference(&is, &should, relative, 0);
    CHECK(!difference, "%s, %s of %s: %s", tensor_kernels(), what, name, difference);
}

static void check_edge(const Edge *e)
{
    static const real ones[N] = {1, 1, 1, 1};
    real numbers[N];
    Tape *tape = tape_new(1);
    for (int i = 0; i < N; i++)
        numbers[i] = (real)e->x[i];
    Tensor *x = tape_leaf(tape, numbers, shape1(N)), *y = e->call(x);
    if (CHECK(ag_backward_from(y, ones), "%s", tensor_error())) {
        check_numbers(e->name, "y", y->data, y->shape, e->y);
        check_numbers(e->name, "the gradient", x->grad, x->shape, e->dx);
    }
    tape_free(tape);
}

TEST_SETS(edges_of_ops)
{
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        check_edge(&edges[i]);
}

TEST_SETS(the_sum_of_nothing)
{
    Tape *tape = tape_new(1);
    real nothing = 0;
    Tensor *y = ag_logsumexp(tape_leaf(tape, &nothing, shape2(2, 0)), 1, false);
    check_numbers("logsumexp", "nothing", y->data, shape1(2), (double[N]){-INF, -INF});
    tape_free(tape);
}

/* A product of numbers below FLT_MIN takes a hundred times as long: the fast kernels leave none in
 * a gradient. */
TEST_SETS(small_shares_are_no_denormals)
{
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

/* 2^40 rows without a number (2^27 of them where an address has 32 bits): whoever goes through them
 * one by one is not done in an hour. */
TEST_SETS(rows_of_length_0)
{
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

/* ---- with the present one -------------------------------------------------------------------- */

/* No class, whatever number says "ignored" elsewhere. */
TEST_ON_TAPE(targets_that_are_no_class)
{
    static const int targets[] = {-1, -100, INT_MIN, INT_MAX, 4};
    const real x[N] = {0};
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
}

/* exp(1000) overflows even in double; the loss of a logit that is quite wrong is its size. */
TEST_ON_TAPE(binary_cross_entropy_of_logits_of_any_size)
{
    static const struct {
        real logit, target, loss, slope;
    } known[] = {
        {1000, 1, 0, 0},  {1000, 0, 1000, 1},    {-1000, 1, 1000, -1},
        {-1000, 0, 0, 0}, {1000, 0.5, 500, 0.5}, {0, 1, (real)M_LN2, -0.5},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        tape_reset(tape);
        Tensor *x = tape_leaf(tape, &known[i].logit, shape1(1));
        Tensor *t = tape_leaf(tape, &known[i].target, shape1(1));
        Tensor *loss = ag_bce_with_logits(x, t);
        CHECK(ag_backward(loss), "%s", tensor_error());
        CHECK_CLOSE(tensor_item(loss), known[i].loss, relative);
        CHECK_CLOSE(x->grad[0], known[i].slope, relative);
        CHECK_CLOSE(t->grad[0], -known[i].logit, 0);
    }
}

/* What is not picked has no effect, NaN or not, neither forward nor backward. */
TEST_ON_TAPE(a_NaN_that_is_not_picked_has_no_effect)
{
    const real mask[] = {1, 0}, good[] = {2, (real)NAN}, bad[] = {(real)NAN, 3};
    Tensor *a = tape_leaf(tape, good, shape1(2)), *b = tape_leaf(tape, bad, shape1(2));
    Tensor *y = ag_where(tape_input(tape, mask, shape1(2)), a, b);
    CHECK(y->data[0] == 2 && y->data[1] == 3, "%g %g", (double)y->data[0], (double)y->data[1]);
    CHECK(ag_backward_from(y, (real[]){(real)INFINITY, 5}), "%s", tensor_error());
    CHECK(isinf(a->grad[0]) && a->grad[1] == 0 && b->grad[0] == 0 && b->grad[1] == 5,
          "dL/da is %g %g, dL/db %g %g", (double)a->grad[0], (double)a->grad[1], (double)b->grad[0],
          (double)b->grad[1]);
}

/* ---- made of other ops, so that the list of ops does not have them --------------------------- */

/* By the definition, of every element; ties, NaN and every axis, also of a transpose. */
TEST_ON_TAPE(the_largest_along_an_axis)
{
    const real numbers[12] = {3, 1, 3, -2, 5, 4, 0, (real)NAN, 2, 9, -1, 9};
    Tensor *x = tape_leaf(tape, numbers, shape2(3, 4));
    static const int rows[3] = {0, 3, 1}, columns[4] = {1, 2, 0, 1};
    for (int way = 0; way < 2; way++) {
        Tensor *from = way ? ag_transpose(x, 0, 1) : x;
        Tensor *row = ag_argmax(from, way ? 0 : 1, false), *column = ag_argmax(from, way - 1, true);
        CHECK(shape_equal(row->shape, shape1(3)) &&
                  shape_equal(column->shape, way ? shape2(1, 3) : shape2(3, 1)),
              "%s", shape_str(column->shape));
        for (int i = 0; i < 3; i++)
            CHECK(row->ids[i] == rows[i], "row %d: %d", i, row->ids[i]);
        column = ag_argmax(from, way, false);
        for (int i = 0; i < 4; i++)
            CHECK(column->ids[i] == columns[i], "column %d: %d", i, column->ids[i]);
    }
    Tensor *y = ag_max_axis(x, -1, false);
    CHECK(y->data[0] == 3 && isnan(y->data[1]) && y->data[2] == 9, "the values");
    CHECK(ag_backward(ag_sum(y)), "%s", tensor_error());
    for (int i = 0; i < 12; i++)
        CHECK(x->grad[i] == (i % 4 == rows[i / 4]), "element %d: %g", i, (double)x->grad[i]);
    REFUSES(ag_argmax, "x is (0, 3); expected 1 or more elements along axis 0",
            tape_full(tape, 1, shape2(0, 3)), 0, false);
    REFUSES_ON(tape, ag_max_axis, "", tape_full(tape, 1, shape1(3)), 1, false);
}

static Tensor *smaller(Tensor **x, void *context)
{
    (void)context;
    return ag_minimum(x[0], x[1]);
}

static Tensor *largest(Tensor **x, void *context)
{
    return ag_max_axis(x[0], *(int *)context, true);
}

TEST_ON_TAPE(gradients_of_extremes)
{
    real numbers[12];
    for (int i = 0; i < 12; i++)
        numbers[i] = (real)(i * 7 % 12);
    Tensor *a = tensor_from(numbers, shape2(3, 4));
    Tensor *b = tensor_from((real[]){9.5, 4.5, 11.5, 6.5}, shape1(4));
    CHECK(ag_gradcheck(tape, smaller, NULL, (Tensor *[]){a, b}, 2, (GradCheck){0}), "%s",
          tensor_error());
    for (int axis = 0; axis < 2; axis++)
        CHECK(ag_gradcheck(tape, largest, &axis, &a, 1, (GradCheck){0}), "%s", tensor_error());
    tape_reset(tape);
    Tensor *x = tape_leaf(tape, (real[]){1, 2, (real)NAN}, shape1(3)),
           *one = tape_full(tape, 1, shape1(3));
    Tensor *y = ag_minimum(x, ag_scale(one, 2));
    CHECK(y->data[0] == 1 && y->data[1] == 2 && isnan(y->data[2]), "the smaller");
    REFUSES(ag_minimum, "a is (3,), b is (2,)", x, tape_full(tape, 1, shape1(2)));
    tensor_free(a);
    tensor_free(b);
}
