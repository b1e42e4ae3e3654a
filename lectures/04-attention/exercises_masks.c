/* exercises_masks.c: the exercises of rows 16, 17 and 25 to 28; see exercises.c. */
#include "lectures/04-attention/exercises.h"

/* ---- row 26: hide the future ----------------------------------------------------------------- */

Tensor *without_later(Tensor *A)
{
    int64_t T = A->shape.dim[0];
    Tensor *kept = ag_copy(A);
    for (int64_t i = 0; i < T; i++)
        for (int64_t j = i + 1; j < T; j++)
            kept->data[i * T + j] = 0;
    return kept;
}

/* Now: weights A (T, T) of a softmax over all keys, those of later keys replaced by 0. Change it:
 * the weights that the causal mask gives; from A alone, without the scores. */
static Tensor *hide_future(Tensor *A)
{
    return without_later(A);
}

static double future_hidden(Trial *t)
{
    Tensor *scores = trial_normal(t, 410, shape2(6, 6));
    Tensor *kept = TRIED(t, hide_future, hide_future_solved, hide_future_wrong_again,
                         hide_future_wrong_shared_out)(ag_softmax(scores));
    Tensor *masked = ag_masked_softmax(ag_reshape(scores, shape3(1, 6, 6)), (Mask){.causal = true});
    double off = values_difference(kept, ag_reshape(masked, shape2(6, 6)));
    explain(t, "max |weights - those under the causal mask| = %.2g", off);
    return off;
}

/* ---- row 27: from self-attention to cross-attention ------------------------------------------ */

/* Now: self-attention of the decoder's tokens (T, C). Change it: keys and values come from the
 * encoder's (S, C). */
static Tensor *look_at_source(Tensor *decoder, Tensor *encoder, Tensor *Wq, Tensor *Wk, Tensor *Wv)
{
    (void)encoder;
    return ag_attention(ag_linear(decoder, Wq, NULL), ag_linear(decoder, Wk, NULL),
                        ag_linear(decoder, Wv, NULL), (Mask){0}, 0);
}

static double source_read(Trial *t)
{
    Params *p = trial_params(t);
    MultiHeadAttention a;
    nn_attention_init(&a, p, "attention", 8, 1, 0);
    Tensor *decoder = trial_normal(t, 411, shape3(1, 3, 8)), *W[3];
    Tensor *encoder = trial_normal(t, 411, shape3(1, 5, 8));
    for (int part = 0; part < 3; part++)
        W[part] =
            ag_slice(tape_param(trial_tape(t), a.in_proj_weight), 0, part * 8, (part + 1) * 8);
    Tensor *y = TRIED(t, look_at_source, look_at_source_solved, look_at_source_wrong_exchanged,
                      look_at_source_wrong_keys_alone)(decoder, encoder, W[0], W[1], W[2]);
    double off = values_difference(nn_linear(&a.out_proj, y),
                                   nn_cross_attention(&a, decoder, encoder, (Mask){0}));
    explain(t, "3 target and 5 source tokens: max |W_o look_at_source - nn_cross_attention| = %.2g",
            off);
    return off;
}

/* ---- row 17: how spread is a row of weights? ------------------------------------------------- */

/* Now: how many of n weights are not 0. Change it: of how many keys, all with equal weights, the
 * entropy -sum a log a would be that of this row; a weight of 0 adds 0. It need not be a whole
 * number. */
static double keys_used(const real *a, int n)
{
    double count = 0;
    for (int j = 0; j < n; j++)
        count += a[j] > 0;
    return count;
}

static double count_right(Trial *t)
{
    static const real rows[][4] = {{1, 0, 0, 0}, {0.25, 0.25, 0.25, 0.25}, {0.5, 0.25, 0.25, 0}};
    const double expected[] = {1, 4, 2 * sqrt(2)};
    double worst = 0;
    for (int i = 0; i < 3; i++) {
        double k = TRIED(t, keys_used, keys_used_solved, keys_used_wrong_entropy,
                         keys_used_wrong_largest)(rows[i], 4);
        explain(t, "weights %g %g %g %g: %.4f, expected %.4f", (double)rows[i][0],
                (double)rows[i][1], (double)rows[i][2], (double)rows[i][3], k, expected[i]);
        worst = values_worst(worst, fabs(k - expected[i]));
    }
    return worst;
}

/* ---- row 25: cut a head ---------------------------------------------------------------------- */

/* Now: sets the rows of head h to 0 in W_o (C, C), which maps the heads side by side to the output,
 * y = x W_o^T. Change it: what head h says reaches nobody. */
static void cut_head(Tensor *Wo, int h, int d)
{
    int64_t C = Wo->shape.dim[1];
    for (int64_t i = h * d; i < (h + 1) * d; i++)
        for (int64_t j = 0; j < C; j++)
            Wo->data[i * C + j] = 0;
}

/* The heads side by side with head 1 replaced by zeros, through the whole W_o, and all heads
 * through the cut one. */
static double head_is_silent(Trial *t)
{
    enum { HEADS = 4, D = 2, C = HEADS * D };
    Tensor *heads = trial_normal(t, 412, shape2(3, C));
    Tensor *Wo = trial_normal(t, 412, shape2(C, C)), *cut = ag_copy(Wo);
    Tensor *silent = ag_copy(heads);
    for (int i = 0; i < 3; i++)
        silent->data[i * C + D] = silent->data[i * C + D + 1] = 0;
    TRIED(t, cut_head, cut_head_solved, cut_head_wrong_channel)(cut, 1, D);
    double off = values_difference(ag_linear(heads, cut, NULL), ag_linear(silent, Wo, NULL));
    explain(t, "max |all heads through the cut W_o - without head 2| = %.2g", off);
    return off;
}

/* ---- row 16: a function of a set ------------------------------------------------------------- */

/* Now: the last token's row of y (T, C), which moves when the tokens are permuted. Change it: one
 * row (1, C) that depends on every token and on no order. */
static Tensor *of_the_set(Tensor *y)
{
    int64_t T = y->shape.dim[0];
    return ag_slice(y, 0, T - 1, T);
}

static double set_pooled(Trial *t)
{
    static const int order[] = {3, 0, 4, 1, 2};
    Tensor *x = values_leaf(trial_tape(t), trial_rng(t, 413), shape2(5, 4), 1),
           *permuted = values_permuted(x, order);
    Tensor *y = ag_attention(x, x, x, (Mask){0}, 0),
           *z = ag_attention(permuted, permuted, permuted, (Mask){0}, 0);
    Tensor *(*pool)(Tensor *) =
        TRIED(t, of_the_set, of_the_set_solved, of_the_set_wrong_first, of_the_set_wrong_constant);
    Tensor *a = pool(y), *b = pool(z);
    double off = values_difference(a, b), least = INFINITY;
    real upstream[4] = {1, 1, 1, 1};
    if (tensor_size(a) != 4 || !ag_backward_from(a, upstream))
        off = (double)NAN;
    for (int i = 0; i < 5; i++)
        least = values_least(least, fabs((double)x->grad[i * 4]));
    explain(t, "tokens permuted: it moves by %.2g; the token with the least gradient has %.2g", off,
            least);
    return least > 0 ? off : (double)NAN;
}

/* ---- row 28: a causal window ----------------------------------------------------------------- */

/* Now: pairs of a window to both sides. Change it: how many pairs of n > w tokens a causal window
 * keeps, in which token i sees the last w + 1 keys, itself among them. */
static int pairs_kept(int n, int w)
{
    return n * (2 * w + 1) - w * (w + 1);
}

static double causal_window(Trial *t)
{
    static const int tried[][2] = {{12, 3}, {16, 5}, {9, 8}};
    double worst = 0;
    for (int k = 0; k < 3; k++) {
        int n = tried[k][0], w = tried[k][1], above = 0;
        int said = TRIED(t, pairs_kept, pairs_kept_solved, pairs_kept_wrong_half,
                         pairs_kept_wrong_both_ends)(n, w);
        Tensor *A = ag_masked_softmax(trial_normal(t, 414, shape3(1, n, n)),
                                      (Mask){.causal = true, .window = w});
        for (int i = 0; i < n * n; i++)
            above += A->data[i] > 0;
        explain(t, "n = %2d, w = %d: %d weights are above 0, by the formula %d", n, w, above, said);
        worst = values_worst(worst, fabs((double)(above - said)));
    }
    return worst;
}

const Claim attention_exercises_masks[] = {
    EXERCISE(26, "hide_future: the causal weights, from those of all keys",
             "J: Masked self-attention layer",
             "max |hide_future(A) - weights under the causal mask|", 1e-6,
             "the same ratios of exponentials, divided twice", future_hidden,
             {"again", "a softmax of the weights"},
             {"shared_out", "what was lost is added to all in equal parts"}),
    EXERCISE(27, "look_at_source: keys and values from the encoder",
             "V: Decoder Block: Attention Layers", "max |W_o look_at_source - nn_cross_attention|",
             1e-5, "the same sums; biases are 0 at first", source_read,
             {"exchanged", "queries of the encoder, keys and values of the decoder"},
             {"keys_alone", "values are the keys"}),
    EXERCISE(17, "keys_used: the number of equal weights of the same entropy", "V: Self-Attention",
             "max |keys_used - closed form| of three rows", 1e-6,
             "closed forms: 1, 4 and e^(1.5 log 2)", count_right, {"entropy", "the entropy itself"},
             {"largest", "1 / the largest weight"}),
    EXERCISE(25, "cut_head: what the head says reaches nobody",
             "V: Attention: Attention from Different Heads", "max |cut W_o - heads without head 2|",
             1e-5, "the same sums without the products of two channels", head_is_silent,
             {"channel", "channel h instead of the d channels of head h"}),
    EXERCISE(16, "of_the_set: one row that depends on all tokens and no order",
             "J: Capturing the Order of the Input",
             "max |f(Px) - f(x)|; NaN where a token has no part", 1e-5,
             "the same terms in another order: rounding", set_pooled, {"first", "the first token"},
             {"constant", "0 whatever the tokens are"}),
    EXERCISE(28, "pairs_kept: of a window to the left only", "J: Sparse Attention in Transformer",
             "max |weights above 0 - formula|, three sizes", 0, "counted one by one", causal_window,
             {"half", "half of the window to both sides, with half of each token itself"},
             {"both_ends", "keys are missing at both ends"}),
    {0},
};
