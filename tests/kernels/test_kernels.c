/* test_kernels.c: the fast kernels against the reference, and one result for any number of threads.
 *
 *   sets     forward and backward of every op, on its samples and on larger shapes, agree with "ref"
 *   threads  with 1, 2, 3, 4 and 8 threads the bits are the same
 *
 * The larger shapes are in the table below; an op without a row is tried on its samples alone. */
#include "tests/harness/runner.h"
#include "tests/kernels/kernel_sets.h"
#include "tests/autograd/samples.h"

#include <stdlib.h>
#include <string.h>

/* Reference sums run in double, fast ones in float, over at most 300 products of numbers between -2
 * and 2, of which the root mean square is 4/3. The i-th addition rounds a sum of size 4/3 sqrt(i)
 * by 0.41 * 2^-24 of it: together 0.41 * 2^-24 * 4/3 * 300 / sqrt(2) = 7e-6, and 3.6 times that in
 * the largest of some thousand elements. */
static const double relative = 1e-5, absolute = 2.5e-5;

typedef struct {
    const char *op;
    OpSample sample;
} Large;

/* Above the sizes at which work is shared out (2^15 simple operations), with odd edges. */
static const Large large[] = {
    {"add", {.label = "large", .in = {SHAPE(211, 1, 173), SHAPE(3, 1)}, .inputs = 2}},
    {"sub", {.label = "large", .in = {SHAPE(211, 519), SHAPE(519)}, .inputs = 2}},
    {"mul", {.label = "large", .in = {SHAPE(211, 1), SHAPE(211, 519)}, .inputs = 2}},
    {"div", {.label = "large", .in = {SHAPE(211, 519), SHAPE(211, 1)}, .inputs = 2}},
    {"maximum", {.label = "large", .in = {SHAPE(211, 519), SHAPE(519)}, .inputs = 2}},
    {"abs", {.label = "large", .in = {SHAPE(100003)}, .inputs = 1}},
    {"sqrt", {.label = "large", .in = {SHAPE(100003)}, .inputs = 1}},
    {"pow", {.label = "large", .in = {SHAPE(20011)}, .inputs = 1, .arg = {1.5}}},
    {"scale", {.label = "large", .in = {SHAPE(100003)}, .inputs = 1, .arg = {1.5}}},
    {"exp", {.label = "large", .in = {SHAPE(20011)}, .inputs = 1}},
    {"log", {.label = "large", .in = {SHAPE(20011)}, .inputs = 1}},
    {"tanh", {.label = "large", .in = {SHAPE(20011)}, .inputs = 1}},
    {"relu", {.label = "large", .in = {SHAPE(100003)}, .inputs = 1}},
    {"gelu", {.label = "large", .in = {SHAPE(20011)}, .inputs = 1}},
    {"gelu_tanh", {.label = "large", .in = {SHAPE(20011)}, .inputs = 1}},
    {"sigmoid", {.label = "large", .in = {SHAPE(20011)}, .inputs = 1}},
    {"silu", {.label = "large", .in = {SHAPE(20011)}, .inputs = 1}},
    {"softplus", {.label = "large", .in = {SHAPE(20011)}, .inputs = 1}},
    {"copy", {.label = "large", .in = {SHAPE(331, 303)}, .inputs = 1}},
    {"dropout", {.label = "large", .in = {SHAPE(40009)}, .inputs = 1, .arg = {0.3}}},
    {"concat",
     {.label = "large", .in = {SHAPE(130, 301), SHAPE(130, 17)}, .inputs = 2, .arg = {1, 2}}},
    {"stack",
     {.label = "large", .in = {SHAPE(130, 301), SHAPE(130, 301)}, .inputs = 2, .arg = {1, 2}}},
    {"pad", {.label = "large", .in = {SHAPE(130, 301)}, .inputs = 1, .arg = {3, 5, 2, 1}}},
    {"expand", {.label = "large", .in = {SHAPE(301, 1)}, .inputs = 1, .arg = {130, -1, 7, 3}}},
    {"gather",
     {.label = "large", .in = {SHAPE(35, 5, 303), SHAPE(33, 9, 301)}, .inputs = 2, .arg = {1}}},
    {"where", {.label = "large", .in = {SHAPE(130, 301), SHAPE(301), SHAPE(130, 1)}, .inputs = 3}},
    {"conv1d",
     {.label = "large",
      .in = {SHAPE(9, 299), SHAPE(65, 9, 5), SHAPE(65)},
      .inputs = 3,
      .arg = {1, 2}}},
    {"conv2d",
     {.label = "large",
      .in = {SHAPE(9, 15, 17), SHAPE(33, 9, 3, 3), SHAPE(33)},
      .inputs = 3,
      .arg = {1, 1}}},
    {"conv1d", /* taps that lie in the padding for every patch, and for none */
     {.label = "more padding than numbers",
      .in = {SHAPE(3, 2), SHAPE(4, 3, 5), SHAPE(4)},
      .inputs = 3,
      .arg = {3, 6}}},
    {"conv2d", /* steps over columns, and over numbers under no patch */
     {.label = "large, in steps",
      .in = {SHAPE(9, 46, 31), SHAPE(33, 9, 4, 3), SHAPE(33)},
      .inputs = 3,
      .arg = {3, 2}}},
    {"mse", {.label = "large", .in = {SHAPE(211, 519), SHAPE(211, 519)}, .inputs = 2}},
    {"bce_with_logits", {.label = "large", .in = {SHAPE(211, 519), SHAPE(211, 519)}, .inputs = 2}},
    {"gaussian_kl", {.label = "large", .in = {SHAPE(31, 19), SHAPE(31, 19)}, .inputs = 2}},
    {"sum", {.label = "large, all", .in = {SHAPE(257, 255)}, .inputs = 1, .arg = {1}}},
    {"sum", {.label = "large", .in = {SHAPE(31, 65, 33)}, .inputs = 1, .arg = {0, 1}}},
    {"sum", {.label = "large, wide", .in = {SHAPE(3, 67, 203)}, .inputs = 1, .arg = {0, 1}}},
    {"mean", {.label = "large, all", .in = {SHAPE(257, 255)}, .inputs = 1, .arg = {1}}},
    {"mean", {.label = "large", .in = {SHAPE(31, 65, 33)}, .inputs = 1, .arg = {0, -1}}},
    {"logsumexp", {.label = "large", .in = {SHAPE(257, 131)}, .inputs = 1, .arg = {0, -1}}},
    {"logsumexp",
     {.label = "large, axis 1", .in = {SHAPE(31, 65, 33)}, .inputs = 1, .arg = {0, 1}}},
    {"softmax", {.label = "large", .in = {SHAPE(257, 131)}, .inputs = 1}},
    {"log_softmax", {.label = "large", .in = {SHAPE(257, 131)}, .inputs = 1}},
    {"masked_softmax", {.label = "large", .in = {SHAPE(3, 3, 65, 67)}, .inputs = 1, .arg = {1}}},
    {"layernorm",
     {.label = "large",
      .in = {SHAPE(301, 129), SHAPE(129), SHAPE(129)},
      .inputs = 3,
      .arg = {1e-5}}},
    {"embedding", {.label = "large", .in = {SHAPE(50, 129), SHAPE(33, 31)}, .inputs = 2}},
    {"cross_entropy",
     {.label = "large, smooth",
      .in = {SHAPE(303, 129), SHAPE(303)},
      .inputs = 2,
      .arg = {1, 2, 0.1}}},
    {"cross_entropy", {.label = "large", .in = {SHAPE(303, 129), SHAPE(303)}, .inputs = 2}},
    {"matmul", {.label = "tiles", .in = {SHAPE(56, 256), SHAPE(256, 64)}, .inputs = 2}},
    {"matmul", {.label = "tiles less 1", .in = {SHAPE(55, 255), SHAPE(255, 63)}, .inputs = 2}},
    {"matmul", {.label = "tiles and 1", .in = {SHAPE(57, 257), SHAPE(257, 65)}, .inputs = 2}},
    {"matmul", {.label = "wide", .in = {SHAPE(15, 33), SHAPE(33, 513)}, .inputs = 2}},
    {"matmul", {.label = "tall", .in = {SHAPE(338, 31), SHAPE(31, 17)}, .inputs = 2}},
    {"matmul", {.label = "batch", .in = {SHAPE(9, 33, 64), SHAPE(9, 64, 31)}, .inputs = 2}},
    {"matmul", {.label = "one for all", .in = {SHAPE(9, 33, 64), SHAPE(64, 31)}, .inputs = 2}},
    {"linear",
     {.label = "large",
      .in = {SHAPE(3, 67, 70), SHAPE(131, 70), SHAPE(131)},
      .inputs = 3,
      .arg = {1}}},
    {"attention",
     {.label = "large",
      .in = {SHAPE(3, 4, 33, 15), SHAPE(3, 4, 35, 15), SHAPE(3, 4, 35, 17)},
      .inputs = 3,
      .arg = {1}}},
    {"attention", /* tiles of 64 and a rest, on and off the diagonal */
     {.label = "large, causal",
      .in = {SHAPE(2, 2, 130, 64), SHAPE(2, 2, 130, 64), SHAPE(2, 2, 130, 64)},
      .inputs = 3,
      .arg = {1}}},
    {"attention", /* few matrices: in backward, each tile has an owner */
     {.label = "large, one matrix",
      .in = {SHAPE(131, 20), SHAPE(195, 20), SHAPE(195, 33)},
      .inputs = 3}},
    {"attention",
     {.label = "large, one matrix, causal",
      .in = {SHAPE(131, 20), SHAPE(195, 20), SHAPE(195, 33)},
      .inputs = 3,
      .arg = {1}}},
    {"attention",
     {.label = "large, more queries",
      .in = {SHAPE(195, 16), SHAPE(131, 16), SHAPE(131, 16)},
      .inputs = 3,
      .arg = {1}}},
    {"attention",
     {.label = "large, window",
      .in = {SHAPE(1, 5, 260, 16), SHAPE(1, 5, 260, 16), SHAPE(1, 5, 260, 16)},
      .inputs = 3,
      .arg = {0, 70}}},
    {"attention",
     {.label = "large, window, dilation, global",
      .in = {SHAPE(200, 16), SHAPE(200, 16), SHAPE(200, 16)},
      .inputs = 3,
      .arg = {1, 9, 3, 5}}},
    {"attention", /* a query that writes: rows that are no whole vectors */
     {.label = "one query",
      .in = {SHAPE(2, 3, 1, 37), SHAPE(2, 3, 259, 37), SHAPE(2, 3, 259, 133)},
      .inputs = 3,
      .arg = {1}}},
    {"attention",
     {.label = "few queries, causal",
      .in = {SHAPE(3, 4, 64), SHAPE(3, 131, 64), SHAPE(3, 131, 64)},
      .inputs = 3,
      .arg = {1}}},
    {"attention",
     {.label = "few queries, window, dilation, global",
      .in = {SHAPE(3, 3, 16), SHAPE(3, 70, 16), SHAPE(3, 70, 16)},
      .inputs = 3,
      .arg = {1, 9, 3, 5}}},
    {"attention", /* the first two see nothing */
     {.label = "few keys",
      .in = {SHAPE(3, 4, 16), SHAPE(3, 2, 16), SHAPE(3, 2, 16)},
      .inputs = 3,
      .arg = {1}}},
    {"attention", /* too deep for a tile: the reference's */
     {.label = "large, deep", .in = {SHAPE(70, 520), SHAPE(70, 520), SHAPE(70, 9)}, .inputs = 3}},
};
enum { LARGE = sizeof large / sizeof *large };

typedef void (*Try)(const Operands *o, Tape *tape, void *context);

/* Of an op: all samples that must compute, and its large shapes. How many large ones there were. */
static int for_each(const Op *op, bool samples, Try try, void *context)
{
    const OpTest *test = op_test_of(op);
    Tape *tape = tape_new(1);
    Operands o;
    int found = 0;
    for (const OpSample *s = test ? test->samples : NULL; s && samples && s->label; s++)
        if (!s->fails) {
            operands_make(&o, op, test, s);
            try(&o, tape, context);
            operands_free(&o);
        }
    for (int i = 0; i < LARGE; i++)
        if (test && strcmp(large[i].op, op->name) == 0) {
            found++;
            operands_make(&o, op, test, &large[i].sample);
            try(&o, tape, context);
            operands_free(&o);
        }
    tape_free(tape);
    return found;
}

/* ---- kernel sets ----------------------------------------------------------------------------- */

/* In the set that is chosen now. */
static void compare(const Operands *o, Tape *tape, const How *how, const Pass *want)
{
    Pass got;
    bool ok = pass_run(&got, tape, o, how);
    const char *difference = ok ? pass_difference(&got, want, relative, absolute) : tensor_error();
    CHECK(!difference && !got.leaked, "%s, %s, %s, storage %d: %s", o->op->name, o->sample->label,
          tensor_kernels(), (int)how->storage[0], difference);
    pass_free(&got);
}

/* With one storage for all operands: the reference once, then each set that the machine has. */
static void compare_sets(const Operands *o, Tape *tape, void *context)
{
    int *tried = context;
    bool is_large = strncmp(o->sample->label, "large", 5) == 0;
    for (Storage s = PLAIN; s <= PADDED; s++) {
        if (is_large && s == REVERSED) /* for the tiles and the small ones */
            continue;
        How how = {.storage = {s, s, s, s, s}};
        Pass want;
        tensor_set_kernels(kernel_sets[0]);
        CHECK(pass_run(&want, tape, o, &how), "%s, %s: %s", o->op->name, o->sample->label,
              tensor_error());
        for (int i = 1; i < KERNEL_SETS; i++)
            if (tensor_set_kernels(kernel_sets[i])) {
                compare(o, tape, &how, &want);
                ++*tried;
            }
        tensor_clear_error();
        pass_free(&want);
    }
}

static void sets(const Op *op)
{
    char before[16];
    int tried = 0;
    snprintf(before, sizeof before, "%s", tensor_kernels());
    for_each(op, true, compare_sets, &tried);
    CHECK(tried > 0, "this build has no fast kernels");
    tensor_set_kernels(before);
}

/* ---- threads --------------------------------------------------------------------------------- */

static bool same_bits(const Tensor *a, const Tensor *b)
{
    if (!a || !b)
        return a == b;
    return shape_equal(a->shape, b->shape) &&
           memcmp(a->data, b->data, (size_t)tensor_size(a) * sizeof(real)) == 0;
}

static void compare_threads(const Operands *o, Tape *tape, void *context)
{
    static const int counts[] = {1, 2, 3, 4, 8};
    Pass one = {0}, more;
    (void)context;
    for (int i = 0; i < 5; i++) {
        if (i > 1 && strcmp(tensor_kernels(), "ref") == 0)
            break; /* there only the batch of a matmul is shared out */
        tensor_set_threads(counts[i]);
        bool ok = pass_run(i ? &more : &one, tape, o, &(How){0});
        CHECK(ok, "%s, %s: %s", o->op->name, o->sample->label, tensor_error());
        if (i == 0)
            continue;
        CHECK(same_bits(more.y, one.y), "%s, %s, %s, %d threads: y", o->op->name, o->sample->label,
              tensor_kernels(), counts[i]);
        for (int k = 0; k < SAMPLE_INPUTS; k++)
            CHECK(same_bits(more.grad[k], one.grad[k]), "%s, %s, %s, %d threads: gradient %d",
                  o->op->name, o->sample->label, tensor_kernels(), counts[i], k + 1);
        pass_free(&more);
    }
    pass_free(&one);
    tensor_set_threads(0);
}

static void threads(const Op *op)
{
    char before[16];
    snprintf(before, sizeof before, "%s", tensor_kernels());
    for (int i = 0; i < KERNEL_SETS; i++)
        if (tensor_set_kernels(kernel_sets[i]))
            for_each(op, true, compare_threads, NULL);
    tensor_clear_error();
    tensor_set_kernels(before);
}

/* ---- the table ------------------------------------------------------------------------------- */

static void run_case(void)
{
    const Op *op = ag_ops[test_index() / 2];
    if (test_index() % 2)
        threads(op);
    else
        sets(op);
}

int main(int argc, char **argv)
{
    enum { NAME = 64 };
    int count = 2 * samples_ops();
    TestCase *cases = calloc((size_t)count + 1, sizeof *cases);
    char *names = calloc((size_t)count, NAME);
    for (int i = 0; i < count; i++) {
        char *name = names + (size_t)i * NAME;
        snprintf(name, NAME, "%s: %s", ag_ops[i / 2]->name, i % 2 ? "threads" : "sets");
        cases[i] = (TestCase){name, run_case};
    }
    int status = run_tests("kernels", cases, argc, argv);
    free(names);
    free(cases);
    return status;
}
