/* exercises.c: functions to be changed, about ten lines each, and the claims that tell whether the
 * change is right.
 *
 * `./gradus claims 5 --try 32` runs those of row 32. As they stand they compute something else, so
 * their claims FAIL. solutions.c has a solution of each, which `--try 32:solved` measures, and
 * mistakes, NAME_wrong_WHAT, with which the claim must FAIL, too. */
#include "lectures/05-block/exercises.h"

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
        dx[c] = 9; /* is to be overwritten */
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
    int in[5] = {9, 9, 9, 9, 9}, wrong = 0;
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
    EXERCISE(32, "rms_backward: the gradient through RMSNorm", "J: Recall: Layer Normalization",
             "max |rms_backward - gradient op by op|", 1e-5, "rounding of numbers near 1",
             rms_right, {"constant", "the divisor is taken for a constant"},
             {"sum", "the sum in place of the mean"}),
    EXERCISE(37, "shift_right: no step is given the word that it is to say",
             "V: Training the Transformer", "inputs of 5 that are wrong", 0,
             "<bos> I am a student for I am a student <eos>", shifted_right,
             {"rotated", "the last word in place of <bos>"}, {"left", "the next word"}),
    {0},
};
