/* exercises.c: functions to be changed, about ten lines each, and the claims that tell whether the
 * change is right.
 *
 * `./gradus claims 5 --try 32` runs those of row 32. As they stand they compute something else, so
 * their claims FAIL. solutions.c has a solution of each, which `--try 32:solved` measures, and
 * mistakes, NAME_wrong_WHAT, with which the claim must FAIL, too. */
#include "lectures/05-block/exercises.h"

/* ---- row 31: a path that keeps the length ---------------------------------------------------- */

/* Now: 1. Change it: the factor a for which y = a (x + f(x)) keeps the mean square of x, where f(x)
 * is independent of x, of mean 0, and of f2 times its mean square. */
static double path_factor(double f2)
{
    (void)f2;
    return 1;
}

static double length_kept(Trial *t)
{
    enum { N = 20000 };
    double worst = 0;
    Tape *tape = trial_tape(t);
    Rng *rng = trial_rng(t, 500);
    for (double f2 = 0.25; f2 <= 4; f2 *= 4) {
        double a = TRIED(t, path_factor, path_factor_solved, path_factor_wrong_no_root,
                         path_factor_wrong_constant)(f2);
        Tensor *x = values_normal(tape, rng, shape1(N), 1),
               *f = values_normal(tape, rng, shape1(N), sqrt(f2));
        Tensor *y = ag_scale(ag_add(x, f), (real)a);
        double square = (double)tensor_item(ag_mean(ag_mul(y, y)));
        explain(t, "f^2 = %.2f: the mean square of a (x + f) is %.4f", f2, square);
        worst = values_worst(worst, fabs(square - 1));
    }
    return worst;
}

/* ---- row 32: RMSNorm ------------------------------------------------------------------------- */

/* Now: LayerNorm's backward, for one token of n channels: x^ and r (its sigma) are given, h is
 * dL/dx^. Change it into that of RMSNorm, x^ = x / r with r = sqrt(mean x^2 + epsilon), which does
 * not take the mean off. */
static void rms_backward(const double *hat, const double *h, double r, int n, double *dx)
{
    double a = 0, b = 0;
    for (int i = 0; i < n; i++) {
        a += h[i] / n;
        b += h[i] * hat[i] / n;
    }
    for (int i = 0; i < n; i++)
        dx[i] = (h[i] - a - hat[i] * b) / r;
}

/* Against the gradient of x / sqrt(mean x^2 + 1/2), op by op. */
static double rms_right(Trial *t)
{
    enum { C = 8 };
    double worst = 0, hat[C], h[C], dx[C], square = 0.5;
    Tape *tape = trial_tape(t);
    Rng *rng = trial_rng(t, 501);
    Tensor *x = values_leaf(tape, rng, shape2(1, C), 1), *g = values_normal(tape, rng, x->shape, 1);
    for (int c = 0; c < C; c++) {
        x->data[c] += 2;
        square += (double)x->data[c] * (double)x->data[c] / C;
        h[c] = (double)g->data[c];
    }
    for (int c = 0; c < C; c++)
        hat[c] = (double)x->data[c] / sqrt(square);
    Tensor *mean = ag_mean_axis(ag_mul(x, x), 1, true);
    ag_backward_from(ag_div(x, ag_sqrt(ag_add(mean, tape_full(tape, (real)0.5, shape2(1, 1))))),
                     g->data);
    TRIED(t, rms_backward, rms_backward_solved, rms_backward_wrong_constant, rms_backward_wrong_sum)
    (hat, h, sqrt(square), C, dx);
    for (int c = 0; c < C; c++)
        worst = values_worst(worst, fabs(dx[c] - (double)x->grad[c]));
    explain(t, "a token of mean 2: max |rms_backward - gradient| = %.2g", worst);
    return worst;
}

/* ---- row 33: dropout that keeps the size ----------------------------------------------------- */

/* Now: inverted dropout, whose expectation is x: each number is kept with probability 1 - p, its
 * mask 1. Change it: the mean square is that of x (and the expectation no longer x), so that the
 * next layer's scores keep their variance. */
static Tensor *dropped(Tensor *x, Tensor *mask, double p)
{
    return ag_scale(ag_mul(x, mask), (real)(1 / (1 - p)));
}

static double size_kept(Trial *t)
{
    enum { N = 40000 };
    Tape *tape = trial_tape(t);
    Tensor *x = tape_full(tape, 3, shape1(N)), *mask = tape_full(tape, 0, shape1(N));
    for (int i = 0; i < N; i++)
        mask->data[i] = rng_uniform(trial_rng(t, 502)) < 0.8;
    Tensor *y = TRIED(t, dropped, dropped_solved, dropped_wrong_plain,
                      dropped_wrong_all_kept)(x, mask, 0.2);
    double square = (double)tensor_item(ag_mean(ag_mul(y, y)));
    double left = values_largest(ag_sub(y, ag_mul(y, mask)));
    explain(t, "x = 3, p = 0.2: mean square of %d dropped numbers %.4f", N, square);
    return left == 0 ? fabs(square - 9) : INFINITY;
}

/* ---- row 34: how wide is a gated layer? ------------------------------------------------------ */

/* Now: 4 C. Change it: the hidden width of SwiGLU, W_2 (silu(W_1 x) * W_3 x), with as many weights
 * as the feed-forward layer C -> 4 C -> C, without biases; to the nearest whole number. */
static int gated_hidden(int C)
{
    return 4 * C;
}

static double gated_weights(Trial *t)
{
    double worst = 0;
    for (int C = 24; C <= 96; C *= 2) {
        Params *p = params_new(t->seed);
        FeedForward f;
        int hidden = TRIED(t, gated_hidden, gated_hidden_solved, gated_hidden_wrong_half,
                           gated_hidden_wrong_third)(C);
        nn_gated_feedforward_init(&f, p, "ff", C, hidden, ACTIVATION_SILU, false, 0);
        double ratio = (double)params_size(p) / (8.0 * C * C);
        explain(t, "C = %d, hidden %d: %lld weights, %.3f of 8 C^2", C, hidden,
                (long long)params_size(p), ratio);
        worst = values_worst(worst, fabs(ratio - 1));
        params_free(p);
    }
    return worst;
}

/* ---- row 35: both branches at once ----------------------------------------------------------- */

/* Now: a pre-norm block, one branch after the other. Change it: the parallel block, x + attn(LN(x))
 * + ff(LN(x)), whose branches read the same x, each through its own norm. */
static Tensor *parallel_block(const TransformerBlock *b, Tensor *x)
{
    x = ag_add(x, nn_attention(&b->attn, nn_norm(&b->norm1, x), (Mask){0}));
    return ag_add(x, nn_feedforward(&b->ff, nn_norm(&b->norm2, x)));
}

static double branches_add(Trial *t)
{
    Params *p = trial_params(t);
    Rng *rng = trial_rng(t, 504);
    TransformerBlock b;
    nn_transformer_block_init(&b, p, "block", (BlockConfig){.channels = 8, .heads = 2});
    Tensor *x = values_normal(trial_tape(t), rng, shape3(1, 4, 8), 1);
    for (int c = 0; c < 8; c++) /* else both norms are the same */
        b.norm2.weight->data[c] = (real)(0.5 + rng_uniform(rng));
    Tensor *(*f)(const TransformerBlock *, Tensor *) =
        TRIED(t, parallel_block, parallel_block_solved, parallel_block_wrong_one_norm);
    Tensor *a = nn_attention(&b.attn, nn_norm(&b.norm1, x), (Mask){0});
    Tensor *ff = nn_feedforward(&b.ff, nn_norm(&b.norm2, x));
    double off = values_difference(ag_sub(f(&b, x), x), ag_add(a, ff));
    explain(t, "max |block(x) - x - attn(LN(x)) - ff(LN(x))| = %.2g", off);
    return off;
}

/* ---- row 36: one layer, several times -------------------------------------------------------- */

/* Now: the blocks one after another, each with its own weights. Change it: the first block as many
 * times (as ALBERT does), with a quarter of the weights. */
static Tensor *shared_stack(const TransformerBlock *block, int layers, Tensor *x)
{
    for (int l = 0; l < layers; l++)
        x = nn_transformer_block(&block[l], x, (Mask){0});
    return x;
}

/* Against the first block, applied four times here. */
static double one_block(Trial *t)
{
    Params *p = trial_params(t);
    TransformerBlock b[4];
    for (int l = 0; l < 4; l++)
        nn_transformer_block_init(&b[l], p, params_path(p, "block.%d", l),
                                  (BlockConfig){.channels = 8, .heads = 2});
    Tensor *(*f)(const TransformerBlock *, int, Tensor *) =
        TRIED(t, shared_stack, shared_stack_solved, shared_stack_wrong_two_blocks,
              shared_stack_wrong_once);
    Tensor *x = trial_normal(t, 505, shape3(1, 4, 8));
    Tensor *expected = x;
    for (int l = 0; l < 4; l++)
        expected = nn_transformer_block(&b[0], expected, (Mask){0});
    double off = values_difference(f(b, 4, x), expected);
    explain(t, "a stack of 4 against block 1 applied four times: max difference %.2g", off);
    return off;
}

/* ---- row 37: shifted right ------------------------------------------------------------------- */

/* Now: the decoder is given the words that it is to say. Change it: no step is given its own or a
 * later word. */
static void shift_right(const int *words, int n, int bos, int *in)
{
    (void)bos;
    for (int i = 0; i < n; i++)
        in[i] = words[i];
}

static double shifted_right(Trial *t)
{
    static const int words[] = {2, 1, 0, 4, 5}, expected[] = {6, 2, 1, 0, 4};
    int in[5], wrong = 0;
    void (*shift)(const int *, int, int, int *) =
        TRIED(t, shift_right, shift_right_solved, shift_right_wrong_rotated,
              shift_right_wrong_left);
    shift(words, 5, 6, in);
    for (int i = 0; i < 5; i++) {
        explain(t, "step %d is to say word %d and is given %d", i + 1, words[i], in[i]);
        wrong += in[i] != expected[i];
    }
    return wrong;
}

const Claim block_exercises[] = {
    EXERCISE(31, "path_factor: a (x + f(x)) as large as x",
             "J: Residual Connections, Dropout, and Normalization",
             "max |mean square - 1|, f^2 = 1/4, 1, 4", 0.05,
             "20,000 numbers: an error of 0.01, of which 0.05 is five", length_kept,
             {"no_root", "the mean square in place of its root"},
             {"constant", "right for f2 = 1 alone"}),
    EXERCISE(32, "rms_backward: the gradient through RMSNorm", "J: Recall: Layer Normalization",
             "max |rms_backward - gradient op by op|", 1e-5, "rounding of numbers near 1",
             rms_right, {"constant", "the divisor is taken for a constant"},
             {"sum", "the sum in place of the mean"}),
    EXERCISE(
        33, "dropped: the mean square is that of x", "J: At test time....",
        "|mean square - 9| over 40,000 numbers, p = 0.2; infinity where a dropped one is not 0",
        0.12, "an error of 9 sqrt(0.25 / 40,000) = 0.0225; five of them", size_kept,
        {"plain", "no factor"}, {"all_kept", "x itself: nothing is dropped"}),
    EXERCISE(34, "gated_hidden: SwiGLU with as many weights as C -> 4 C -> C",
             "J: Feedforward Network", "max |weights / 8 C^2 - 1|, C = 24, 48, 96", 0.005,
             "the nearest whole number: C is a multiple of 3", gated_weights,
             {"half", "as many hidden numbers, of two projections"},
             {"third", "one matrix of three, not three for two"}),
    EXERCISE(35, "parallel_block: x + attn(LN(x)) + ff(LN(x))",
             "J: On the LayerNorm in Transformer", "max |block(x) - x - attn(LN(x)) - ff(LN(x))|",
             1e-5, "the same sums in another order", branches_add,
             {"one_norm", "both branches read the first norm"}),
    EXERCISE(36, "shared_stack: one block several times", "Z: Transformer layer",
             "max |shared_stack - block 1 applied four times|", 1e-5,
             "the same operations on the same numbers", one_block,
             {"two_blocks", "the first two blocks in turn"}, {"once", "the first block once"}),
    EXERCISE(37, "shift_right: no step is given the word that it is to say",
             "V: Training the Transformer", "inputs of 5 that are wrong", 0,
             "<bos> I am a student for I am a student <eos>", shifted_right,
             {"rotated", "the last word in place of <bos>"}, {"left", "the next word"}),
    {0},
};
