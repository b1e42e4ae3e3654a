/* test_op_errors.c: what every op refuses, and the error it reports.
 *
 * An error begins with the caller's file and line and the name of the public function, says what
 * was found and what was expected, and makes the result poison. A poison operand makes the result
 * poison without a new error. */
#include "tests/harness/runner.h"
#include "tests/autograd/samples.h"

#include <stdlib.h>
#include <string.h>

/* Every check is about the sample that is being tried. */
#define AT(o) (o)->op->name, (o)->sample->label

/* The error names this line and a function ag_... of the op, contains `part` and an expectation; y
 * is poison. */
static void check_failure(const Operands *o, const Tensor *y, int line, const char *part)
{
    char begin[200];
    /* dropout's samples call ag_apply, which knows the op's name alone. */
    snprintf(begin, sizeof begin, "%s:%d: %s%s", __FILE__, line,
             strcmp(o->op->name, "dropout") == 0 ? "" : "ag_", o->op->name);
    CHECK(strstr(tensor_error(), "; expected ") != NULL, "%s, %s: \"%s\" states no expectation",
          AT(o), tensor_error());
    CHECK(tensor_is_poison(y), "%s, %s: the result is %s", AT(o), tensor_describe(y));
    CHECK(strncmp(tensor_error(), begin, strlen(begin)) == 0, "%s, %s: \"%s\"; expected \"%s\"",
          AT(o), tensor_error(), begin);
    CHECK(strstr(tensor_error(), part) != NULL, "%s, %s: \"%s\"; expected \"%s\"", AT(o),
          tensor_error(), part);
}

static void check_fails(const Operands *o, Tape *tape)
{
    Tensor *in[SAMPLE_INPUTS] = {0};
    for (int k = 0; k < o->count; k++)
        in[k] = operand_leaf(o, k, tape);
    Tensor *y = ag_placed(operands_call(o, in), NULL, __FILE__, __LINE__);
    check_failure(o, y, __LINE__ - 1, o->sample->fails);
    CHECK(tape->failed, "%s, %s: the tape goes on", AT(o));
    CHECK(tensor_is_poison(operands_call(o, in)), "%s, %s: a failed tape computes", AT(o));
    CHECK(!ag_backward(y), "%s, %s: backward of poison", AT(o));
}

/* Operand k is poison, or absent, or of the other kind. */
static void check_bad_operand(const Operands *o, Tape *tape, int k)
{
    Tensor *in[SAMPLE_INPUTS] = {0};
    for (int way = 0; way < 3; way++) {
        tape_reset(tape);
        for (int i = 0; i < o->count; i++)
            in[i] = operand_leaf(o, i, tape);
        if (way == 1 && (o->op->optional >> k & 1 || o->count == 1))
            continue;
        Shape shape = o->x[k]->shape;
        int *ids = calloc((size_t)shape_size(shape) + 1, sizeof *ids);
        in[k] = way == 0                  ? tensor_poison()
                : way == 1                ? NULL
                : sample_is_ids(o->op, k) ? tape_full(tape, 0, shape)
                                          : tape_ids(tape, ids, shape);
        free(ids);
        Tensor *y = ag_placed(operands_call(o, in), NULL, __FILE__, __LINE__);
        if (way == 0) {
            CHECK(tensor_is_poison(y) && !tensor_failed(), "%s, %s: operand %d poison: \"%s\"",
                  AT(o), k + 1, tensor_error());
        } else if (way == 2) {
            check_failure(o, y, __LINE__ - 5, "holds");
        } else {
            CHECK(tensor_is_poison(y), "%s, %s: operand %d is NULL", AT(o), k + 1);
        }
    }
}

static void errors(void)
{
    const Op *op = ag_ops[test_index()];
    const OpTest *test = op_test_of(op);
    REQUIRE(test, "%s: no row in tests/autograd/ops", op->name);
    Tape *tape = tape_new(1);
    for (const OpSample *s = test->samples; s->label; s++) {
        Operands o;
        operands_make(&o, op, test, s);
        tape_reset(tape);
        if (s->fails)
            check_fails(&o, tape);
        for (int k = 0; k < o.count && !s->fails; k++)
            if (o.x[k])
                check_bad_operand(&o, tape, k);
        operands_free(&o);
    }
    tape_free(tape);
    tensor_clear_error();
}

/* ---- the place ------------------------------------------------------------------------------- */

/* Is the pending error this function's, at this line of this file? Marks the function's op as
 * seen. */
static void check_place(bool *seen, const char *name, const Tensor *y, int line)
{
    char begin[200];
    snprintf(begin, sizeof begin, "%s:%d: %s: ", __FILE__, line, name);
    CHECK(tensor_is_poison(y) && strncmp(tensor_error(), begin, strlen(begin)) == 0,
          "\"%s\"; expected \"%s...\"", tensor_error(), begin);
    tensor_clear_error();
    for (int i = 0; ag_ops[i]; i++)
        seen[i] |= strncmp(ag_ops[i]->name, name + strlen("ag_"), strlen(ag_ops[i]->name)) == 0;
}

/* Does placed.h stamp the place of ag_NAME? For ops that are not called below. */
static bool has_macro(const char *name)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "#define ag_%s(...)", name);
    return strstr(scratch_text(source_path("autograd/placed.h")), wanted) != NULL;
}

/* Each public function is called as programs call it; only its macro can know this file's lines. */
#define PLACE(name, call) check_place(seen, name, call, __LINE__)

static void places_of_elementwise_ops(bool *seen)
{
    PLACE("ag_add", ag_add(NULL, NULL));
    PLACE("ag_sub", ag_sub(NULL, NULL));
    PLACE("ag_mul", ag_mul(NULL, NULL));
    PLACE("ag_div", ag_div(NULL, NULL));
    PLACE("ag_scale", ag_scale(NULL, 2));
    PLACE("ag_maximum", ag_maximum(NULL, NULL));
    PLACE("ag_neg", ag_neg(NULL));
    PLACE("ag_abs", ag_abs(NULL));
    PLACE("ag_sqrt", ag_sqrt(NULL));
    PLACE("ag_pow", ag_pow(NULL, 2));
    PLACE("ag_exp", ag_exp(NULL));
    PLACE("ag_log", ag_log(NULL));
    PLACE("ag_tanh", ag_tanh(NULL));
    PLACE("ag_relu", ag_relu(NULL));
    PLACE("ag_gelu", ag_gelu(NULL));
    PLACE("ag_gelu_tanh", ag_gelu_tanh(NULL));
    PLACE("ag_sigmoid", ag_sigmoid(NULL));
    PLACE("ag_silu", ag_silu(NULL));
    PLACE("ag_softplus", ag_softplus(NULL));
}

static void places(void)
{
    static const CrossEntropyOptions every = {0};
    Tensor *none[1] = {NULL};
    Mask all = {0};
    bool *seen = calloc((size_t)samples_ops(), sizeof *seen);
    places_of_elementwise_ops(seen);
    PLACE("ag_copy", ag_copy(NULL));
    PLACE("ag_matmul", ag_matmul(NULL, NULL));
    PLACE("ag_linear", ag_linear(NULL, NULL, NULL));
    PLACE("ag_sum", ag_sum(NULL));
    PLACE("ag_sum_axis", ag_sum_axis(NULL, 0, false));
    PLACE("ag_mean", ag_mean(NULL));
    PLACE("ag_mean_axis", ag_mean_axis(NULL, 0, false));
    PLACE("ag_logsumexp", ag_logsumexp(NULL, 0, false));
    PLACE("ag_softmax", ag_softmax(NULL));
    PLACE("ag_log_softmax", ag_log_softmax(NULL));
    PLACE("ag_layernorm", ag_layernorm(NULL, NULL, NULL, 0));
    PLACE("ag_embedding", ag_embedding(NULL, NULL));
    PLACE("ag_concat", ag_concat(none, 1, 0));
    PLACE("ag_stack", ag_stack(none, 1, 0));
    PLACE("ag_gather", ag_gather(NULL, 0, NULL));
    PLACE("ag_pad", ag_pad(NULL, NULL, NULL, 0));
    PLACE("ag_expand", ag_expand(NULL, shape0()));
    PLACE("ag_where", ag_where(NULL, NULL, NULL));
    PLACE("ag_conv1d", ag_conv1d(NULL, NULL, NULL, 1, 0));
    PLACE("ag_conv2d", ag_conv2d(NULL, NULL, NULL, 1, 0));
    PLACE("ag_dropout", ag_dropout(NULL, 2));
    PLACE("ag_cross_entropy", ag_cross_entropy(NULL, NULL));
    PLACE("ag_cross_entropy_ignore", ag_cross_entropy_ignore(NULL, NULL, 0));
    PLACE("ag_cross_entropy_smooth", ag_cross_entropy_smooth(NULL, NULL, 0, 0));
    PLACE("ag_linear_cross_entropy", ag_linear_cross_entropy(NULL, NULL, NULL, NULL, every));
    PLACE("ag_mse", ag_mse(NULL, NULL));
    PLACE("ag_bce_with_logits", ag_bce_with_logits(NULL, NULL));
    PLACE("ag_gaussian_kl", ag_gaussian_kl(NULL, NULL));
    PLACE("ag_masked_softmax", ag_masked_softmax(NULL, all));
    PLACE("ag_attention", ag_attention(NULL, NULL, NULL, all, 0));
    PLACE("ag_attention_composed", ag_attention_composed(NULL, NULL, NULL, all, 0, NULL));
    PLACE("ag_rotary", ag_rotary(NULL, NULL, NULL));
    for (int i = 0; ag_ops[i]; i++)
        CHECK(seen[i] || has_macro(ag_ops[i]->name),
              "autograd.h: expected a macro for ag_%s that adds the caller's file and line",
              ag_ops[i]->name);
    free(seen);
}

/* A list of operands with a hole in it. */
static void holes(void)
{
    Tape *tape = tape_new(1);
    for (int way = 0; way < 2; way++) {
        tape_reset(tape);
        Tensor *x[] = {tape_full(tape, 1, shape1(2)), NULL};
        Tensor *y = way ? ag_stack(x, 2, 0) : ag_concat(x, 2, 0);
        CHECK(tensor_is_poison(y), "there is a result");
        CHECK_ERROR(way ? "ag_stack: operand 2 is NULL; expected a tensor"
                        : "ag_concat: operand 2 is NULL; expected a tensor");
    }
    tape_free(tape);
}

int main(int argc, char **argv)
{
    int ops = samples_ops();
    TestCase *cases = calloc((size_t)ops + 3, sizeof *cases);
    for (int i = 0; i < ops; i++)
        cases[i] = (TestCase){ag_ops[i]->name, errors};
    cases[ops] = (TestCase){"the place of a failure is the caller's line", places};
    cases[ops + 1] = (TestCase){"a list of operands with a hole", holes};
    int status = run_tests("op errors", cases, argc, argv);
    free(cases);
    return status;
}
