/* test_own_op.c: an op from outside of the library, and whether the gradient check deserves its
 * name.
 *
 * y = x^3, made as a user would make it. Then the same with each mistake that is easily made in
 * backward: the check has to refuse it. A check that passes everything would pass the library,
 * too. */
#include "tests/harness/runner.h"
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

/* dL/dx += factor x^2 dL/dy; right with 3 */
static void cube_add(Node *n, real factor)
{
    const Tensor *x = n->in[0], *y = n->out;
    for (int64_t i = 0; i < tensor_size(y); i++)
        x->grad[i] += factor * x->data[i] * x->data[i] * y->grad[i];
}

static void cube_backward(Node *n)
{
    cube_add(n, 3);
}

static void wrong_sign(Node *n)
{
    cube_add(n, -3);
}

static void missing_factor(Node *n)
{
    cube_add(n, 1);
}

static void nearly_right(Node *n)
{
    cube_add(n, (real)3.001);
}

static void nothing(Node *n)
{
    (void)n;
}

static void assigns(Node *n)
{
    const Tensor *x = n->in[0], *y = n->out;
    for (int64_t i = 0; i < tensor_size(y); i++)
        x->grad[i] = 3 * x->data[i] * x->data[i] * y->grad[i];
}

static void forgets_upstream(Node *n)
{
    const Tensor *x = n->in[0];
    for (int64_t i = 0; i < tensor_size(x); i++)
        x->grad[i] += 3 * x->data[i] * x->data[i];
}

static void off_by_one(Node *n)
{
    const Tensor *x = n->in[0], *y = n->out;
    for (int64_t i = 0; i + 1 < tensor_size(y); i++)
        x->grad[i] += 3 * x->data[i] * x->data[i] * y->grad[i];
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
    {.label = "plain", .in = {SHAPE(3, 4)}, .inputs = 1},
    {.label = "size 0", .in = {SHAPE(2, 0)}, .inputs = 1},
    {.label = "size 1", .in = {SHAPE(1, 1)}, .inputs = 1},
    {.label = "scalar", .in = {{0}}, .inputs = 1},
    {0},
};
static const OpTest cube_test = {.op = "cube", .one = ag_cube, .samples = cube_samples};

/* The first cases of the table are these, in the order of op_checks.h. */
static void tried(void)
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
static void elementwise(void)
{
    enum { N = 5000 };
    static real number[N], first[N];
    Op in_place = cube;
    in_place.elementwise = true;
    for (int i = 0; i < N; i++)
        number[i] = (real)(0.001 * (i - 2000));
    Tape *tape = tape_new(1);
    for (int way = 0; way < 2; way++) {
        tape_reset(tape);
        Tensor *x = tape_leaf(tape, number, shape1(N)), *h = ag_scale(x, 3);
        Tensor *y = ag_apply(way ? &in_place : &cube, &h, 1, NULL, 0);
        CHECK(ag_backward(ag_sum(ag_mul(y, y))), "%s", tensor_error());
        if (way == 0)
            memcpy(first, x->grad, sizeof first);
        CHECK(memcmp(first, x->grad, sizeof first) == 0, "in place the gradient is another");
    }
    tape_free(tape);
}

static void refuses_nothing(void)
{
    Tape *tape = tape_new(1);
    CHECK(tensor_is_poison(ag_apply(&cube, (Tensor *[]){NULL}, 1, NULL, 0)), "NULL was taken");
    CHECK_ERROR("test_own_op.c");
    CHECK(tensor_is_poison(ag_apply(&cube, NULL, 0, NULL, 0)), "no operand was taken");
    CHECK_ERROR("ag_apply: cube: 0 operands; expected 1 to 65536");
    tape_free(tape);
}

static void passes_what_is_right(void)
{
    CHECK(gradcheck_of(&cube, apply, shape2(3, 4)), "%s", tensor_error());
    CHECK(gradcheck_of(&cube, apply_after, shape2(3, 4)), "%s", tensor_error());
    CHECK(gradcheck_of(&cube, apply, shape1(200)), "%s", tensor_error());
    CHECK(gradcheck_of(&cube, apply, shape0()), "%s", tensor_error());
    CHECK(gradcheck_of(&cube, apply, shape2(0, 4)), "%s", tensor_error());
}

typedef struct {
    const char *mistake;
    void (*backward)(Node *n);
} Mistake;

static const Mistake mistakes[] = {
    {"a wrong sign", wrong_sign},
    {"a missing factor", missing_factor},
    {"an empty backward", nothing},
    {"= for +=", assigns},
    {"the upstream gradient left out", forgets_upstream},
    {"the last element left out", off_by_one},
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

/* Up to 64 elements each is tried; beyond that random directions. Both have to find each
 * mistake. */
static void finds_mistakes(void)
{
    for (int i = 0; i < MISTAKES; i++) {
        Op wrong = cube;
        wrong.backward = mistakes[i].backward;
        for (int large = 0; large < 2; large++) {
            CHECK(!gradcheck_of(&wrong, apply_after, shape1(large ? 200 : 6)), "%s passes%s",
                  mistakes[i].mistake, large ? " in random directions" : "");
            CHECK_ERROR("gradcheck: operand 1");
        }
    }
}

/* In double one part in 3000 is seen; in float the rounding of the difference is larger than
 * that. */
static void is_sharp(void)
{
    Op wrong = cube;
    wrong.backward = nearly_right;
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

static void is_not_a_plain_sum(void)
{
    CHECK(gradcheck_of(NULL, softmax_of, shape2(3, 4)), "%s", tensor_error());
    CHECK(!gradcheck_of(NULL, softmax_cut, shape2(3, 4)), "a softmax without backward passes");
    CHECK_ERROR("gradcheck: operand 1");
}

int main(int argc, char **argv)
{
    static const TestCase cases[] = {
        {"an op from outside is tried: samples", tried},
        {"an op from outside is tried: gradient", tried},
        {"an op from outside is tried: views", tried},
        {"an op from outside is tried: constants", tried},
        {"an op from outside is tried: adds", tried},
        {"it is spared NULL", refuses_nothing},
        {"an elementwise op has its gradient in place", elementwise},
        {"gradcheck passes what is right", passes_what_is_right},
        {"gradcheck finds each planted mistake", finds_mistakes},
        {"gradcheck sees one part in 3000", is_sharp},
        {"gradcheck weights the outputs", is_not_a_plain_sum},
        {NULL, NULL},
    };
    return run_tests("own op", cases, argc, argv);
}
