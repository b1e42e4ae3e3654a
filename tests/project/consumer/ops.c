/* ops.c: ops of the installed library against C's mathematics. Ends with 0 if all agree. */
#include <gradus.h>

#include "checks.h"

static double relu_free_square(double x)
{
    return x * x;
}
static double negative(double x)
{
    return -x;
}
static double silu(double x)
{
    return x / (1 + exp(-x));
}
static double softplus(double x)
{
    return log(1 + exp(x));
}
static double gelu_tanh(double x)
{
    return 0.5 * x * (1 + tanh(sqrt(2 / 3.141592653589793) * (x + 0.044715 * x * x * x)));
}
static Tensor *square(Tensor *x)
{
    return ag_pow(x, 2);
}

static const real number[] = {(real)0.5, 1, 2, 3, (real)0.25, 4};

/* Functions of one number, on positive ones. */
static void check_functions(Tape *tape)
{
    static const struct {
        const char *name;
        Tensor *(*op)(Tensor *);
        double (*function)(double);
    } list[] = {{"ag_abs", ag_abs, fabs},
                {"ag_log", ag_log, log},
                {"ag_neg", ag_neg, negative},
                {"ag_pow", square, relu_free_square},
                {"ag_silu", ag_silu, silu},
                {"ag_softplus", ag_softplus, softplus},
                {"ag_gelu_tanh", ag_gelu_tanh, gelu_tanh}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        Tensor *y = list[i].op(tape_input(tape, number, shape1(6)));
        for (int64_t k = 0; k < 6; k++)
            CHECK_NEAR(tensor_get(y, &k), list[i].function((double)number[k]), list[i].name);
    }
}

/* Sums and extremes of (2, 3): rows 0.5 1 2 and 3 0.25 4. */
static void check_reductions(Tape *tape)
{
    Tensor *x = tape_input(tape, number, shape2(2, 3));
    int64_t first = 0, corner[] = {1, 2};
    CHECK_NEAR(tensor_item(ag_sum(x)), 10.75, "ag_sum");
    CHECK_NEAR(tensor_get(ag_sum_axis(x, 0, false), &first), 3.5, "ag_sum_axis");
    CHECK_NEAR(tensor_get(ag_logsumexp(x, 1, false), &first), log(exp(0.5) + exp(1) + exp(2)),
               "ag_logsumexp");
    CHECK_NEAR(tensor_get(ag_max_axis(x, 1, false), &first), 2, "ag_max_axis");
    CHECK(ag_argmax(x, 0, false)->ids[1] == 0, "ag_argmax");
    CHECK_NEAR(tensor_get(ag_log_softmax(x), corner), 4 - log(exp(3) + exp(0.25) + exp(4)),
               "ag_log_softmax");
}

/* Choosing, padding and splitting. */
static void check_selection(Tape *tape)
{
    Tensor *x = tape_input(tape, number, shape2(2, 3)), *part[3];
    int64_t at[] = {0, 2}, none[] = {0, 0}, one[] = {1, 1};
    Tensor *mask = tape_input(tape, (real[]){0, 0, 1}, shape1(3));
    CHECK_NEAR(tensor_get(ag_where(mask, x, ag_scale(x, 10)), none), 5, "ag_where");
    CHECK_NEAR(tensor_get(ag_maximum(x, ag_neg(x)), at), 2, "ag_maximum");
    CHECK_NEAR(tensor_get(ag_minimum(x, ag_neg(x)), at), -2, "ag_minimum");
    CHECK_NEAR(tensor_get(ag_clamp(ag_shift(x, -1), -0.25, 0.5), at), 0.5, "ag_shift, ag_clamp");
    Tensor *ids = tape_ids(tape, (int[]){2, 0}, shape2(2, 1));
    CHECK_NEAR(tensor_get(ag_gather(x, 1, ids), none), 2, "ag_gather");
    CHECK_NEAR(tensor_get(ag_pad(x, one, none, 9), none), 9, "ag_pad");
    CHECK(ag_split(x, 1, part, 3) && shape_equal(part[2]->shape, shape2(2, 1)), "ag_split");
    Tensor *image = tape_input(tape, number, shape4(1, 1, 2, 3));
    Tensor *kernel = tape_full(tape, 1, shape4(1, 1, 2, 3));
    CHECK_NEAR(tensor_item(ag_conv2d(image, kernel, NULL, 1, 0)), 10.75, "ag_conv2d");
}

/* A loss of x^2 in which one factor is a constant: dL/dx = 0.5, and the gradient of x y is kept. */
static void check_gradients(Tape *tape)
{
    tape_reset(tape);
    Tensor *x = tape_leaf(tape, number, shape1(1));
    Tensor *y = ag_keep(ag_mul(x, ag_detach(x)));
    CHECK(ag_backward(ag_sum(y)), "ag_backward");
    CHECK_NEAR(x->grad[0], 0.5, "ag_detach");
    CHECK_NEAR(tensor_item(ag_grad(y)), 1, "ag_keep, ag_grad");

    /* The fused loss is the loss of the logits. */
    Tensor *h = tape_input(tape, number, shape2(2, 3)), *W = tape_input(tape, number, shape2(2, 3));
    Tensor *targets = tape_ids(tape, (int[]){1, 0}, shape1(2));
    Tensor *fused = ag_linear_cross_entropy(h, W, NULL, targets, (CrossEntropyOptions){0});
    Tensor *plain = ag_cross_entropy(ag_linear(h, W, NULL), targets);
    CHECK_NEAR(tensor_item(fused), (double)tensor_item(plain), "ag_linear_cross_entropy");
}

int main(void)
{
    Tape *tape = tape_new(1);
    check_functions(tape);
    check_reductions(tape);
    check_selection(tape);
    check_gradients(tape);
    tape_free(tape);
    return wrong != 0;
}
