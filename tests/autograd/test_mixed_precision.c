/* test_mixed_precision.c: tape->precision, PRECISION_BF16: which ops round their operands, forward
 * and backward, which do not, and what is refused. How the kernels round: test_bf16.c. */
#include "tests/harness/runner.h"

#include "nn/decode/decode.h"
#include "nn/nn.h"

#include <math.h>
#include <string.h>

enum { N = 6, C = 8 };

/* One op on a (6, 8), b (6, 8) and c (6, 8): a tensor whose gradients are followed. */
typedef Tensor *Compute(Tensor *a, Tensor *b, Tensor *c);

static Tensor *linear(Tensor *a, Tensor *b, Tensor *c)
{
    (void)c;
    return ag_linear(a, b, NULL);
}

static Tensor *matmul(Tensor *a, Tensor *b, Tensor *c)
{
    (void)c;
    return ag_matmul(a, ag_transpose(b, 0, 1));
}

static Tensor *conv(Tensor *a, Tensor *b, Tensor *c)
{
    (void)c;
    return ag_conv1d(a, ag_reshape(b, shape3(C, N, 1)), NULL, 1, 0);
}

static Tensor *attention(Tensor *a, Tensor *b, Tensor *c)
{
    return ag_attention(a, b, c, (Mask){0}, 0);
}

static Tensor *head_loss(Tensor *a, Tensor *b, Tensor *c)
{
    (void)c;
    Tensor *labels = tape_ids(a->tape, (int[N]){0, 1, 2, 3, 4, 5}, shape1(N));
    return ag_linear_cross_entropy(a, b, NULL, labels, (CrossEntropyOptions){0});
}

static Tensor *others(Tensor *a, Tensor *b, Tensor *c)
{
    Tensor *y = ag_softmax(ag_add(ag_mul(a, b), ag_gelu(c)));
    return ag_add(ag_mse(y, c), ag_sum(ag_tanh(ag_exp(ag_scale(y, 0.3f)))));
}

/* x with 8 significant bits. */
static real rounded(real x)
{
    int exponent;
    const double fraction = frexp((double)x, &exponent);
    return (real)ldexp(rint(ldexp(fraction, 8)), exponent - 8);
}

typedef struct {
    real y[C * C], grad[3][N * C];
    int64_t size;
} Result;

/* The op's result, and the gradients of a sum whose weights are powers of two, with one precision;
 * the inputs rounded beforehand or not. */
static bool compute(Result *r, Compute *op, Precision precision, bool round)
{
    Tape *tape = tape_new(1);
    Rng rng = {.seed = 1};
    Tensor *in[3];
    real numbers[N * C], weight[C * C];
    tape->precision = precision;
    for (int i = 0; i < C * C; i++)
        weight[i] = (real)ldexp(1, -(i % 3));
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < N * C; i++) {
            numbers[i] = (real)rng_normal(&rng);
            numbers[i] = round ? rounded(numbers[i]) : numbers[i];
        }
        in[k] = tape_leaf(tape, numbers, shape2(N, C));
    }
    Tensor *y = op(in[0], in[1], in[2]);
    memset(r, 0, sizeof *r);
    r->size = tensor_is_poison(y) ? 0 : tensor_size(y);
    bool ok = r->size > 0 && r->size <= C * C;
    if (ok) {
        memcpy(r->y, y->data, (size_t)r->size * sizeof *r->y);
        ok = ag_backward(ag_sum(ag_mul(y, tape_input(tape, weight, y->shape))));
    }
    for (int k = 0; ok && k < 3; k++)
        if (in[k]->grad)
            memcpy(r->grad[k], in[k]->grad, sizeof r->grad[k]);
    tape_free(tape);
    return ok;
}

/* The largest difference of two results, results and gradients separately. */
static void differences(const Result *a, const Result *b, double *of_y, double *of_grad)
{
    *of_y = *of_grad = 0;
    for (int64_t i = 0; i < a->size; i++)
        *of_y = larger_or_nan(*of_y, fabs((double)(a->y[i] - b->y[i])));
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N * C; i++)
            *of_grad = larger_or_nan(*of_grad, fabs((double)(a->grad[k][i] - b->grad[k][i])));
}

/* Sums of at most 8 products of normal numbers: floats agree to 1e-5, and rounding to 8 bits
 * changes a sum of 96 operands by more than 1e-4. */
static void products_round(void)
{
    static const struct {
        const char *name;
        Compute *op;
        bool exact; /* do the products of backward have operands of 8 bits? */
    } op[] = {{"linear", linear, true},
              {"matmul", matmul, true},
              {"conv1d", conv, true},
              {"attention", attention, false},
              {"linear_cross_entropy", head_loss, false}};
    for (size_t i = 0; i < sizeof op / sizeof *op; i++) {
        Result in_float, in_bf16, of_rounded;
        double y, grad;
        REQUIRE(compute(&in_float, op[i].op, PRECISION_FLOAT, false) &&
                    compute(&in_bf16, op[i].op, PRECISION_BF16, false) &&
                    compute(&of_rounded, op[i].op, PRECISION_FLOAT, true),
                "%s: %s", op[i].name, tensor_error());
        differences(&in_bf16, &in_float, &y, &grad);
        CHECK(y > 1e-4 && grad > 1e-4, "%s changes by %g, gradients by %g", op[i].name, y, grad);
        differences(&in_bf16, &of_rounded, &y, &grad);
        CHECK(!op[i].exact || (y < 1e-5 && grad < 1e-5),
              "%s differs from that of rounded operands by %g, gradients by %g", op[i].name, y,
              grad);
    }
}

static void others_do_not(void)
{
    Result in_float, in_bf16;
    REQUIRE(compute(&in_float, others, PRECISION_FLOAT, false) &&
                compute(&in_bf16, others, PRECISION_BF16, false),
            "%s", tensor_error());
    CHECK(memcmp(&in_float, &in_bf16, sizeof in_float) == 0,
          "softmax, losses and elementwise ops have other bits");
}

static void refusals(void)
{
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    params_add(p, "w", shape2(2, 2), nn_normal(1));
    tape->precision = (Precision)7;
    Tensor *x = tape_full(tape, 1, shape2(2, 2));
    CHECK(tensor_is_poison(ag_matmul(x, x)), "an unknown precision");
    CHECK_REFUSAL("ag_matmul", "precision is 7");
    tape_free(tape);
    params_free(p);
}

/* A run continues in its own precision. */
static void checkpoints(void)
{
    const char *path = scratch_path("run.safetensors");
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    Checkpoint c = {.params = p, .tape = tape};
    params_add(p, "w", shape1(2), nn_normal(1));
    for (int saved = PRECISION_FLOAT; saved <= PRECISION_BF16; saved++) {
        tape->precision = (Precision)saved;
        CHECK(nn_checkpoint_save(&c, path) && nn_checkpoint_load(&c, path), "%s", tensor_error());
        tape->precision = saved == PRECISION_FLOAT ? PRECISION_BF16 : PRECISION_FLOAT;
        CHECK(!nn_checkpoint_load(&c, path), "a run in the other precision is continued");
        CHECK_REFUSAL("nn_checkpoint_load", "precision");
    }
    tape_free(tape);
    params_free(p);
}

int main(int argc, char **argv)
{
    static const TestCase cases[] = {
        {"products round their operands, forward and backward", products_round},
        {"other ops do not", others_do_not},
        {"what makes no sense is refused", refusals},
        {"a run continues in its own precision", checkpoints},
        {NULL, NULL},
    };
    return run_tests("mixed precision", cases, argc, argv);
}
