/* test_op_errors.c: what every op refuses, and the error it reports.
 *
 * An error begins with the caller's file and line and the name of the public function, says what
 * was found and what was expected, and makes the result poison. A poison operand makes the result
 * poison without a new error. */
#include "tests/autograd/on_tape.h"
#include "tests/autograd/samples.h"

#include <stdlib.h>
#include <string.h>

/* Every check is about the sample that is being tried. */
#define AT(o) (o)->op->name, (o)->sample->label

/* Samples of concat that ag_stack makes: its errors are its own. */
static bool is_stack(const Operands *o)
{
    return strncmp(o->sample->label, "stack", 5) == 0;
}

/* The error names this line and a function ag_... of the op, contains `part` and an expectation; y
 * is poison. */
static void check_failure(const Operands *o, const Tensor *y, int line, const char *part)
{
    char begin[200];
    /* dropout's samples call ag_apply, which knows the op's name alone. */
    snprintf(begin, sizeof begin, "%s:%d: %s%s", __FILE__, line,
             strcmp(o->op->name, "dropout") == 0 ? "" : "ag_", is_stack(o) ? "stack" : o->op->name);
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
            check_failure(o, y, __LINE__ - 5, is_stack(o) ? "real numbers" : "holds");
        } else {
            CHECK(tensor_is_poison(y), "%s, %s: operand %d is NULL", AT(o), k + 1);
        }
    }
}

TEST_EACH(refusals, samples_ops, samples_op)
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

/* A list of operands with a hole in it; and what cannot be stacked, though the op could join it. */
TEST_ON_TAPE(lists_of_operands)
{
    Tensor *two = tape_full(tape, 1, shape2(2, 3)), *x[] = {two, NULL};
    const Shape others[] = {shape2(2, 4), shape1(2)};
    REFUSES(ag_concat, "operand 2 is NULL; expected a tensor", x, 2, 0);
    REFUSES_ON(tape, ag_stack, "operand 2 is NULL; expected a tensor",
               ((Tensor *[]){tape_full(tape, 1, shape0()), NULL}), 2, 0);
    for (int i = 0; i < 2; i++)
        REFUSES_ON(tape, ag_stack, "operand 1 is (2, 3); expected real numbers of one shape",
                   ((Tensor *[]){tape_full(tape, 1, shape2(2, 3)), tape_full(tape, 1, others[i])}),
                   2, 0);
    REFUSES_ON(tape, ag_stack, "operand 1 is (2,), operand 1 is (2,); expected real numbers",
               ((Tensor *[]){tape_ids(tape, (int[]){0, 1}, shape1(2))}), 1, 0);
    REFUSES_ON(tape, ag_stack, "axis 2; expected -2 to 1",
               ((Tensor *[]){tape_full(tape, 1, shape1(2))}), 1, 2);
    REFUSES_ON(tape, ag_stack, "expected at most 5 axes",
               ((Tensor *[]){tape_full(tape, 1, (Shape)SHAPE(1, 1, 1, 1, 1, 2))}), 1, 0);
}
