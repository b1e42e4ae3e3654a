/* test_own_op.c: an op from outside of the library, and whether the gradient check deserves its
 * name.
 *
 * y = x^3, made as a user would make it. Then the same with each mistake that is easily made in
 * backward: the check has to refuse it. A check that passes everything would pass the library,
 * too. */
#include "tests/autograd/on_tape.h"
#include "tests/autograd/op_checks.h"

#include <string.h>

static bool cube_shape(const Node *n, Shape *y)
{
    *y = n->in[0]->shape;
    return true;
}

static void cube_forward(Node *n)
{
    for (int64_t i = 0; i < tensor_size(n->out); i++) {
        real x = n->in[0]->data[i];
        n->out->data[i] = x * x * x;
    }
}

/* dL/dx += 3 x^2 dL/dy; or what the mistakes make of it. */
typedef struct {
    const char *what;
    double factor;
    bool assigns, without_upstream, without_last;
} Mistake;

static void cube_add(Node *n, Mistake m)
{
    const Tensor *x = n->in[0], *y = n->out;
    for (int64_t i = 0; i < tensor_size(y) - m.without_last; i++)
        x->grad[i] = (m.assigns ? 0 : x->grad[i]) + (real)m.factor * x->data[i] * x->data[i] *
                                                        (m.without_upstream ? 1 : y->grad[i]);
}

static void cube_backward(Node *n)
{
    cube_add(n, (Mistake){.factor = 3});
}

static Mistake planted;

static void wrong_backward(Node *n)
{
    cube_add(n, planted);
}

static const Op cube = {.name = "cube",
                        .shape = cube_shape,
                        .forward = cube_forward,
                        .backward = cube_backward};

/* ---- tried as the library's ops are ---------------------------------------------------------- */

static Tensor *ag_cube(Tensor *x)
{
    return ag_apply(&cube, &x, 1, NULL, 0);
}

static const OpSample cube_samples[] = {
    {"plain", "3,4"}, {"size 0", "2,0"}, {"size 1", "1,1"}, {"scalar", "()"}, {0},
};
static const OpTest cube_test = {.op = "cube", .one = ag_cube, .samples = cube_samples};

static int checks(void)
{
    return OP_CHECKS;
}

TEST_EACH(an_op_from_outside, checks, op_check_name)
{
    op_check(test_index(), &cube, &cube_test);
}

/* ---- gradcheck, on what is right and what is not --------------------------------------------- */

static Tensor *apply(Tensor **x, void *context)
{
    return ag_apply(context, x, 1, NULL, 0);
}

/* The op after another use of x, so that its backward meets a gradient that is already there. */
static Tensor *apply_after(Tensor **x, void *context)
{
    Tensor *y = ag_apply(context, x, 1, NULL, 0);
    return ag_add(y, ag_scale(x[0], 5));
}

static bool gradcheck_of(const Op *op, AgFunction f, Shape shape)
{
    Tape *tape = tape_new(1);
    Tensor *x = tensor_new(shape);
    for (int64_t i = 0; i < tensor_size(x); i++)
        x->data[i] = (real)(0.5 + 0.25 * (double)(i % 5));
    bool ok = ag_gradcheck(tape, f, (void *)(uintptr_t)op, &x, 1, (GradCheck){0});
    tensor_free(x);
    tape_free(tape);
    return ok;
}

/* The gradient of an elementwise op may be computed block by block, in the memory of its result's:
 * to the same bits. 5000 numbers are several blocks. */
TEST_ON_TAPE(an_elementwise_op_has_its_gradient_in_place)
{
    enum { N = 5000 };
    static real number[N], first[N];
    Op in_place = cube;
    in_place.elementwise = true;
    for (int i = 0; i < N; i++)
        number[i] = (real)(0.001 * (i - 2000));
    for (int way = 0; way < 2; way++) {
        tape_reset(tape);
        Tensor *x = tape_leaf(tape, number, shape1(N)), *h = ag_scale(x, 3);
        Tensor *y = ag_apply(way ? &in_place : &cube, &h, 1, NULL, 0);
        CHECK(ag_backward(ag_sum(ag_mul(y, y))), "%s", tensor_error());
        if (way == 0)
            memcpy(first, x->grad, sizeof first);
        CHECK(memcmp(first, x->grad, sizeof first) == 0, "in place the gradient is another");
    }
}

TEST(an_op_is_spared_NULL)
{
    REFUSES(ag_apply, "test_own_op.c", &cube, (Tensor *[]){NULL}, 1, NULL, 0);
    REFUSES(ag_apply, "cube: 0 operands; expected 1 to 65536", &cube, NULL, 0, NULL, 0);
}

TEST(gradcheck_passes_what_is_right)
{
    CHECK(gradcheck_of(&cube, apply, shape2(3, 4)), "%s", tensor_error());
    CHECK(gradcheck_of(&cube, apply_after, shape2(3, 4)), "%s", tensor_error());
    CHECK(gradcheck_of(&cube, apply, shape1(200)), "%s", tensor_error());
    CHECK(gradcheck_of(&cube, apply, shape0()), "%s", tensor_error());
    CHECK(gradcheck_of(&cube, apply, shape2(0, 4)), "%s", tensor_error());
}

/* Up to 64 elements each is tried; beyond that random directions. Both have to find each
 * mistake. */
TEST(gradcheck_finds_each_planted_mistake)
{
    static const Mistake mistakes[] = {
        {.what = "a wrong sign", .factor = -3},
        {.what = "a missing factor", .factor = 1},
        {.what = "an empty backward", .factor = 0},
        {.what = "= for +=", .factor = 3, .assigns = true},
        {.what = "the upstream gradient left out", .factor = 3, .without_upstream = true},
        {.what = "the last element left out", .factor = 3, .without_last = true},
    };
    Op wrong = cube;
    wrong.backward = wrong_backward;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        for (int large = 0; large < 2; large++) {
            planted = mistakes[i];
            CHECK(!gradcheck_of(&wrong, apply_after, shape1(large ? 200 : 6)), "%s passes%s",
                  planted.what, large ? " in random directions" : "");
            CHECK_ERROR("gradcheck: operand 1");
        }
}

/* In double one part in 3000 is seen; in float the rounding of the difference is larger than
 * that. */
TEST(gradcheck_sees_one_part_in_3000)
{
    Op wrong = cube;
    wrong.backward = wrong_backward;
    planted = (Mistake){.factor = 3.001};
    if (sizeof(real) != sizeof(double))
        SKIP("finite differences need double");
    CHECK(!gradcheck_of(&wrong, apply, shape1(6)), "3.001 for 3 passes");
    CHECK_ERROR("gradcheck: operand 1");
}

/* The sum of a softmax does not depend on x: under a plain sum an empty backward would pass. */
static Tensor *softmax_of(Tensor **x, void *context)
{
    (void)context;
    return ag_softmax(x[0]);
}

static Tensor *softmax_cut(Tensor **x, void *context)
{
    (void)context;
    return ag_add(ag_detach(ag_softmax(x[0])), ag_scale(x[0], 0));
}

TEST(gradcheck_weights_the_outputs)
{
    CHECK(gradcheck_of(NULL, softmax_of, shape2(3, 4)), "%s", tensor_error());
    CHECK(!gradcheck_of(NULL, softmax_cut, shape2(3, 4)), "a softmax without backward passes");
    CHECK_ERROR("gradcheck: operand 1");
}
