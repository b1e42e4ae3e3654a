/* tests.c: the tests of the lab on ops. Values and gradients are compared with the solution's and
 * with finite differences, as in every homework. Beside that, each op goes through the project's
 * own op tests (tests/autograd/op_checks.c), on samples as the library's ops have them. */
#include "lab-op.h"

#include "lab.h"

#include "tests/autograd/samples.c"
#include "tests/autograd/op_checks.c"

#include <stdarg.h>
#include <stdio.h>

/* ---- the project's op tests, here ------------------------------------------------------------ */

static int failures; /* of the checks of this case */

/* What fails is printed, for the report. */
bool check_that(bool passed, const char *file, int line, const char *condition, const char *format,
                ...)
{
    va_list values;
    (void)file, (void)line, (void)condition;
    if (passed)
        return true;
    va_start(values, format);
    if (failures++ < 3) {
        vprintf(format, values);
        printf("\n");
    }
    va_end(values);
    return false;
}

bool check_error(const char *part, const char *file, int line)
{
    bool none = !part && !tensor_failed();
    check_that(none, file, line, "", "an error is pending: %s", tensor_error());
    tensor_clear_error();
    return none;
}

void test_skip(const char *format, ...)
{
    (void)format;
}

static Tensor *leaf(Tape *tape, const real *numbers, int rows, int columns)
{
    return tape_leaf(tape, numbers, shape2(rows, columns));
}

/* What is backwarded: y alone, or y + x / 2, where the gradient of x is not zero when the op's
 * backward begins. A function that was not written returned NULL. */
static Tensor *with_rest(Tensor *y, Tensor *x, bool rest)
{
    if (!y || tensor_is_poison(y) || !rest)
        return y;
    return ag_add(y, ag_scale(x, (real)0.5));
}

/* ---- rms_norm -------------------------------------------------------------------------------- */

enum { FORWARD, BACKWARD };

static void rms(Case *c, int direction, bool rest, double scale, real epsilon)
{
    int rows = case_size(c, "rows", 1, 4), n = case_size(c, "n", 1, 6);
    const real *x = case_input_scaled(c, "x", scale, 2, rows, n);
    const real *gain = case_input(c, "gain", 1, n);
    Tape *tape = tape_new(1);
    Tensor *tx = leaf(tape, x, rows, n), *tg = tape_leaf(tape, gain, shape1(n));
    Tensor *y = with_rest(rms_norm(tx, tg, epsilon), tx, rest);
    if (direction == FORWARD) {
        put_result(case_output(c, "y", 2, rows, n), y, rows * n);
    } else {
        const real *dy = case_input(c, "dy", 2, rows, n);
        bool good = goes_back(y, dy, rows * n);
        put(case_output(c, "dx", 2, rows, n), good ? tx->grad : NULL, rows * n);
        put(case_output(c, "dgain", 1, n), good ? tg->grad : NULL, n);
    }
    tape_free(tape);
}

/* An epsilon that shows: with 1e-5 its place could not be seen in the numbers. */
static void rms_case(Case *c)
{
    rms(c, FORWARD, false, 1, (real)0.25);
}

static void rms_small_case(Case *c)
{
    rms(c, FORWARD, false, 1.0 / 1024, (real)1e-6);
}

static void rms_backward_case(Case *c)
{
    rms(c, BACKWARD, false, 1, (real)0.25);
}

static void rms_rest_case(Case *c)
{
    rms(c, FORWARD, true, 1, (real)0.25);
}

static void rms_adds_case(Case *c)
{
    rms(c, BACKWARD, true, 1, (real)0.25);
}

/* ---- swiglu ---------------------------------------------------------------------------------- */

static void glu(Case *c, int direction, bool rest)
{
    int rows = case_size(c, "rows", 1, 4), n = case_size(c, "n", 1, 6);
    const real *gate = case_input_scaled(c, "gate", 2, 2, rows, n);
    const real *x = case_input(c, "x", 2, rows, n);
    Tape *tape = tape_new(1);
    Tensor *ta = leaf(tape, gate, rows, n), *tx = leaf(tape, x, rows, n);
    Tensor *y = swiglu(ta, tx);
    y = with_rest(with_rest(y, ta, rest), tx, rest);
    if (direction == FORWARD) {
        put_result(case_output(c, "y", 2, rows, n), y, rows * n);
    } else {
        const real *dy = case_input(c, "dy", 2, rows, n);
        bool good = goes_back(y, dy, rows * n);
        put(case_output(c, "dgate", 2, rows, n), good ? ta->grad : NULL, rows * n);
        put(case_output(c, "dx", 2, rows, n), good ? tx->grad : NULL, rows * n);
    }
    tape_free(tape);
}

static void glu_case(Case *c)
{
    glu(c, FORWARD, false);
}

static void glu_backward_case(Case *c)
{
    glu(c, BACKWARD, false);
}

static void glu_rest_case(Case *c)
{
    glu(c, FORWARD, true);
}

static void glu_adds_case(Case *c)
{
    glu(c, BACKWARD, true);
}

/* ---- what is refused, and how many nodes are left -------------------------------------------- */

static int nodes_of(const Tape *tape)
{
    if (tape->nodes != 1)
        printf("one call left %d nodes on the tape; expected 1\n", tape->nodes);
    return tape->nodes;
}

static int rms_refusal(Tape *tape, Shape x, Shape gain, double epsilon, const char *what)
{
    Tensor *y = rms_norm(ones(tape, x), ones(tape, gain), (real)epsilon);
    return refusal(tape, y && tensor_is_poison(y), what);
}

static void rms_refused_case(Case *c)
{
    int *nodes = case_output_integers(c, "nodes", 0);
    int *refused = case_output_integers(c, "refused", 1, 4);
    Tape *tape = tape_new(1);
    if (rms_norm(ones(tape, shape2(2, 3)), ones(tape, shape1(3)), 0)) {
        *nodes = nodes_of(tape);
        tape_reset(tape);
        refused[0] = rms_refusal(tape, shape0(), shape1(1), 0, "x (), gain (1)");
        refused[1] = rms_refusal(tape, shape2(2, 3), shape1(2), 0, "x (2, 3), gain (2)");
        refused[2] = rms_refusal(tape, shape2(3, 3), shape2(3, 3), 0, "x (3, 3), gain (3, 3)");
        refused[3] = rms_refusal(tape, shape2(2, 3), shape1(3), -1, "epsilon -1");
    }
    tape_free(tape);
}

static int glu_refusal(Tape *tape, Shape gate, Shape x, const char *what)
{
    const Tensor *y = swiglu(ones(tape, gate), ones(tape, x));
    return refusal(tape, y && tensor_is_poison(y), what);
}

static void glu_refused_case(Case *c)
{
    int *nodes = case_output_integers(c, "nodes", 0);
    int *refused = case_output_integers(c, "refused", 1, 3);
    Tape *tape = tape_new(1);
    if (swiglu(ones(tape, shape2(2, 3)), ones(tape, shape2(2, 3)))) {
        *nodes = nodes_of(tape);
        tape_reset(tape);
        refused[0] = glu_refusal(tape, shape2(2, 3), shape2(3, 2), "gate (2, 3), x (3, 2)");
        refused[1] = glu_refusal(tape, shape2(2, 3), shape1(3), "gate (2, 3), x (3)");
        refused[2] = glu_refusal(tape, shape2(1, 3), shape2(2, 3), "gate (1, 3), x (2, 3)");
    }
    tape_free(tape);
}

/* ---- the op tests ---------------------------------------------------------------------------- */

static Tensor *rms_call(Tensor **in, const double *arg)
{
    return rms_norm(in[0], in[1], (real)arg[0]);
}

static Tensor *glu_call(Tensor *a, Tensor *b)
{
    return swiglu(a, b);
}

static const OpSample rms_samples[] = {
    {"plain", "3,4 4", {1e-5}},  {"deep", "2,3,7 7", {1e-5}}, {"vector", "5 5", {0.5}},
    {"size 1", "3,1 1", {1e-5}}, {"size 0", "0,4 4", {1e-5}}, {0},
};
static const OpSample glu_samples[] = {
    {"plain", "3,4 3,4"},  {"deep", "2,3,5 2,3,5"}, {"size 1", "1,1 1,1"},
    {"size 0", "2,0 2,0"}, {"scalar", "() ()"},     {0},
};
static const OpTest rms_test = {.op = "rms_norm", .call = rms_call, .samples = rms_samples};
static const OpTest glu_test = {.op = "swiglu", .two = glu_call, .samples = glu_samples};

/* All but the first check, which is about the samples. */
static void op_case(Case *c, const char *name, const OpTest *test)
{
    const Op op = {.name =
                       name}; /* its name is all that the checks read of it, and its ids: none */
    int check = case_turn(c, "check", 1, OP_CHECKS - 1);
    int *failed = case_output_integers(c, "failed", 0);
    Tape *tape = tape_new(1);
    Operands o;
    operands_make(&o, &op, test, &test->samples[0]);
    Tensor *in[SAMPLE_INPUTS] = {operand_leaf(&o, 0, tape), operand_leaf(&o, 1, tape)};
    bool written = operands_call(&o, in) != NULL;
    operands_free(&o);
    tape_free(tape);
    failures = 0;
    if (written) {
        op_check(check, &op, test);
        *failed = failures;
        if (failures)
            printf("the op test \"%s\" failed\n", op_check_name(check));
    }
}

static void rms_op_case(Case *c)
{
    op_case(c, "rms_norm", &rms_test);
}

static void glu_op_case(Case *c)
{
    op_case(c, "swiglu", &glu_test);
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Numbers of about 1/1024: a gain times x over the root of about 2e-6. */
const Test tests[] = {
    {"rms_norm", "rms_norm", "the root-mean-square norm", POINTS(14), rms_case},
    {"rms_norm_small", "rms_norm", "the same of small numbers", POINTS(4), rms_small_case,
     .needs = "rms_norm"},
    {"rms_norm_backward", "rms_norm", "its gradients", POINTS(18), rms_backward_case,
     .needs = "rms_norm", .forward = rms_case, .gradients = "dx:x dgain:gain", .upstream = "dy:y"},
    {"rms_norm_adds", "rms_norm", "gradients that hold something already", POINTS(6), rms_adds_case,
     .needs = "rms_norm_backward", .forward = rms_rest_case, .gradients = "dx:x dgain:gain",
     .upstream = "dy:y"},
    {"rms_norm_refused", "rms_norm", "one node, and what is refused", POINTS(8), rms_refused_case,
     .cases = 1},
    {"rms_norm_op", "rms_norm", "the project's op tests", POINTS(8), rms_op_case,
     .needs = "rms_norm_backward", .cases = OP_CHECKS - 1},
    {"swiglu", "swiglu", "SwiGLU", POINTS(10), glu_case},
    {"swiglu_backward", "swiglu", "its gradients", POINTS(14), glu_backward_case, .needs = "swiglu",
     .forward = glu_case, .gradients = "dgate:gate dx:x", .upstream = "dy:y"},
    {"swiglu_adds", "swiglu", "gradients that hold something already", POINTS(4), glu_adds_case,
     .needs = "swiglu_backward", .forward = glu_rest_case, .gradients = "dgate:gate dx:x",
     .upstream = "dy:y"},
    {"swiglu_refused", "swiglu", "one node, and what is refused", POINTS(6), glu_refused_case,
     .cases = 1},
    {"swiglu_op", "swiglu", "the project's op tests", POINTS(8), glu_op_case,
     .needs = "swiglu_backward", .cases = OP_CHECKS - 1},
    {0},
};
