/* test_gpt_file.c: the gradients of lectures/00-backprop/gpt.c are right, and those of the library.
 */
#include "tests/harness/test.h"

#include "gradus.h"
#include "tests/lectures/gpt_file.h"

#include <math.h>
#include <string.h>

enum { N = 9, C = GPT_CHANNELS, V = GPT_LETTERS }; /* N: of " christin", each predicts its next */
static const char name[] = " christin ";

TEST(gradients_are_central_differences)
{
    const double step =
        1e-5; /* the error is of the order of step^2, and 1e-16 / step by rounding */
    double worst = 0;
    gpt_loss(name, 0);
    memset(gpt_gradients, 0, sizeof *gpt_gradients * GPT_WEIGHTS);
    gpt_loss(name, 1);
    for (int i = 0; i < GPT_WEIGHTS; i++) {
        double w = gpt_weights[i];
        gpt_weights[i] = w + step;
        double above = gpt_loss(name, 0);
        gpt_weights[i] = w - step;
        double below = gpt_loss(name, 0);
        gpt_weights[i] = w;
        worst = fmax(worst, fabs((above - below) / (2 * step) - gpt_gradients[i]));
    }
    CHECK(worst <= 1e-4, "one differs by %g", worst);
}

/* The next weights of the file, as a tensor of the library. */
static Tensor *weights(Tape *tape, int64_t rows, int64_t columns, int *offset)
{
    real w[4 * C * C];
    for (int i = 0; i < rows * columns; i++)
        w[i] = (real)gpt_weights[*offset + i];
    *offset += (int)(rows * columns);
    return tape_leaf(tape, w, shape2(rows, columns));
}

/* The model of the file, an op a line. */
static Tensor *library_loss(Tape *tape, Tensor *w[8])
{
    real hot[N * (V + GPT_POSITIONS)] = {0};
    int next[N], offset = 0;
    const int rows[] = {V + GPT_POSITIONS, C, C, C, C, C, 4 * C, C};
    const int columns[] = {C, C, C, C, C, 4 * C, C, V};
    for (int i = 0; i < 8; i++)
        w[i] = weights(tape, rows[i], columns[i], &offset);
    CHECK(offset == GPT_WEIGHTS, "%d weights", offset);
    for (int i = 0; i < N; i++) {
        hot[i * (V + GPT_POSITIONS) + (name[i] & 31)] = 1;
        hot[i * (V + GPT_POSITIONS) + V + i] = 1;
        next[i] = name[i + 1] & 31;
    }
    Tensor *x = ag_matmul(tape_input(tape, hot, shape2(N, V + GPT_POSITIONS)), w[0]);
    Tensor *q = ag_matmul(x, w[1]), *k = ag_matmul(x, w[2]), *v = ag_matmul(x, w[3]);
    Tensor *scores = ag_scale(ag_matmul(q, ag_transpose(k, 0, 1)), (real)(1 / sqrt(C)));
    Tensor *a = ag_masked_softmax(scores, (Mask){.causal = true});
    x = ag_add(x, ag_matmul(ag_matmul(a, v), w[4]));
    x = ag_add(x, ag_matmul(ag_relu(ag_matmul(x, w[5])), w[6]));
    return ag_cross_entropy(ag_matmul(x, w[7]), tape_ids(tape, next, shape1(N)));
}

/* A gradient is a sum of some 1,000 products of numbers below 10, each with an error of real. */
TEST(loss_and_gradients_are_the_librarys)
{
    const double within = sizeof(real) == sizeof(double) ? 1e-12 : 1e-4;
    Tape *tape = tape_new(1);
    Tensor *w[8];
    gpt_loss(name, 0);
    memset(gpt_gradients, 0, sizeof *gpt_gradients * GPT_WEIGHTS);
    double value = gpt_loss(name, 1), worst = 0, largest = 0;
    Tensor *loss = library_loss(tape, w);
    REQUIRE(ag_backward(loss), "%s", tensor_error());
    CHECK_CLOSE(tensor_item(loss), value, within);
    for (int k = 0, i = 0; k < 8; k++)
        for (int j = 0; j < w[k]->shape.dim[0] * w[k]->shape.dim[1]; j++, i++) {
            worst = fmax(worst, fabs(w[k]->grad[j] - gpt_gradients[i]));
            largest = fmax(largest, fabs(gpt_gradients[i]));
        }
    CHECK(worst <= within && largest > 0.01, "one differs by %g, the largest is %g", worst,
          largest);
    tape_free(tape);
}
