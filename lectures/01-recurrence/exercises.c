/* exercises.c: functions to be changed, about ten lines each, and the claims that tell whether the change is right.
 *
 * `./gradus claims 1 --try 2` runs those of row 2. As they stand they compute something else, so their claims FAIL;
 * `--try 2:solved` measures a solution instead of the function. Functions NAME_wrong_WHAT are
 * mistakes, with which the claim must FAIL, too. */
#include "lectures/01-recurrence/through_time.h"

/* ---- row 2: clip a gradient ----------------------------------------------------------------------------------- */

/* Now: nothing. Change it: where the length of g (n numbers) is above `most`, scale g so that it is `most`, which keeps
 * its direction; exploding gradients are trained with that (Pascanu et al. 2013). */
static void clip(double *g, int n, double most)
{
    (void)g;
    (void)n;
    (void)most;
}

static void clip_solved(double *g, int n, double most)
{
    double length = 0;
    for (int i = 0; i < n; i++)
        length += g[i] * g[i];
    length = sqrt(length);
    for (int i = 0; i < n && length > most; i++)
        g[i] *= most / length;
}

static void clip_wrong_each(double *g, int n, double most)
{
    for (int i = 0; i < n; i++)
        g[i] = g[i] > most ? most : g[i] < -most ? -most : g[i];
}

static void clip_wrong_always(double *g, int n, double most)
{
    double length = 0;
    for (int i = 0; i < n; i++)
        length += g[i] * g[i];
    for (int i = 0; i < n; i++)
        g[i] *= most / sqrt(length);
}

static void clip_wrong_to_one(double *g, int n, double most)
{
    double length = 0;
    for (int i = 0; i < n; i++)
        length += g[i] * g[i];
    for (int i = 0; i < n && sqrt(length) > most; i++)
        g[i] /= sqrt(length);
}

/* Of the gradient of an RNN that explodes, and of one that does not: against params_clip_grad on the same numbers. */
static double clipped(Trial *t)
{
    enum { N = 8, MOST = 2 };
    double worst = 0;
    for (double size = 0.1; size < 1e4; size *= 10) {
        Params *p = params_new(t->seed);
        Rng rng = {.seed = t->seed, .stream = 180};
        Tensor *w = params_add(p, "w", shape1(N), nn_constant(0));
        double g[N];
        for (int i = 0; i < N; i++)
            g[i] = (double)(w->grad[i] = (real)(size * rng_normal(&rng)));
        params_clip_grad(p, MOST);
        TRIED(t, clip, clip_solved, clip_wrong_each, clip_wrong_always, clip_wrong_to_one)
        (g, N, MOST);
        for (int i = 0; i < N; i++)
            worst = values_worst(worst, fabs(g[i] - (double)w->grad[i]));
        explain(t, "numbers of size %g: the largest difference so far is %.2g", size, worst);
        params_free(p);
    }
    return worst;
}

static const Claim exercise_clip =
    EXERCISE(2, "clip: a gradient no longer than 2, in its direction",
             "V: RNN vs Transformers: Why RNNs fall short?",
             "largest |clip - params_clip_grad| of gradients of size 0.1 to 1,000", 1e-5,
             "rounding of numbers below 2", clipped,
             {"each", "each number by itself, which changes the direction"},
             {"always", "a short gradient is scaled, too"},
             {"to_one", "a long gradient gets length 1"});

/* ---- row 3: a minimal gated unit -------------------------------------------------------------------------------- */

/* Now: h' = (n + h) / 2, a gate of 1/2 whatever z is. Change it: h' = (1 - z) n + z h, the last line of a GRU, of tensors (B, C). */
static Tensor *gated_step(Tensor *h, Tensor *n, Tensor *z)
{
    (void)z;
    return ag_scale(ag_add(n, h), (real)0.5);
}

static Tensor *gated_step_solved(Tensor *h, Tensor *n, Tensor *z)
{
    return ag_add(n, ag_mul(z, ag_sub(h, n)));
}

static Tensor *gated_step_wrong_without_n(Tensor *h, Tensor *n, Tensor *z)
{
    (void)n;
    return ag_mul(z, h);
}

static Tensor *gated_step_wrong_swapped(Tensor *h, Tensor *n, Tensor *z)
{
    return gated_step_solved(n, h, z);
}

/* Against the recurrence in double, and line 2 of section 3: dh_T/dh_0 is the product of the z. */
static double gates_kept(Trial *t)
{
    enum { C = 4, STEPS = 10 };
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 181};
    double product[C] = {1, 1, 1, 1}, expected[C], slope = 0, state = 0;
    Tensor *first = values_leaf(tape, &rng, shape2(1, C), 1), *h = first;
    for (int i = 0; i < C; i++)
        expected[i] = (double)first->data[i];
    for (int s = 0; s < STEPS; s++) {
        Tensor *n = ag_tanh(values_normal(tape, &rng, shape2(1, C), 1));
        Tensor *z = ag_sigmoid(values_normal(tape, &rng, shape2(1, C), 1));
        for (int i = 0; i < C; i++) {
            product[i] *= (double)z->data[i];
            expected[i] =
                (1 - (double)z->data[i]) * (double)n->data[i] + (double)z->data[i] * expected[i];
        }
        h = TRIED(t, gated_step, gated_step_solved, gated_step_wrong_without_n,
                  gated_step_wrong_swapped)(h, n, z);
    }
    bool ok = ag_backward_from(h, (real[]){1, 1, 1, 1});
    for (int i = 0; i < C; i++) {
        slope = values_worst(slope, ok ? fabs((double)first->grad[i] - product[i]) : 1);
        state = values_worst(state, fabs((double)h->data[i] - expected[i]));
    }
    explain(t, "10 steps: max |h_10 - the recurrence in double| = %.2g", state);
    explain(t, "10 steps: max |dh_10/dh_0 - product of z| = %.2g", slope);
    tape_free(tape);
    return values_worst(slope, state);
}

static const Claim exercise_gate =
    EXERCISE(3, "gated_step: a GRU's state is kept by its gate", "V: RNNs vs. Transformers",
             "largest error of h_10, and of dh_10/dh_0 = the product of the gates", 1e-5,
             "10 steps, each rounded by some 1e-7 of numbers below 4", gates_kept,
             {"without_n", "z h alone"}, {"swapped", "z n + (1 - z) h"});

/* ---- row 4: the context ------------------------------------------------------------------------------------------ */

/* Now: the mean of all states z (S, C). Change it: the context, sum_i gamma_i z_i (1, C), gamma = softmax(e), for
 * scores e (1, S). */
static Tensor *context(Tensor *e, Tensor *z)
{
    (void)e;
    return ag_mean_axis(z, 0, true);
}

static Tensor *context_solved(Tensor *e, Tensor *z)
{
    return ag_matmul(ag_softmax(e), z);
}

static Tensor *context_wrong_scores(Tensor *e, Tensor *z)
{
    return ag_matmul(e, z);
}

static double contexts(Trial *t)
{
    enum { S = 6, C = 4 };
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 182};
    Tensor *e = values_normal(tape, &rng, shape2(1, S), 2),
           *z = values_normal(tape, &rng, shape2(S, C), 1);
    Tensor *c = TRIED(t, context, context_solved, context_wrong_scores)(e, z);
    double total = 0, worst = 0;
    for (int i = 0; i < S; i++)
        total += exp((double)e->data[i]);
    for (int k = 0; k < C; k++) {
        double sum = 0;
        for (int i = 0; i < S; i++)
            sum += exp((double)e->data[i]) / total * (double)z->data[i * C + k];
        worst = values_worst(worst, fabs(sum - (double)c->data[k]));
    }
    explain(t, "6 states of 4 numbers: max |c - the sum in double| = %.2g", worst);
    tape_free(tape);
    return worst;
}

static const Claim exercise_context =
    EXERCISE(4, "context: the expectation of z under softmax(e)",
             "V: Recall the Translate and Align Model in RNNs", "largest |c - formula in double|",
             1e-5, "rounding of numbers near 1", contexts,
             {"scores", "scores in place of their softmax"});

/* ---- row 5: a residual path ----------------------------------------------------------------------------------------- */

/* Now: the layers one on another, x = layer(x). Change it: a path past each, x = x + layer(x). x (B, T, C). */
static Tensor *stack(const RNN *layers, int count, Tensor *x)
{
    for (int l = 0; l < count; l++)
        x = nn_rnn(&layers[l], x, NULL);
    return x;
}

static Tensor *stack_solved(const RNN *layers, int count, Tensor *x)
{
    for (int l = 0; l < count; l++)
        x = ag_add(x, nn_rnn(&layers[l], x, NULL));
    return x;
}

static Tensor *stack_wrong_no_layers(const RNN *layers, int count, Tensor *x)
{
    (void)layers, (void)count;
    return x;
}

static Tensor *stack_wrong_one_path(const RNN *layers, int count, Tensor *x)
{
    Tensor *y = x;
    for (int l = 0; l < count; l++)
        y = nn_rnn(&layers[l], y, NULL);
    return ag_add(x, y);
}

static Tensor *stack_wrong_parallel(const RNN *layers, int count, Tensor *x)
{
    Tensor *y = x;
    for (int l = 0; l < count; l++)
        y = ag_add(y, nn_rnn(&layers[l], x, NULL));
    return y;
}

/* Layers with W_ih = I and W_hh = 0, whose states are h = tanh(x + b), b the sum of both biases: each of them must make
 * x + tanh(x + b) of its input x. */
static double paths(Trial *t)
{
    enum { LAYERS = 3, TOKENS = 5, C = 4 };
    Params *p = params_new(t->seed);
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 183};
    RNN layers[LAYERS];
    double off = 0;
    for (int l = 0; l < LAYERS; l++) {
        nn_rnn_init(&layers[l], p, params_format(p, "layer.%d", l), RNN_TANH, C, C, 1);
        for (int k = 0; k < C * C; k++) {
            layers[l].layer[0].weight_ih->data[k] = k % (C + 1) == 0;
            layers[l].layer[0].weight_hh->data[k] = 0;
        }
    }
    Tensor *x = values_normal(tape, &rng, shape3(1, TOKENS, C), 1);
    Tensor *y = TRIED(t, stack, stack_solved, stack_wrong_no_layers, stack_wrong_one_path,
                      stack_wrong_parallel)(layers, LAYERS, x);
    for (int i = 0; i < TOKENS * C; i++) {
        double expected = (double)x->data[i];
        for (int l = 0; l < LAYERS; l++) {
            const RNNCell *cell = &layers[l].layer[0];
            double b = (double)cell->bias_ih->data[i % C] + (double)cell->bias_hh->data[i % C];
            expected += tanh(expected + b);
        }
        off = values_worst(off, fabs((double)y->data[i] - expected));
    }
    explain(t, "%d layers: max |y - x after x + tanh(x + b), in double| = %.2g", LAYERS, off);
    tape_free(tape);
    params_free(p);
    return off;
}

static const Claim exercise_path =
    EXERCISE(5, "stack: each layer adds its states to its input", "J: RNN vs Transformer",
             "max |y - closed form| of 3 layers with W_ih = I, W_hh = 0", 1e-5,
             "three sums of numbers below 8, each rounded by 5e-7", paths,
             {"no_layers", "x as it is"}, {"one_path", "one path past all layers"},
             {"parallel", "each layer reads the input of the first"});

const Claim *const recurrence_exercises[] = {
    &exercise_combine, &exercise_clip, &exercise_gate, &exercise_context, &exercise_path, NULL,
};
