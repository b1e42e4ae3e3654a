/* exercises.c: functions to be changed, in one to ten lines, and the claims that tell whether the
 * change is right. exercises_map.c has that of row 1.
 *
 * `./gradus claims 1 --try 2` runs those of row 2. As they stand they compute something else, so
 * their claims FAIL. solutions.c has a solution of each, which `--try 2:solved` measures, and
 * mistakes, NAME_wrong_WHAT, with which the claim must FAIL, too. */
#include "lectures/01-recurrence/exercises.h"

/* ---- row 2: clip a gradient ------------------------------------------------------------------ */

/* Now: nothing. Change it: where the length of g (n numbers) is above `most`, scale g so that it is
 * `most`, which keeps its direction; exploding gradients are trained with that (Pascanu et al.
 * 2013). */
static void clip(double *g, int n, double most)
{
    (void)g;
    (void)n;
    (void)most;
}

/* Of the gradient of an RNN that explodes, and of one that does not: against params_clip_grad on
 * the same numbers. */
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

/* ---- row 3: the bias of a forget gate -------------------------------------------------------- */

/* Now: log steps, of which line 4 of section 3 says what is left. Change it: the bias of a forget
 * gate with which the share `left` of the cell is left after so many steps, where nothing else
 * reaches the gate. */
static double forget_bias(double left, int steps)
{
    (void)left;
    return log(steps);
}

/* Of the cell of an LSTM whose other weights are 0, so that g = tanh 0 = 0 adds nothing. */
static double share_left(Trial *t)
{
    static const int steps[] = {2, 10, 40};
    double worst = 0;
    for (int s = 0; s < 3; s++)
        for (double left = 0.9; left > 0.005; left /= 3) {
            Params *p = params_new(t->seed);
            Tape *tape = tape_new(t->seed);
            RNNCell cell;
            nn_rnn_cell_init(&cell, p, "cell", RNN_LSTM, 1, 1);
            for (int i = 0; i < 4; i++)
                cell.weight_ih->data[i] = cell.weight_hh->data[i] = cell.bias_ih->data[i] =
                    cell.bias_hh->data[i] = 0;
            cell.bias_ih->data[1] =
                (real)TRIED(t, forget_bias, forget_bias_solved, forget_bias_wrong_one_step,
                            forget_bias_wrong_subtracted, forget_bias_wrong_long)(left, steps[s]);
            RNNState state = {.c = tape_full(tape, 1, shape2(1, 1))};
            for (int i = 0; i < steps[s]; i++)
                nn_rnn_cell(&cell, tape_full(tape, 1, shape2(1, 1)), &state);
            double kept = (double)state.c->data[0];
            explain(t, "%2d steps, %.3f asked for: c is %.5f", steps[s], left, kept);
            worst = values_worst(worst, fabs(kept - left));
            tape_free(tape);
            params_free(p);
        }
    return worst;
}

/* ---- row 4: alignment weights ---------------------------------------------------------------- */

/* Now: equal weights. Change it: gamma = softmax of the scores e of a source of `words` words,
 * padded to S; padding gets 0. Scores may be large: exp(1000) is infinite. */
static void align(const double *e, int S, int words, double *gamma)
{
    (void)e, (void)words;
    for (int i = 0; i < S; i++)
        gamma[i] = 1.0 / S;
}

/* Against the library's softmax of the words alone. */
static double aligned(Trial *t)
{
    enum { S = 8 };
    double worst = 0;
    for (double size = 1; size <= 1e4; size *= 10)
        for (int words = 1; words <= S; words++) {
            Tape *tape = tape_new(t->seed);
            Rng rng = {.seed = t->seed, .stream = 182 + (uint64_t)words};
            Tensor *e = values_normal(tape, &rng, shape2(1, S), size);
            Tensor *right = ag_softmax(ag_slice(e, 1, 0, words));
            double scores[S], gamma[S];
            for (int i = 0; i < S; i++)
                scores[i] = (double)e->data[i];
            TRIED(t, align, align_solved, align_wrong_padding, align_wrong_overflow,
                  align_wrong_sum)
            (scores, S, words, gamma);
            for (int i = 0; i < S; i++)
                worst =
                    values_worst(worst, fabs(gamma[i] - (i < words ? (double)right->data[i] : 0)));
            tape_free(tape);
        }
    explain(t, "scores of size 1 to 10,000, 1 to 8 words: max |gamma - softmax| = %.2g", worst);
    return worst;
}

/* ---- row 5: a residual path ------------------------------------------------------------------ */

/* Now: the layers one on another, x = layer(x). Change it: a path past each, x = x + layer(x). x
 * (B, T, C). */
static Tensor *stack(const RNN *layers, int count, Tensor *x)
{
    for (int l = 0; l < count; l++)
        x = nn_rnn(&layers[l], x, NULL);
    return x;
}

/* Layers with W_ih = I and W_hh = 0, whose states are h = tanh(x + b), b the sum of both biases:
 * each of them must make x + tanh(x + b) of its input x. */
static double paths(Trial *t)
{
    enum { LAYERS = 3, TOKENS = 5, C = 4 };
    Params *p = trial_params(t);
    RNN layers[LAYERS];
    double off = 0;
    for (int l = 0; l < LAYERS; l++) {
        nn_rnn_init(&layers[l], p, params_path(p, "layer.%d", l), RNN_TANH, C, C, 1);
        for (int k = 0; k < C * C; k++) {
            layers[l].layer[0].weight_ih->data[k] = k % (C + 1) == 0;
            layers[l].layer[0].weight_hh->data[k] = 0;
        }
    }
    Tensor *x = trial_normal(t, 183, shape3(1, TOKENS, C));
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
    return off;
}

const Claim recurrence_exercises[] = {
    EXERCISE(2, "clip: a gradient no longer than 2, in its direction",
             "V: RNN vs Transformers: Why RNNs fall short?",
             "largest |clip - params_clip_grad| of gradients of size 0.1 to 1,000", 1e-5,
             "rounding of numbers below 2", clipped,
             {"each", "each number by itself, which changes the direction"},
             {"always", "a short gradient is scaled, too"},
             {"to_one", "a long gradient gets length 1"}),
    EXERCISE(3, "forget_bias: an LSTM's cell keeps the share that is asked for",
             "V: RNNs vs. Transformers", "largest |c - the share|, 2, 10 and 40 steps", 1e-4,
             "40 products in float of a gate that is rounded by 6e-8; its bias by 5e-7", share_left,
             {"one_step", "the gate itself is the share"},
             {"subtracted", "each step takes away the same amount"},
             {"long", "k + 1 for k steps and 1/e: right for many steps only"}),
    EXERCISE(4, "align: weights of the words, nothing on padding, at any size of the scores",
             "V: Recall the Translate and Align Model in RNNs",
             "largest |gamma - softmax of the words|", 1e-5, "a softmax of at most 8 floats",
             aligned, {"padding", "padding is a word like the others"},
             {"overflow", "exp of the scores themselves"},
             {"sum", "softmax over all, then padding is set to 0: the sum is below 1"}),
    EXERCISE(5, "stack: each layer adds its states to its input", "J: RNN vs Transformer",
             "max |y - closed form| of 3 layers with W_ih = I, W_hh = 0", 1e-5,
             "three sums of numbers below 8, each rounded by 5e-7", paths,
             {"no_layers", "x as it is"}, {"one_path", "one path past all layers"},
             {"parallel", "each layer reads the input of the first"}),
    {0},
};
