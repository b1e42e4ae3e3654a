/* test_counting.c: the lectures' table of kernels that counts (lectures/runner/counting.h), and
 * what else their claims stand on. */
#include "tests/harness/test.h"

#include "lectures/runner/counting.h"
#include "lectures/runner/poison.h"
#include "lectures/runner/values.h"

#include <math.h>
#include <string.h>

/* The multiply-adds of an expression. */
#define COUNTED(expression) (counting_begin(), (void)(expression), counting_end())

TEST(products_are_counted)
{
    Tape *tape = tape_new(1);
    Rng rng = {.seed = 1};
    Tensor *a = values_normal(tape, &rng, shape3(2, 3, 4), 1);
    Tensor *b = values_normal(tape, &rng, shape3(2, 4, 5), 1);
    Tensor *w = values_normal(tape, &rng, shape2(7, 4), 1);
    Tensor *filter = values_normal(tape, &rng, shape3(6, 3, 2), 1);
    CHECK(COUNTED(ag_matmul(a, b)) == 2 * 3 * 4 * 5, "matmul");
    CHECK(COUNTED(ag_linear(a, w, NULL)) == 2 * 3 * 4 * 7, "linear");
    /* 3 positions, 3 channels in, 6 out, 2 taps */
    CHECK(COUNTED(ag_conv1d(a, filter, NULL, 1, 0)) == 2 * 3 * 3 * 6 * 2, "conv1d");
    CHECK(COUNTED(ag_softmax(ag_add(a, a))) == 0, "element by element");
    tape_free(tape);
}

/* 5 queries, 7 keys, d = 3, e = 2, two heads: a pair costs 3 + 2. */
TEST(pairs_that_a_mask_hides_are_not)
{
    Tape *tape = tape_new(1);
    Rng rng = {.seed = 2};
    Tensor *q = values_normal(tape, &rng, shape4(1, 2, 5, 3), 1);
    Tensor *k = values_normal(tape, &rng, shape4(1, 2, 7, 3), 1);
    Tensor *v = values_normal(tape, &rng, shape4(1, 2, 7, 2), 1);
    CHECK(COUNTED(ag_attention(q, k, v, (Mask){0}, 0)) == 2 * 5 * 7 * 5, "all pairs");
    /* query i sees i + 3 keys */
    CHECK(COUNTED(ag_attention(q, k, v, (Mask){.causal = true}, 0)) == 2 * (3 + 4 + 5 + 6 + 7) * 5,
          "causal");
    tape_free(tape);
}

/* Backward of the same: each pair takes its score again (3), dA (2), and what it adds to dq (3), dk
 * (3) and dv (2); only what has a gradient is counted. Composed of products, nothing is taken
 * again: 3 + 2 forward, twice that backward. */
TEST(backward_is_counted)
{
    enum { PAIRS = 2 * 5 * 7, KINDS = 3 };
    static const char *const names[KINDS] = {"all gradients", "none of v", "composed"};
    static const int expected[KINDS] = {PAIRS * 13, PAIRS * 11, PAIRS * 10};
    for (int kind = 0; kind < KINDS; kind++) {
        Tape *tape = tape_new(1);
        Rng rng = {.seed = 5};
        Tensor *q = values_leaf(tape, &rng, shape4(1, 2, 5, 3), 1);
        Tensor *k = values_leaf(tape, &rng, shape4(1, 2, 7, 3), 1);
        Tensor *v = kind == 1 ? values_normal(tape, &rng, shape4(1, 2, 7, 2), 1)
                              : values_leaf(tape, &rng, shape4(1, 2, 7, 2), 1);
        Tensor *g = values_normal(tape, &rng, shape4(1, 2, 5, 2), 1);
        Tensor *y = kind == 2 ? ag_attention_composed(q, k, v, (Mask){0}, 0, NULL)
                              : ag_attention(q, k, v, (Mask){0}, 0);
        counting_begin();
        ag_backward_from(y, g->data);
        int64_t counted = counting_end();
        CHECK(counted == expected[kind], "%s: %lld", names[kind], (long long)counted);
        tape_free(tape);
    }
}

/* A table that counts must still compute: a wrong number could not be told from a missing one. */
TEST(the_numbers_are_the_same)
{
    Tape *tape = tape_new(1);
    Rng rng = {.seed = 3};
    Tensor *q = values_normal(tape, &rng, shape4(2, 2, 5, 3), 1);
    Tensor *k = values_normal(tape, &rng, shape4(2, 2, 7, 3), 1);
    Tensor *w = values_normal(tape, &rng, shape2(4, 3), 1),
           *b = values_normal(tape, &rng, shape1(4), 1);
    char before[16];
    snprintf(before, sizeof before, "%s", tensor_kernels());
    CHECK(strcmp(before, "counting") != 0, "an earlier case left its kernels in use");
    Tensor *plain = ag_attention(q, k, k, (Mask){.window = 2}, 0), *line = ag_linear(q, w, b);
    counting_begin();
    CHECK_TEXT(tensor_kernels(), "counting");
    Tensor *counted = ag_attention(q, k, k, (Mask){.window = 2}, 0),
           *counted_line = ag_linear(q, w, b);
    counting_end();
    CHECK_TEXT(tensor_kernels(), before);
    CHECK_TENSOR(counted, plain, 1e-5, 1e-6); /* float rounds sums of 7 numbers near 1 */
    CHECK_TENSOR(counted_line, line, 1e-5, 1e-6);
    tape_free(tape);
}

TEST(the_longest_chain_is_found)
{
    Tape *tape = tape_new(1);
    Tensor *x = tape_full(tape, 1, shape2(2, 3));
    CHECK(counting_depth(tape) == 0, "nothing computed: %d", counting_depth(tape));
    Tensor *a = ag_exp(x), *b = ag_exp(x);
    CHECK(counting_depth(tape) == 1, "side by side: %d", counting_depth(tape));
    Tensor *c = ag_add(ag_tanh(ag_reshape(a, shape2(3, 2))), ag_reshape(b, shape2(3, 2)));
    CHECK(counting_depth(tape) == 3, "exp, a view, tanh, add: %d", counting_depth(tape));
    ag_add(c, ag_reshape(x, shape2(3, 2)));
    CHECK(counting_depth(tape) == 4, "one more: %d", counting_depth(tape));
    tape_free(tape);
}

TEST(exponents_are_fitted)
{
    const double x[] = {1, 2, 4, 8}, y[] = {3, 12, 48, 192};
    CHECK_CLOSE(values_exponent(x, y, 4), 2, 1e-12);
}

/* Of 1, 2, 3, 6: the mean 3, and sqrt((4 + 1 + 0 + 9) / 3 / 4). */
TEST(means_have_their_error)
{
    const double x[] = {1, 2, 3, 6};
    CHECK_CLOSE(values_mean(x, 4).mean, 3, 1e-12);
    CHECK_CLOSE(values_mean(x, 4).error, sqrt(14.0 / 12), 1e-12);
}

TEST(a_difference_that_is_none_is_seen)
{
    Tape *tape = tape_new(1);
    Tensor *a = tape_input(tape, (real[]){1, NAN, 5}, shape1(3));
    Tensor *b = tape_input(tape, (real[]){1, 2, 3}, shape1(3));
    CHECK(isnan(values_difference(a, b)), "%g", values_difference(a, b));
    CHECK(isnan(values_difference(b, ag_reshape(b, shape2(1, 3)))), "shapes that differ");
    CHECK_CLOSE(values_largest(b), 3, 0);
    Tensor *m = tape_input(tape, (real[]){1, 2, 3, 4}, shape2(2, 2));
    CHECK_CLOSE(values_difference(m, ag_transpose(m, 0, 1)), 1, 0);
    const int swapped[] = {1, 0};
    CHECK_CLOSE(tensor_get(values_permuted(m, swapped), ((int64_t[]){0, 1})), 4, 0);
    tape_free(tape);
}

/* C's fmax(NAN, 1) is 1: a claim that took the worst of several differences so would hold. */
TEST(a_nan_is_not_dropped)
{
    double nan = (double)NAN;
    CHECK(isnan(values_worst(nan, 1)) && isnan(values_worst(1, nan)), "the larger");
    CHECK(isnan(values_least(nan, 1)) && isnan(values_least(1, nan)), "the smaller");
    CHECK_CLOSE(values_worst(1, 2), 2, 0);
    CHECK_CLOSE(values_worst(2, 1), 2, 0);
    CHECK_CLOSE(values_least(1, 2), 1, 0);
    CHECK_CLOSE(values_least(2, 1), 1, 0);
}

/* Two tensors that were never computed are equal, and that says nothing. */
TEST(zeros_agree_about_nothing)
{
    Tape *tape = tape_new(1);
    Tensor *zeros = tape_full(tape, 0, shape2(2, 3)), *ones = tape_full(tape, 1, shape2(2, 3));
    CHECK(isnan(values_difference(zeros, ag_copy(zeros))), "zeros against zeros");
    CHECK_CLOSE(values_difference(zeros, ones), 1, 0);
    CHECK_CLOSE(values_difference(ones, ag_copy(ones)), 0, 0);
    CHECK_CLOSE(values_largest(zeros), 0, 0);
    tape_free(tape);
}

TEST(products_that_do_not_exist)
{
    char message[160];
    Tape *tape = tape_new(1);
    CHECK(values_can_multiply(tape, shape2(2, 3), shape2(3, 4), NULL, 0), "2 x 3 times 3 x 4");
    CHECK(!values_can_multiply(tape, shape2(2, 3), shape2(4, 3), message, sizeof message), "%s",
          message);
    CHECK(strstr(message, "matmul"), "%s", message);
    CHECK(!tensor_failed(), "the failure is forgotten");
    tape_free(tape);
}

/* Must be the last: the kernels stay poisoned. */
TEST(poison_reaches_everything)
{
    Tape *tape = tape_new(1);
    Rng rng = {.seed = 4};
    Tensor *x = values_leaf(tape, &rng, shape3(2, 5, 4), 1);
    poison_begin(NAN);
    CHECK(poison_on(), "it is on");
    Tensor *y = ag_softmax(ag_matmul(ag_attention(x, x, x, (Mask){0}, 0), ag_transpose(x, 1, 2)));
    CHECK(isnan(values_largest(y)), "forward: %g", values_largest(y));
    ag_backward(ag_sum(y));
    CHECK(isnan((double)x->grad[0]) && isnan((double)x->grad[39]), "backward");
    counting_begin();
    CHECK_TEXT(tensor_kernels(), "poisoned");
    ag_matmul(x, ag_transpose(x, 1, 2));
    CHECK(counting_end() == 0, "poisoned kernels multiply nothing");
    poison_begin(0);
    CHECK_CLOSE(values_largest(ag_exp(x)), 0, 0);
    tape_free(tape);
}
