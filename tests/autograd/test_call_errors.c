/* test_call_errors.c: wrong calls of ag_apply and ag_gradcheck, and shapes that the functions that
 * make and view tensors refuse, with an error that names the function, what was found and what was
 * expected. What a type tells to be wrong, tests/project/misuse tries with every function. */
#include "tests/harness/test.h"

#include "autograd/autograd.h"

static Tape *tape;

static Tensor *ones(Shape shape)
{
    return tape_full(tape, 1, shape);
}

static Tensor **operand(void)
{
    static Tensor *x;
    x = ones(shape1(2));
    return &x;
}

TEST(own_ops)
{
    static const Op nameless = {.forward = NULL}, lazy = {.name = "lazy"};
    tape = tape_new(1);
    REFUSES_ON(tape, ag_apply, "op is NULL; expected an op", NULL, operand(), 1, NULL, 0);
    REFUSES_ON(tape, ag_apply, "the op has no name", &nameless, operand(), 1, NULL, 0);
    REFUSES_ON(tape, ag_apply, "the op has no forward", &lazy, operand(), 1, NULL, 0);
    REFUSES_ON(tape, ag_apply, "attrs is NULL", ag_ops[0], operand(), 1, NULL, 8);
    tape_free(tape);
}

/* ---- gradcheck ------------------------------------------------------------------------------- */

static int calls_until_failure;

static Tensor *square(Tensor **x, void *context)
{
    (void)context;
    return ag_mul(x[0], x[0]);
}

/* Fails with an error from a certain call on. */
static Tensor *fails(Tensor **x, void *context)
{
    (void)context;
    return calls_until_failure-- > 0 ? ag_mul(x[0], x[0]) : ag_reshape(x[0], shape1(7));
}

static Tensor *gives_nothing(Tensor **x, void *context)
{
    (void)x, (void)context;
    return NULL;
}

static Tensor *gives_a_constant(Tensor **x, void *context)
{
    (void)context;
    return tape_full(tape, 1, x[0]->shape);
}

static bool checks(AgFunction f, Tensor *x)
{
    return ag_gradcheck(tape, f, NULL, &x, 1, (GradCheck){0});
}

TEST(gradchecks)
{
    static const char function[] = "ag_gradcheck";
    Tensor *x = tensor_new(shape1(3)), *none = NULL;
    tape = tape_new(1);
    REQUIRE(x, "no memory");
    const GradCheck usual = {0};
    REFUSES(ag_gradcheck, "n is 0 and x is given; expected 1 to ", tape, square, NULL, &x, 0,
            usual);
    REFUSES(ag_gradcheck, "n is 1 and x is NULL; expected", tape, square, NULL, NULL, 1, usual);
    REFUSES(ag_gradcheck, "operand 1", tape, square, NULL, &none, 1, usual);
    CHECK(!checks(gives_nothing, x), "a function without a result");
    CHECK_REFUSAL(function, "f gave NULL or poison without an error; expected a tensor");
    CHECK(!checks(gives_a_constant, x), "a constant");
    CHECK_REFUSAL(function, "depends on nothing that needs a gradient");
    for (calls_until_failure = 0; calls_until_failure < 4;) {
        int first = calls_until_failure;
        CHECK(!checks(fails, x), "a function that fails at call %d", first);
        CHECK_REFUSAL("ag_reshape", "x is (3,), the shape (7,); expected a shape of 3 elements");
        tape_reset(tape);
        calls_until_failure = first + 1;
    }
    CHECK(checks(square, x), "%s", tensor_error());
    tensor_free(x);
    tape_free(tape);
}

static Tensor *mul_embedding(Tensor **x, void *context)
{
    (void)context;
    return ag_embedding(x[0], x[1]);
}

/* Ids are passed on. */
TEST(gradcheck_with_ids)
{
    tape = tape_new(1);
    Tape *other = tape_new(2);
    Tensor *x[2] = {tensor_new(shape2(3, 2)), tape_ids(other, (int[]){2, 0, 2}, shape1(3))};
    CHECK(ag_gradcheck(tape, mul_embedding, NULL, x, 2, (GradCheck){0}), "%s", tensor_error());
    tensor_free(x[0]);
    tape_free(tape);
    tape_free(other);
}

TEST_OUT_OF_MEMORY(gradcheck_out_of_memory)
{
    Tensor *x = tensor_new(shape1(3));
    tape = tape_new(1);
    bool ok = x && tape && checks(square, x);
    tensor_free(x);
    tape_free(tape);
    return ok;
}

/* ---- tensors --------------------------------------------------------------------------------- */

TEST(tensors)
{
    static const int32_t some[2] = {0};
    tape = tape_new(1);
    Tape *other = tape_new(2);
    REFUSES_ON(tape, tape_full, "shape (2305843009213693952,); expected one that fits into memory",
               tape, 1, shape1(INT64_C(1) << 61));
    REFUSES_ON(tape, tape_ids, "shape (2305843009213693952,); expected one that fits into memory",
               tape, some, shape1(INT64_C(1) << 61));
    tape_reset(tape);
    CHECK(tensor_is_poison(tape_param(tape, tensor_poison())) && tape->failed, "poison");
    CHECK_NO_ERROR();
    REFUSES_ON(tape, ag_rotary, "x is (2, 4), table (2, 6), positions none; expected x (..., T, d)",
               ones(shape2(2, 4)), ones(shape2(2, 6)), NULL);
    REFUSES_ON(tape, tape_param, "holds whole numbers; expected a weight", tape,
               tape_ids(other, some, shape1(2)));
    tape_free(tape);
    tape_free(other);
}
