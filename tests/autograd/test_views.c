/* test_views.c: the same numbers under another shape. Values are compared with index arithmetic
 * done by hand, and gradients must arrive exactly where the view looks. */
#include "tests/harness/test.h"

#include "nn/nn.h"

static Tape *tape;

/* 0, 1, 2, ... so that a number tells where it came from; of a step of its own. */
static Tensor *counted(Shape shape)
{
    real numbers[256];
    for (int i = 0; i < 256; i++)
        numbers[i] = (real)i;
    tape_reset(tape);
    return tape_leaf(tape, numbers, shape);
}

static void holds(const Tensor *t, Shape shape, const real *want)
{
    real got[256];
    REQUIRE(shape_equal(t->shape, shape), "it is %s", shape_str(t->shape));
    tensor_read(t, got);
    for (int64_t i = 0; i < tensor_size(t); i++)
        CHECK_CLOSE(got[i], want[i], 0);
}

static void gradient_is(const Tensor *x, const real *want)
{
    REQUIRE(x->grad, "no gradient");
    for (int64_t i = 0; i < tensor_size(x); i++)
        CHECK_CLOSE(x->grad[i], want[i], 0);
}

/* ---- values ---------------------------------------------------------------------------------- */

TEST(views_show_the_same_numbers)
{
    tape = tape_new(1);
    Tensor *x = counted(shape3(2, 3, 2));
    holds(ag_transpose(x, 0, -1), shape3(2, 3, 2), (real[]){0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11});
    holds(ag_permute(x, (int[]){2, 0, -2}), shape3(2, 2, 3),
          (real[]){0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11});
    holds(ag_slice(x, 1, -2, 3), shape3(2, 2, 2), (real[]){2, 3, 4, 5, 8, 9, 10, 11});
    holds(ag_slice(x, -1, 0, -1), shape3(2, 3, 1), (real[]){0, 2, 4, 6, 8, 10});
    holds(ag_slice(x, 0, 1, 1), shape3(0, 3, 2), NULL);
    holds(ag_reshape(x, shape2(-1, 4)), shape2(3, 4), x->data);
    Tensor *deep = ag_slice(ag_transpose(ag_slice(x, 1, 1, 3), 0, 1), 2, 1, 2);
    holds(deep, shape3(2, 2, 1), (real[]){3, 9, 5, 11});
    holds(ag_transpose(deep, 0, 1), shape3(2, 2, 1), (real[]){3, 5, 9, 11});
    CHECK(deep->base == x, "a view of a view is not a view of the owner");
    CHECK(tape->nodes == 0, "%d ops were recorded for views", tape->nodes);
    CHECK_NO_ERROR();
    tape_free(tape);
}

typedef struct {
    const char *what;
    int order[3];     /* x (2, 3, 4) with its axes in this order ... */
    int64_t from, to; /* ... of its last axis these ...               */
    Shape shape;      /* ... reshaped to this                         */
    bool copies;
} Reshaping;

static const Reshaping reshapings[] = {
    {"nothing moved", {0, 1, 2}, 0, 4, SHAPE(4, 3, 2), false},
    {"last axis split", {1, 0, 2}, 0, 4, SHAPE(3, 2, 2, 2), false},
    {"axes of length 1 put in", {2, 1, 0}, 0, 2, SHAPE(4, 1, 3, 1, 2, 1), false},
    {"even axes joined", {0, 1, 2}, 1, 3, SHAPE(6, 2), false},
    {"even axes joined and split", {0, 1, 2}, 1, 3, SHAPE(3, 2, 2), false},
    {"nothing left", {2, 1, 0}, 1, 1, SHAPE(0, 5), false},
    {"one column", {0, 1, 2}, 2, 3, SHAPE(6), false},
    {"swapped axes joined", {1, 0, 2}, 0, 4, SHAPE(6, 4), true},
    {"cut rows joined", {0, 1, 2}, 1, 3, SHAPE(12), true},
    {"all joined, reversed", {2, 1, 0}, 0, 2, SHAPE(24), true},
};

TEST(reshape_copies_only_where_it_must)
{
    tape = tape_new(1);
    for (size_t i = 0; i < sizeof reshapings / sizeof *reshapings; i++) {
        const Reshaping *r = &reshapings[i];
        Tensor *x = ag_permute(counted(shape3(2, 3, 4)), r->order);
        x = ag_slice(x, 2, r->from, r->to);
        Tensor *y = ag_reshape(x, r->shape);
        CHECK(tape->nodes == (r->copies ? 1 : 0), "%s: %d ops", r->what, tape->nodes);
        real before[24], after[24]; /* a reshape leaves the row-major order as it is */
        tensor_read(x, before);
        CHECK(shape_equal(y->shape, r->shape), "%s: %s", r->what, shape_str(y->shape));
        if (shape_equal(y->shape, r->shape))
            tensor_read(y, after);
        for (int64_t k = 0; k < tensor_size(y); k++)
            CHECK(before[k] == after[k], "%s: element %d", r->what, (int)k);
    }
    tape_free(tape);
}

/* The parts show x's columns one after another, and share its numbers. */
TEST(splits)
{
    tape = tape_new(1);
    Tensor *x = counted(shape2(2, 4)), *part[3];
    CHECK(ag_split(x, -1, part, 2), "%s", tensor_error());
    holds(part[0], shape2(2, 2), (real[]){0, 1, 4, 5});
    holds(part[1], shape2(2, 2), (real[]){2, 3, 6, 7});
    CHECK(part[1]->data == x->data + 2, "the part is a copy");
    CHECK(ag_split(x, 0, part, 2), "%s", tensor_error());
    holds(part[1], shape2(1, 4), (real[]){4, 5, 6, 7});
    CHECK(tape->nodes == 0, "%d ops were recorded for views", tape->nodes);
    CHECK_NO_ERROR();
    tape_free(tape);
}

/* What fails leaves poison in every part, so that a program that goes on does so with poison. */
TEST(impossible_splits)
{
    static const struct {
        int axis, parts;
        const char *error;
    } bad[] = {
        {1, 3, "ag_split: axis 1 of (2, 4); expected a length that is divisible by 3"},
        {2, 3, "ag_split: axis 2"},
        {1, 0, "ag_split: 0 parts and an array; expected 1 to 65536"},
    };
    tape = tape_new(1);
    for (int i = 0; i < 3; i++) {
        Tensor *x = counted(shape2(2, 4)), *part[3] = {x, x, x};
        CHECK(!ag_split(x, bad[i].axis, part, bad[i].parts) && tape->failed, "%s", bad[i].error);
        CHECK_ERROR(bad[i].error);
        for (int k = 0; k < 3; k++)
            CHECK(part[k] == (k < bad[i].parts ? tensor_poison() : x), "part %d: %s", k,
                  bad[i].error);
    }
    tape_reset(tape);
    Tensor *part[3];
    CHECK(!ag_split(tensor_poison(), 0, part, 3), "poison was split");
    CHECK(tensor_is_poison(part[2]) && !tensor_failed(), "poison is a new failure");
    tape_free(tape);
}

static void impossible(Tensor *view, const char *why)
{
    CHECK(tensor_is_poison(view), "there is a view: %s", why);
    CHECK_ERROR(why);
}

TEST(impossible_views)
{
    tape = tape_new(1);
    const Shape two_three = shape2(2, 3);
    impossible(ag_reshape(counted(two_three), shape2(4, -1)),
               "x is (2, 3), the shape (4, -1); expected a shape of 6 elements");
    impossible(ag_reshape(counted(two_three), shape2(-1, -1)), "expected at most one length of -1");
    impossible(ag_reshape(counted(two_three), shape2(-1, 0)), "(-1, 0); expected a shape of 6");
    impossible(ag_reshape(counted(two_three), shape2(-2, -3)), "is (-2, -3); expected lengths");
    impossible(ag_reshape(counted(two_three), (Shape){.rank = 1000}), "rank 1000");
    impossible(ag_transpose(counted(two_three), 0, 2), "ag_transpose: axis 2");
    impossible(ag_permute(counted(two_three), (int[]){1, 1}), "expected each axis once");
    impossible(ag_slice(counted(two_three), 1, 2, 4), "ag_slice: 2 to 4 of axis 1 of (2, 3)");
    impossible(ag_slice(counted(two_three), 0, -3, 1), "expected 0 <= begin <= end <= 2");
    impossible(ag_slice(counted(two_three), 1, 2, 1), "ag_slice: 2 to 1");
    tape_free(tape);
}

/* ---- gradients ------------------------------------------------------------------------------- */

/* What arrives at a view arrives at its base's place: with L = sum of upstream * view, dL/dx is the
 * upstream number where the view shows that element, and 0 elsewhere. */
static void gradient_through(Tensor *x, Tensor *view)
{
    real upstream[64], shown[64], want[64] = {0};
    tensor_read(view, shown); /* x counts 0, 1, ...: the number is the place */
    for (int64_t i = 0; i < tensor_size(view); i++)
        want[(int)shown[i]] += upstream[i] = (real)(i + 1) / 4;
    CHECK(ag_backward_from(view, upstream), "%s", tensor_error());
    gradient_is(x, want);
}

TEST(gradients_pass_through_views)
{
    tape = tape_new(1);
    for (int i = 0; i < 5; i++) {
        Tensor *x = counted(shape3(2, 3, 4)), *part[2];
        Tensor *permuted = ag_permute(x, (int[]){2, 0, 1}), *cut = ag_slice(x, 1, 1, 3);
        gradient_through(x, i == 0   ? ag_transpose(x, 0, 2)
                            : i == 1 ? ag_reshape(cut, shape2(2, 8))
                            : i == 2 ? (ag_split(x, 2, part, 2) ? part[1] : x)
                            : i == 3 ? ag_reshape(permuted, shape1(-1)) /* which copies */
                                     : ag_slice(ag_reshape(permuted, shape2(6, 4)), 1, 1, 3));
    }
    tape_free(tape);
}

TEST(gradients_that_meet)
{
    tape = tape_new(1);
    /* Two views that share an element, through different ops. */
    Tensor *x = counted(shape1(3)), *head = ag_slice(x, 0, 0, 2), *tail = ag_slice(x, 0, 1, 3);
    Tensor *y = ag_add(ag_sum(ag_scale(head, 2)), ag_sum(ag_mul(tail, tail)));
    CHECK(ag_backward(y), "%s", tensor_error());
    gradient_is(x, (real[]){2, 2 + 2 * 1, 2 * 2});
    CHECK(tail->grad == x->grad + 1, "the view's gradient is not its base's");
    /* y = h + h^T: the gradient of h is g + g^T, g that of y. It must not be made where g is still
     * to be read. */
    x = counted(shape2(2, 2));
    Tensor *h = ag_scale(x, 2);
    CHECK(ag_backward_from(ag_add(h, ag_transpose(h, 0, 1)), (real[]){1, 2, 3, 4}), "%s",
          tensor_error());
    gradient_is(x, (real[]){2 * (1 + 1), 2 * (2 + 3), 2 * (3 + 2), 2 * (4 + 4)});
    /* y = relu h + h: the gradient of h begins as that of the sum. What comes through relu is
     * added, and does not replace it. */
    x = counted(shape1(4));
    h = ag_scale(x, 2);
    CHECK(ag_backward_from(ag_add(ag_relu(h), h), (real[]){1, 2, 3, 4}), "%s", tensor_error());
    gradient_is(x, (real[]){2 * (0 + 1), 2 * (2 + 2), 2 * (3 + 3), 2 * (4 + 4)});
    tape_free(tape);
}

TEST(a_view_of_a_gradient_that_was_given_back)
{
    tape = tape_new(1);
    Tensor *h = ag_scale(counted(shape1(4)), 2), *view = ag_slice(h, 0, 1, 3);
    CHECK(ag_backward(ag_sum(view)), "%s", tensor_error());
    CHECK(!h->grad && !view->grad, "the gradient was given back, and the view still shows it");
    tape_free(tape);
}

/* Every order of axes leads back to the order in memory: the sum is the tape's only node. A tensor
 * with gaps, and one that is expanded, are copied first. */
TEST(permuted_sums_copy_nothing)
{
    static const int orders[][3] = {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    tape = tape_new(1);
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        Tensor *x = counted(shape3(2, 3, 4)), *sum = ag_sum(ag_permute(x, orders[k]));
        CHECK_CLOSE(tensor_item(sum), 23 * 24 / 2.0, 0);
        CHECK(tape->nodes == 1, "order %d: %d nodes", (int)k, tape->nodes);
        REQUIRE(ag_backward(sum), "%s", tensor_error());
        for (int i = 0; i < 24; i++)
            CHECK(x->grad[i] == 1, "order %d, element %d: %g", (int)k, i, (double)x->grad[i]);
        CHECK_CLOSE(tensor_item(ag_mean(ag_slice(x, 2, 1, 3))), 11.5, 0);
        CHECK_CLOSE(tensor_item(ag_sum(ag_expand(x, shape4(2, 2, 3, 4)))), 23 * 24, 0);
    }
    tape_free(tape);
}

/* The gradient as a tensor, of leaves, weights and views, which sees what the program writes. */
TEST(the_gradient_is_a_tensor)
{
    Params *p = params_new(1);
    Tensor *w = params_add(p, "w", shape2(2, 3), nn_constant(1));
    tape = tape_new(1);
    Tensor *x = tape_leaf(tape, (real[]){1, 2, 3, 4, 5, 6}, shape2(2, 3));
    Tensor *xt = ag_transpose(x, 0, 1), *h = ag_mul(x, w), *kept = ag_keep(ag_scale(h, 2));
    CHECK(ag_backward(ag_sum(ag_mul(kept, kept))), "%s", tensor_error());
    /* L = sum 4 x^2 w^2:  dL/dx = 8 x, dL/dw = 8 x^2, dL/dkept = 2 kept = 4 x */
    holds(ag_grad(x), shape2(2, 3), (real[]){8, 16, 24, 32, 40, 48});
    holds(ag_grad(xt), shape2(3, 2), (real[]){8, 32, 16, 40, 24, 48});
    holds(ag_grad(tape_param(tape, w)), shape2(2, 3), (real[]){8, 32, 72, 128, 200, 288});
    holds(ag_grad(kept), shape2(2, 3), (real[]){4, 8, 12, 16, 20, 24});
    ag_grad(x)->data[0] = 7;
    CHECK(x->grad[0] == 7 && !ag_grad(x)->needs_grad, "it is a copy");
    REFUSES(ag_grad, "(2, 3) has no gradient; expected one that backward has reached", h);
    tape_free(tape);
    params_free(p);
}
