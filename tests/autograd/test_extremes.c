/* test_extremes.c: the largest along an axis, and where it stands; the smaller of two. They are
 * made of other ops, so the list of ops does not try them. */
#include "tests/harness/runner.h"

#include "autograd/autograd.h"

#include <math.h>

/* By the definition, of every element; ties, NaN and every axis, also of a transpose. */
static void the_largest_along_an_axis(void)
{
    const real numbers[12] = {3, 1, 3, -2, 5, 4, 0, (real)NAN, 2, 9, -1, 9};
    Tape *tape = tape_new(1);
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
    CHECK(tensor_is_poison(ag_argmax(tape_full(tape, 1, shape2(0, 3)), 0, false)), "of nothing");
    CHECK_ERROR("ag_argmax: x is (0, 3); expected 1 or more elements along axis 0");
    tape_reset(tape);
    CHECK(tensor_is_poison(ag_max_axis(tape_full(tape, 1, shape1(3)), 1, false)), "no such axis");
    CHECK_ERROR("ag_max_axis: ");
    tape_free(tape);
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

static void gradients_of_extremes(void)
{
    Tape *tape = tape_new(1);
    real numbers[12];
    for (int i = 0; i < 12; i++)
        numbers[i] = (real)(i * 7 % 12);
    Tensor *a = tensor_from(numbers, shape2(3, 4)), *b = tensor_from(numbers + 3, shape1(4));
    b->data[0] += (real)0.5, b->data[1] += (real)0.5, b->data[2] += (real)0.5,
        b->data[3] += (real)0.5;
    CHECK(ag_gradcheck(tape, smaller, NULL, (Tensor *[]){a, b}, 2, (GradCheck){0}), "%s",
          tensor_error());
    for (int axis = 0; axis < 2; axis++)
        CHECK(ag_gradcheck(tape, largest, &axis, &a, 1, (GradCheck){0}), "%s", tensor_error());
    tape_reset(tape);
    Tensor *x = tape_leaf(tape, (real[]){1, 2, (real)NAN}, shape1(3)),
           *one = tape_full(tape, 1, shape1(3));
    Tensor *y = ag_minimum(x, ag_scale(one, 2));
    CHECK(y->data[0] == 1 && y->data[1] == 2 && isnan(y->data[2]), "the smaller");
    CHECK(tensor_is_poison(ag_minimum(x, tape_full(tape, 1, shape1(2)))), "it fits");
    CHECK_ERROR("ag_minimum: a is (3,), b is (2,)");
    tensor_free(a);
    tensor_free(b);
    tape_free(tape);
}

static const TestCase cases[] = {
    {"the largest along an axis", the_largest_along_an_axis},
    {"gradients of extremes", gradients_of_extremes},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("extremes", cases, argc, argv);
}
