/* test_hidden.c: what a mask hides is not looked at, whatever stands there.
 *
 * A NaN or an infinity times a weight of exactly 0 is NaN, so a kernel that multiplies what it
 * should leave out shows here. In each kernel set, at lengths within one tile and over several: a
 * number that must not matter is made NaN (or infinite), and everything that may not depend on it
 * has to come out as before. And attention whose heads share keys and values. */
#include "tests/kernels/kernel_sets.h"
#include "autograd/autograd.h"

#include <math.h>
#include <stdlib.h>

enum { B = 1, H = 2, D = 40 };

/* Another order of additions of some hundred numbers of about 1. */
static const double close = 1e-5;

typedef struct {
    Tape *tape;
    Tensor *x[3], *y; /* q, k, v */
} Run;

/* Operand `which` gets `number` in all of row `row` of head 0. */
static bool run(Run *r, int T, int window, int which, int row, real number)
{
    Shape shape = shape4(B, H, T, D);
    size_t count = (size_t)shape_size(shape);
    real *x = malloc(count * sizeof *x), *upstream = malloc(count * sizeof *x);
    r->tape = tape_new(1);
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < count; i++)
            x[i] = (real)sin(1.3 * (double)i + k);
        for (int c = 0; k == which && c < D; c++)
            x[row * D + c] = number;
        r->x[k] = tape_leaf(r->tape, x, shape);
    }
    for (size_t i = 0; i < count; i++)
        upstream[i] = (real)cos(0.7 * (double)i);
    Mask mask = {.causal = true, .window = window};
    r->y = ag_attention(r->x[0], r->x[1], r->x[2], mask, 0);
    bool ok =
        CHECK(!tensor_is_poison(r->y) && ag_backward_from(r->y, upstream), "%s", tensor_error());
    free(x);
    free(upstream);
    return ok;
}

static void check_rows(const real *got, const real *want, int64_t stride, int first, int end,
                       const char *what)
{
    for (int i = first; i < end; i++)
        for (int c = 0; c < D; c++) {
            double a = (double)got[i * stride + c], b = (double)want[i * stride + c];
            if (!CHECK(fabs(a - b) <= close, "%s, %s: row %d is %g and was %g", tensor_kernels(),
                       what, i, a, b))
                return;
        }
}

/* The rows first..end-1 of y and of the gradient of q; those of the gradients of k and v. */
static void compare(int T, int window, int which, int row, real number, int queries[2], int keys[2])
{
    Run changed, plain;
    if (run(&changed, T, window, which, row, number) && run(&plain, T, window, which, row, 0)) {
        check_rows(changed.y->data, plain.y->data, H * D, queries[0], queries[1], "y");
        const char *const names[] = {"dq", "dk", "dv"};
        for (int k = 0; k < 3; k++) {
            int *rows = k == 0 ? queries : keys;
            check_rows(changed.x[k]->grad, plain.x[k]->grad, D, rows[0], rows[1], names[k]);
        }
        if (isnan(number) && which > 0 && window == 0) /* the last query sees all keys */
            CHECK(isnan(changed.y->data[(T - 1) * H * D]), "%s: the NaN is lost", tensor_kernels());
        int64_t head = (int64_t)T * D; /* the other head sees nothing of it */
        for (int k = 0; k < 3; k++)
            check_rows(changed.x[k]->grad + head, plain.x[k]->grad + head, D, 0, T, "head 1");
    }
    tape_free(changed.tape);
    tape_free(plain.tape);
}

static const int lengths[] = {5, 64, 70, 150, 360};
enum { LENGTHS = sizeof lengths / sizeof *lengths };
static const real bad[] = {(real)NAN, (real)INFINITY};

/* A key or value of the future: queries before it, and through them no key, may know. Keys that its
 * own query sees do. */
TEST_SETS(the_future)
{
    for (int n = 0; n < LENGTHS; n++)
        for (int i = 0; i < 4; i++) {
            int T = lengths[n], row = T - 1 - i;
            compare(T, 0, 1 + i % 2, row, bad[i / 2], (int[]){0, row}, (int[]){0, 0});
        }
}

/* A query's own numbers reach the gradients of the keys that it sees, and no others. */
TEST_SETS(a_query)
{
    for (int n = 0; n < LENGTHS; n++)
        for (int i = 0; i < 2; i++) {
            int T = lengths[n];
            compare(T, 0, 0, i, bad[i], (int[]){i + 1, T}, (int[]){i + 1, T});
        }
}

/* Behind a window: from row + window + 1 on nothing is seen of it. */
TEST_SETS(outside_the_window)
{
    for (int n = 1; n < LENGTHS; n++)
        for (int i = 0; i < 2; i++) {
            int T = lengths[n];
            compare(T, 3, 1 + i, 2, bad[i], (int[]){6, T}, (int[]){6, T});
            compare(T, 3, 1 + i, 2, bad[i], (int[]){0, 2}, (int[]){0, 0});
        }
}

/* One query, as in generation: a key or a value outside its window is NaN, and y is the same as
 * with 0 there. */
TEST_SETS(a_query_alone)
{
    enum { KEYS = 70 };
    for (int which = 1; which < 3; which++) {
        real y[2][H * D], x[3][H * KEYS * D];
        for (int i = 0; i < 2; i++) {
            Tape *tape = tape_new(1);
            for (int k = 0; k < 3; k++)
                for (int j = 0; j < H * KEYS * D; j++)
                    x[k][j] = (real)sin(1.3 * j + k);
            for (int c = 0; c < D; c++)
                x[which][2 * D + c] = i == 0 ? 0 : (real)NAN;
            Shape many = shape4(B, H, KEYS, D);
            Tensor *out = ag_attention(tape_input(tape, x[0], shape4(B, H, 1, D)),
                                       tape_input(tape, x[1], many), tape_input(tape, x[2], many),
                                       (Mask){.causal = true, .window = 3}, 0);
            if (CHECK(!tensor_is_poison(out), "%s", tensor_error()))
                tensor_read(out, y[i]);
            tape_free(tape);
        }
        for (int c = 0; c < H * D; c++)
            CHECK(y[0][c] == y[1][c], "%s: y[%d] is %g and was %g", tensor_kernels(), c,
                  (double)y[1][c], (double)y[0][c]);
    }
}

/* ---- grouped heads --------------------------------------------------------------------------- */

/* Heads of keys and values that each serve several heads of queries: the same as with each of them
 * written out as often as it is read. Expected values are ag_attention's own without groups, which
 * golden/ops.safetensors holds against PyTorch. */

/* Sums of up to 300 products of numbers below 1, in two orders: 300 roundings of 6e-8 and the
 * softmax's own. */
static const double as_close = 2e-5;

static Tensor *numbers(Tape *tape, Shape shape, double start)
{
    Tensor *t = tape_full(tape, 0, shape);
    for (int64_t i = 0; i < tensor_size(t); i++)
        t->data[i] = (real)sin(1.7 * (double)i + start);
    return t;
}

/* k (B, G, S, d) with head h / times in place of head h. */
static Tensor *written_out(Tape *tape, const Tensor *k, int64_t heads)
{
    Shape s = k->shape;
    int64_t times = heads / s.dim[1], head = s.dim[2] * s.dim[3];
    Tensor *all = tape_full(tape, 0, shape4(s.dim[0], heads, s.dim[2], s.dim[3]));
    for (int64_t b = 0; b < s.dim[0]; b++)
        for (int64_t h = 0; h < heads; h++)
            for (int64_t i = 0; i < head; i++)
                all->data[(b * heads + h) * head + i] =
                    k->data[(b * s.dim[1] + h / times) * head + i];
    return all;
}

static void compare_groups(int64_t heads, int64_t groups, int64_t T, int64_t S, int64_t d,
                           bool no_grad)
{
    Tape *tape = tape_new(1);
    tape->no_grad = no_grad;
    Tensor *q = numbers(tape, shape4(2, heads, T, d), 0.1),
           *k = numbers(tape, shape4(2, groups, S, d), 0.2);
    Tensor *v = numbers(tape, shape4(2, groups, S, d), 0.3);
    Mask mask = {.causal = true};
    Tensor *got = ag_attention(q, k, v, mask, 0);
    Tensor *want =
        ag_attention(q, written_out(tape, k, heads), written_out(tape, v, heads), mask, 0);
    Tensor *shown = ag_attention_composed(q, k, v, mask, 0, NULL);
    CHECK_TENSOR(got, want, as_close, as_close);
    CHECK_TENSOR(shown, want, as_close, as_close);
    CHECK_NO_ERROR();
    tape_free(tape);
}

/* One query and few take another way through the kernels than tiles of them. */
TEST_SETS(as_written_out)
{
    static const int64_t sizes[][5] = {{4, 2, 1, 9, 8},
                                       {6, 1, 3, 3, 5},
                                       {3, 3, 2, 4, 4},
                                       {8, 2, 70, 70, 16},
                                       {4, 2, 150, 300, 64}};
    for (int i = 0; i < 5; i++)
        for (int no_grad = 0; no_grad < 2; no_grad++)
            compare_groups(sizes[i][0], sizes[i][1], sizes[i][2], sizes[i][3], sizes[i][4],
                           no_grad != 0);
}
