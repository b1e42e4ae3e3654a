/* test_grouped.c: attention whose heads of keys and values each serve several heads of queries, in
 * every kernel set: the same as with each of them written out as often as it is read. Expected
 * values are ag_attention's own without groups, which golden/ops.safetensors holds against
 * PyTorch. */
#include "tests/kernels/set_cases.h"

#include "autograd/autograd.h"

#include <math.h>

/* Sums of up to 300 products of numbers below 1, in two orders: 300 roundings of 6e-8 and the
 * softmax's own. */
#define CLOSE 2e-5

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

static void compare(int64_t H, int64_t G, int64_t T, int64_t S, int64_t d, bool no_grad)
{
    Tape *tape = tape_new(1);
    tape->no_grad = no_grad;
    Tensor *q = numbers(tape, shape4(2, H, T, d), 0.1), *k = numbers(tape, shape4(2, G, S, d), 0.2);
    Tensor *v = numbers(tape, shape4(2, G, S, d), 0.3);
    Mask mask = {.causal = true};
    Tensor *got = ag_attention(q, k, v, mask, 0);
    Tensor *want = ag_attention(q, written_out(tape, k, H), written_out(tape, v, H), mask, 0);
    Tensor *shown = ag_attention_composed(q, k, v, mask, 0, NULL);
    CHECK_TENSOR(got, want, CLOSE, CLOSE);
    CHECK_TENSOR(shown, want, CLOSE, CLOSE);
    CHECK_NO_ERROR();
    tape_free(tape);
}

/* One query and few take another way through the kernels than tiles of them. */
static void as_written_out(void)
{
    static const int64_t sizes[][5] = {{4, 2, 1, 9, 8},
                                       {6, 1, 3, 3, 5},
                                       {3, 3, 2, 4, 4},
                                       {8, 2, 70, 70, 16},
                                       {4, 2, 150, 300, 64}};
    for (int i = 0; i < 5; i++)
        for (int no_grad = 0; no_grad < 2; no_grad++)
            compare(sizes[i][0], sizes[i][1], sizes[i][2], sizes[i][3], sizes[i][4], no_grad != 0);
}

static const TestCase cases[] = {{"as with the heads written out", as_written_out}, {NULL, NULL}};

int main(int argc, char **argv)
{
    return run_in_every_set("grouped", cases, argc, argv);
}
