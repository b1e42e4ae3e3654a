/* test_kernels.c: the fast kernels against the reference, and one result for any number of threads.
 *
 *   sets     forward and backward of every op, on its samples and on larger shapes, agree with "ref"
 *   threads  with 1, 2, 3, 4 and 8 threads the bits are the same
 *
 * The larger shapes are in the table below; an op without a row is tried on its samples alone. */
#include "tests/kernels/kernel_sets.h"
#include "tests/autograd/samples.h"

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
    {"add", {"large", "211,1,173 3,1"}},
    {"sub", {"large", "211,519 519"}},
    {"mul", {"large", "211,1 211,519"}},
    {"div", {"large", "211,519 211,1"}},
    {"maximum", {"large", "211,519 519"}},
    {"sqrt", {"large", "100003"}},
    {"pow", {"large", "20011", {1.5}}},
    {"scale", {"large", "100003", {1.5}}},
    {"exp", {"large", "20011"}},
    {"log", {"large", "20011"}},
    {"tanh", {"large", "20011"}},
    {"relu", {"large", "100003"}},
    {"gelu", {"large", "20011"}},
    {"gelu_tanh", {"large", "20011"}},
    {"sigmoid", {"large", "20011"}},
    {"silu", {"large", "20011"}},
    {"softplus", {"large", "20011"}},
    {"copy", {"large", "331,303"}},
    {"dropout", {"large", "40009", {0.3}}},
    {"concat", {"large", "130,301 130,17", {1, 2}}},
    {"pad", {"large", "130,301", {3, 5, 2, 1}}},
    {"expand", {"large", "301,1", {130, -1, 7, 3}}},
    {"gather", {"large", "35,5,303 33,9,301", {1}}},
    {"where", {"large", "130,301 301 130,1"}},
    {"conv1d", {"large", "9,299 65,9,5 65", {1, 2}}},
    {"conv2d", {"large", "9,15,17 33,9,3,3 33", {1, 1}}},
    {"conv1d", /* taps that lie in the padding for every patch, and for none */
     {"more padding than numbers", "3,2 4,3,5 4", {3, 6}}},
    {"conv2d", /* steps over columns, and over numbers under no patch */
     {"large, in steps", "9,46,31 33,9,4,3 33", {3, 2}}},
    {"mse", {"large", "211,519 211,519"}},
    {"bce_with_logits", {"large", "211,519 211,519"}},
    {"gaussian_kl", {"large", "31,19 31,19"}},
    {"sum", {"large, all", "257,255", {1}}},
    {"sum", {"large", "31,65,33", {0, 1}}},
    {"sum", {"large, wide", "3,67,203", {0, 1}}},
    {"mean", {"large, all", "257,255", {1}}},
    {"mean", {"large", "31,65,33", {0, -1}}},
    {"logsumexp", {"large", "257,131", {0, -1}}},
    {"logsumexp", {"large, axis 1", "31,65,33", {0, 1}}},
    {"softmax", {"large", "257,131"}},
    {"log_softmax", {"large", "257,131"}},
    {"masked_softmax", {"large", "3,3,65,67", {1}}},
    {"layernorm", {"large", "301,129 129 129", {1e-5}}},
    {"embedding", {"large", "50,129 33,31"}},
    {"cross_entropy", {"large, smooth", "303,129 303", {1, 2, 0.1}}},
    {"cross_entropy", {"large", "303,129 303"}},
    {"matmul", {"tiles", "56,256 256,64"}},
    {"matmul", {"tiles less 1", "55,255 255,63"}},
    {"matmul", {"tiles and 1", "57,257 257,65"}},
    {"matmul", {"wide", "15,33 33,513"}},
    {"matmul", {"tall", "338,31 31,17"}},
    {"matmul", {"batch", "9,33,64 9,64,31"}},
    {"matmul", {"one for all", "9,33,64 64,31"}},
    {"linear", {"large", "3,67,70 131,70 131", {1}}},
    {"attention", {"large", "3,4,33,15 3,4,35,15 3,4,35,17", {1}}},
    {"attention", /* tiles of 64 and a rest, on and off the diagonal */
     {"large, causal", "2,2,130,64 2,2,130,64 2,2,130,64", {1}}},
    {"attention", /* fewer matrices than threads */
     {"large, one matrix", "131,20 195,20 195,33"}},
    {"attention", {"large, one matrix, causal", "131,20 195,20 195,33", {1}}},
    {"attention", {"large, more queries", "195,16 131,16 131,16", {1}}},
    {"attention", {"large, window", "1,5,260,16 1,5,260,16 1,5,260,16", {0, 70}}},
    {"attention", {"large, window, dilation, global", "200,16 200,16 200,16", {1, 9, 3, 5}}},
    {"attention", /* a query that writes: rows that are no whole vectors */
     {"one query", "2,3,1,37 2,3,259,37 2,3,259,133", {1}}},
    {"attention", {"few queries, causal", "3,4,64 3,131,64 3,131,64", {1}}},
    {"attention",
     {"few queries, window, dilation, global", "3,3,16 3,70,16 3,70,16", {1, 9, 3, 5}}},
    {"attention", /* the first two see nothing */
     {"few keys", "3,4,16 3,2,16 3,2,16", {1}}},
    {"attention", /* too deep for a tile: the reference's */
     {"large, deep", "70,520 70,520 70,9"}},
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

TEST_EACH(sets, samples_ops, samples_op)
{
    const Op *op = ag_ops[test_index()];
    const char *before = tensor_kernels();
    int tried = 0;
    for_each(op, true, compare_sets, &tried);
    CHECK(tried > 0, "this build has no fast kernels");
    tensor_set_kernels(before);
}

/* The library names its sets where it refuses a name: those that are tested, without those that
 * this build lacks at the end. */
TEST(all_sets_are_tested)
{
    char all[100] = "expected one of ";
    for (int i = 0; i < KERNEL_SETS; i++)
        strcat(strcat(all, i ? ", " : ""), kernel_sets[i]);
    CHECK(!tensor_set_kernels("none"), "a set named none");
    const char *named = strstr(tensor_error(), "expected one of ");
    CHECK(named && strncmp(all, named, strlen(named)) == 0, "%s", tensor_error());
    tensor_clear_error();
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

TEST_EACH(threads, samples_ops, samples_op)
{
    const Op *op = ag_ops[test_index()];
    const char *before = tensor_kernels();
    for (int i = 0; i < KERNEL_SETS; i++)
        if (tensor_set_kernels(kernel_sets[i]))
            for_each(op, true, compare_threads, NULL);
    tensor_clear_error();
    tensor_set_kernels(before);
}
