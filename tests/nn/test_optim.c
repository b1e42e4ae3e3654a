/* test_optim.c: Adam against the paper's formula in double, with a gradient for which epsilon
 * matters, and with weight decay; gradient clipping; learning-rate schedules at their ends.
 * Training with each optimiser against PyTorch's: test_golden_nn.c. */
#include "tests/harness/runner.h"

#include "nn/nn.h"

#include <math.h>
#include <string.h>

enum { N = 4, STEPS = 3 };

/* Float weights of size 1 after three steps: a dozen roundings. */
static const double CLOSE = sizeof(real) == sizeof(double) ? 1e-14 : 1e-6;

/* The gradient of weight i at step t. One is so small that epsilon matters. */
static real gradient(int t, int i)
{
    return (real)(i == 3 ? 2e-8 : sin(2.1 * t + 1.1 * i + 0.4));
}

static Params *four_weights(Tensor **w)
{
    Params *p = params_new(1);
    *w = params_add(p, "w", shape1(N), nn_constant(0));
    for (int i = 0; i < N; i++)
        (*w)->data[i] = (real)(0.5 * i - 1);
    return p;
}

static void give_gradient(Tensor *w, int t)
{
    for (int i = 0; i < N; i++)
        w->grad[i] = gradient(t, i);
}

/* After a step: the weights are as expected, and the gradient is zero again. */
static void stands_at(const Tensor *w, const double *want, const char *what, int t)
{
    for (int i = 0; i < N; i++) {
        CHECK(fabs(w->data[i] - want[i]) <= CLOSE, "%s, step %d: weight %d is %.9g, not %.9g", what,
              t, i, (double)w->data[i], want[i]);
        CHECK(w->grad[i] == 0, "%s: gradient %d is still %g", what, i, (double)w->grad[i]);
    }
}

/* Kingma and Ba, algorithm 1; with AdamW the decay is applied to the weight, with Adam to the
 * gradient. */
static void adam_by_hand(const char *what, double decay, bool decoupled)
{
    const double rate = 0.5, b1 = 0.9, b2 = 0.999;
    Tensor *w;
    Params *p = four_weights(&w);
    Adam adam;
    double want[N], m[N] = {0}, v[N] = {0};
    CHECK(decoupled ? adamw_init(&adam, p, rate, decay) : adam_init(&adam, p, rate), "%s",
          tensor_error());
    adam.decay = decay;
    for (int i = 0; i < N; i++)
        want[i] = w->data[i];
    for (int t = 1; t <= STEPS; t++) {
        give_gradient(w, t);
        CHECK(adam_step(&adam, p), "%s", tensor_error());
        for (int i = 0; i < N; i++) {
            double g = (double)gradient(t, i) + (decoupled ? 0 : decay * want[i]);
            m[i] = b1 * m[i] + (1 - b1) * g;
            v[i] = b2 * v[i] + (1 - b2) * g * g;
            double m_hat = m[i] / (1 - pow(b1, t)), v_hat = v[i] / (1 - pow(b2, t));
            if (decoupled)
                want[i] *= 1 - rate * decay;
            want[i] -= rate * m_hat / (sqrt(v_hat) + 1e-8);
        }
        stands_at(w, want, what, t);
    }
    CHECK(adam.steps == STEPS, "it counts %d steps", (int)adam.steps);
    adam_free(&adam);
    params_free(p);
}

static void adam_is_its_formula(void)
{
    adam_by_hand("Adam", 0, false);
    adam_by_hand("Adam with decay", 0.1, false);
    adam_by_hand("AdamW", 0.1, true);
}

/* With decay_matrices the weights of rank 2 decay alone, with either kind of decay. */
static void matrices_decay_alone(void)
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

static void clipping(void)
{
    Params *p = params_new(1);
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
    params_free(p);
}

/* ---- the learning rate ----------------------------------------------------------------------- */

static void warmup_and_cosine(void)
{
    const struct {
        int64_t step;
        double rate;
    } corners[] = {{0, 0.2},
                   {4, 1},
                   {9, 2},
                   {10, 2}, /* up by 0.2 a step */
                   {35, 1.25 + 0.75 * M_SQRT1_2},
                   {60, 1.25},
                   {85, 1.25 - 0.75 * M_SQRT1_2},
                   {110, 0.5}, /* down a half cosine */
                   {111, 0.5},
                   {1000000, 0.5}};
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++)
        CHECK_CLOSE(nn_warmup_cosine(corners[i].step, 10, 110, 2, 0.5), corners[i].rate, 1e-14);
    for (int step = 11; step <= 110; step++)
        CHECK(nn_warmup_cosine(step, 10, 110, 2, 0.5) < nn_warmup_cosine(step - 1, 10, 110, 2, 0.5),
              "it does not fall at step %d", step);
    CHECK_CLOSE(nn_warmup_cosine(0, 0, 10, 3, 0), 3, 0);  /* without a warm-up */
    CHECK_CLOSE(nn_warmup_cosine(5, 0, 0, 3, 1), 1, 0);   /* without anything  */
    CHECK_CLOSE(nn_warmup_cosine(9, 10, 10, 3, 1), 3, 0); /* a warm-up alone   */
    CHECK_CLOSE(nn_warmup_cosine(10, 10, 10, 3, 1), 1, 0);
}

/* Many weights, shared by threads as one row: the first step takes each number by rate g / (|g| +
 * epsilon), whose epsilon of 1e-8 is left out here, and a frozen weight among them stays. */
static void adam_reaches_every_number(void)
{
    static const int64_t size[] = {3, 20011, 1, 7000, 0, 64, 30001};
    enum { WEIGHTS = sizeof size / sizeof *size, FROZEN = 3 };
    Params *p = params_new(1);
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
    params_free(p);
}

static const TestCase cases[] = {
    {"Adam and AdamW are their formulas", adam_is_its_formula},
    {"matrices decay alone", matrices_decay_alone},
    {"clipping", clipping},
    {"warm-up and cosine", warmup_and_cosine},
    {"adam reaches every number", adam_reaches_every_number},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("optim", cases, argc, argv);
}
