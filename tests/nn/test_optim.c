/* test_optim.c: Adam with gradients for which epsilon matters, and with weight decay; gradient
 * clipping. Training with each optimiser against PyTorch's: test_golden_nn.c. Learning rates:
 * test_schedules.c. */
#include "tests/autograd/on_tape.h"

#include "nn/nn.h"

#include <math.h>
#include <string.h>

/* Float weights of size 1 after three steps: a dozen roundings. */
static const double CLOSE = sizeof(real) == sizeof(double) ? 1e-14 : 1e-6;

/* The first step takes each number by rate g / (|g| + epsilon), and leaves no gradient. */
TEST_OF_WEIGHTS(epsilon)
{
    Adam adam;
    Tensor *w = params_add(p, "w", shape1(2), nn_constant(1));
    CHECK(adam_init(&adam, p, 0.5), "%s", tensor_error());
    w->grad[0] = (real)2e-8;
    w->grad[1] = -3;
    CHECK(adam_step(&adam, p) && adam.steps == 1, "%s", tensor_error());
    CHECK_CLOSE(w->data[0], 1 - 0.5 * 2e-8 / (2e-8 + 1e-8), CLOSE);
    CHECK_CLOSE(w->data[1], 1 + 0.5 * 3 / (3 + 1e-8), CLOSE);
    CHECK(w->grad[0] == 0 && w->grad[1] == 0, "a gradient is left");
    adam_free(&adam);
}

/* With decay_matrices the weights of rank 2 decay alone, with either kind of decay. */
TEST(matrices_decay_alone)
{
    for (int decoupled = 0; decoupled < 2; decoupled++) {
        Params *p = params_new(1);
        Tensor *matrix = params_add(p, "matrix", shape2(1, 2), nn_constant(1)),
               *bias = params_add(p, "bias", shape1(2), nn_constant(1));
        Adam adam;
        CHECK(adamw_init(&adam, p, 0.5, 0.2), "%s", tensor_error());
        CHECK(!adam.decay_matrices, "it is the default");
        adam.decoupled = decoupled;
        adam.decay_matrices = true;
        CHECK(adam_step(&adam, p), "%s", tensor_error());
        /* without a gradient: w - rate decay w; else the step of Adam for g = decay w, which is its
         * rate times g / (g + epsilon) */
        CHECK_CLOSE(matrix->data[1], decoupled ? 0.9 : 1 - 0.5 * 0.2 / (0.2 + adam.epsilon), CLOSE);
        CHECK(bias->data[0] == 1 && bias->data[1] == 1, "a bias decays to %g",
              (double)bias->data[0]);
        adam_free(&adam);
        params_free(p);
    }
}

/* ---- clipping -------------------------------------------------------------------------------- */

TEST_OF_WEIGHTS(clipping)
{
    Tensor *a = params_add(p, "a", shape1(1), nn_constant(0));
    Tensor *b = params_add(p, "b", shape1(1), nn_constant(0));
    Tensor *frozen = params_add(p, "frozen", shape1(1), nn_constant(0));
    frozen->grad[0] = 100;
    params_freeze(p, "frozen", true);
    a->grad[0] = 3;
    b->grad[0] = -4;
    CHECK_CLOSE(params_grad_norm(p), 5, 0);
    CHECK_CLOSE(params_clip_grad(p, 6), 5, 0);
    CHECK(a->grad[0] == 3 && b->grad[0] == -4, "a short gradient was clipped");
    CHECK_CLOSE(params_clip_grad(p, 1), 5, 0);
    CHECK_CLOSE(a->grad[0], 0.6, 1e-7); /* one rounding */
    CHECK_CLOSE(b->grad[0], -0.8, 1e-7);
}

/* Many weights, shared by threads as one row: the first step takes each number by rate g / (|g| +
 * epsilon), whose epsilon of 1e-8 is left out here, and a frozen weight among them stays. */
TEST_OF_WEIGHTS(adam_reaches_every_number)
{
    static const int64_t size[] = {3, 20011, 1, 7000, 0, 64, 30001};
    enum { WEIGHTS = sizeof size / sizeof *size, FROZEN = 3 };
    Adam adam;
    for (int k = 0; k < WEIGHTS; k++)
        params_add(p, params_path(p, "w%d", k), shape1(size[k]), nn_constant(1));
    params_freeze(p, "w3", true);
    adam_init(&adam, p, 0.25);
    for (int k = 0; k < WEIGHTS; k++)
        for (int64_t i = 0; p->weight[k]->grad && i < size[k]; i++)
            p->weight[k]->grad[i] = i % 2 ? 2 : -1;
    tensor_set_threads(3);
    CHECK(adam_step(&adam, p), "%s", tensor_error());
    tensor_set_threads(0);
    int64_t wrong = 0;
    for (int k = 0; k < WEIGHTS; k++)
        for (int64_t i = 0; i < size[k]; i++) {
            double want = k == FROZEN ? 1 : i % 2 ? 0.75 : 1.25;
            wrong += fabs((double)p->weight[k]->data[i] - want) > 1e-6 || p->grad[k][i] != 0;
        }
    CHECK(wrong == 0, "%d numbers are wrong", (int)wrong);
    adam_free(&adam);
}
