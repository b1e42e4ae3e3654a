/* exercises_masks.c: the exercises of rows 16, 17 and 25 to 28; see exercises.c. */
#include "lectures/04-attention/exercises.h"

/* ---- row 26: hide the future --------------------------------------------------------------------------------- */

/* Now: scores (T, T) of later keys become 0, as on J's slide. Change it: softmax of the result gives them weight 0. */
static Tensor *hide_future(Tensor *scores)
{
    int64_t T = scores->shape.dim[0];
    Tensor *hidden = ag_copy(scores);
    for (int64_t i = 0; i < T; i++)
        for (int64_t j = i + 1; j < T; j++)
            hidden->data[i * T + j] = 0;
    return hidden;
}

static Tensor *hide_future_solved(Tensor *scores)
{
    int64_t T = scores->shape.dim[0];
    Tensor *hidden = ag_copy(scores);
    for (int64_t i = 0; i < T; i++)
        for (int64_t j = i + 1; j < T; j++)
            hidden->data[i * T + j] = -(real)INFINITY;
    return hidden;
}

/* Scores of keys from i + `from` on become `score`. */
static Tensor *hidden_from(Tensor *scores, int from, real score)
{
    int64_t T = scores->shape.dim[0];
    Tensor *hidden = ag_copy(scores);
    for (int64_t i = 0; i < T; i++)
        for (int64_t j = i + from; j < T; j++)
            hidden->data[i * T + j] = score;
    return hidden;
}

static Tensor *hide_future_wrong_diagonal(Tensor *scores)
{
    return hidden_from(scores, 0, -(real)INFINITY);
}

static Tensor *hide_future_wrong_finite(Tensor *scores)
{
    return hidden_from(scores, 1, -10);
}

static double future_hidden(Trial *t)
{
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 410};
    Tensor *scores = values_normal(tape, &rng, shape2(6, 6), 1);
    Tensor *hidden = TRIED(t, hide_future, hide_future_solved, hide_future_wrong_diagonal,
                           hide_future_wrong_finite)(scores);
    double off = values_difference(ag_softmax(hidden),
                                   ag_reshape(ag_masked_softmax(ag_reshape(scores, shape3(1, 6, 6)),
                                                                (Mask){.causal = true}),
                                              shape2(6, 6)));
    explain(t, "max |weights - those under the causal mask| = %.2g", off);
    tape_free(tape);
    return off;
}

const Claim exercise_mask_scores =
    EXERCISE(26, "hide_future: weights of later keys are 0", "J: Masked self-attention layer",
             "max |softmax(hide_future) - weights under the causal mask|", 1e-6,
             "the same softmax over the same keys", future_hidden,
             {"diagonal", "a query does not see its own key, either"},
             {"finite", "-10, which leaves a weight of e^-10"});

/* ---- row 27: from self-attention to cross-attention ------------------------------------------------------------ */

/* Now: self-attention of the decoder's tokens (T, C). Change it: keys and values come from the encoder's (S, C). */
static Tensor *look_at_source(Tensor *decoder, Tensor *encoder, Tensor *Wq, Tensor *Wk, Tensor *Wv)
{
    (void)encoder;
    return ag_attention(ag_linear(decoder, Wq, NULL), ag_linear(decoder, Wk, NULL),
                        ag_linear(decoder, Wv, NULL), (Mask){0}, 0);
}

static Tensor *look_at_source_solved(Tensor *decoder, Tensor *encoder, Tensor *Wq, Tensor *Wk,
                                     Tensor *Wv)
{
    return ag_attention(ag_linear(decoder, Wq, NULL), ag_linear(encoder, Wk, NULL),
                        ag_linear(encoder, Wv, NULL), (Mask){0}, 0);
}

static Tensor *look_at_source_wrong_exchanged(Tensor *decoder, Tensor *encoder, Tensor *Wq,
                                              Tensor *Wk, Tensor *Wv)
{
    return look_at_source_solved(encoder, decoder, Wq, Wk, Wv);
}

static Tensor *look_at_source_wrong_keys_alone(Tensor *decoder, Tensor *encoder, Tensor *Wq,
                                               Tensor *Wk, Tensor *Wv)
{
    (void)Wv;
    return look_at_source_solved(decoder, encoder, Wq, Wk, Wk);
}

static double source_read(Trial *t)
{
    Tape *tape = tape_new(t->seed);
    Params *p = params_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 411};
    MultiHeadAttention a;
    nn_attention_init(&a, p, "attention", 8, 1, 0);
    Tensor *decoder = values_normal(tape, &rng, shape3(1, 3, 8), 1), *W[3];
    Tensor *encoder = values_normal(tape, &rng, shape3(1, 5, 8), 1);
    for (int part = 0; part < 3; part++)
        W[part] = ag_slice(tape_param(tape, a.in_proj_weight), 0, part * 8, (part + 1) * 8);
    Tensor *y = TRIED(t, look_at_source, look_at_source_solved, look_at_source_wrong_exchanged,
                      look_at_source_wrong_keys_alone)(decoder, encoder, W[0], W[1], W[2]);
    double off = values_difference(nn_linear(&a.out_proj, y),
                                   nn_cross_attention(&a, decoder, encoder, (Mask){0}));
    explain(t, "3 target and 5 source tokens: max |W_o look_at_source - nn_cross_attention| = %.2g",
            off);
    params_free(p);
    tape_free(tape);
    return off;
}

const Claim exercise_cross =
    EXERCISE(27, "look_at_source: keys and values from the encoder",
             "V: Decoder Block: Attention Layers", "max |W_o look_at_source - nn_cross_attention|",
             1e-5, "the same sums; biases are 0 at first", source_read,
             {"exchanged", "queries of the encoder, keys and values of the decoder"},
             {"keys_alone", "values are the keys"});

/* ---- row 17: how spread is a row of weights? ------------------------------------------------------------------------ */

/* Now: the largest weight of a row of n. Change it: the row's entropy in nats, -sum a log a; a weight of 0 adds 0. */
static double spread(const real *a, int n)
{
    double most = 0;
    for (int j = 0; j < n; j++)
        most = values_worst(most, (double)a[j]);
    return most;
}

static double spread_solved(const real *a, int n)
{
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum -= a[j] > 0 ? (double)a[j] * log((double)a[j]) : 0;
    return sum;
}

static double spread_wrong_bits(const real *a, int n)
{
    return spread_solved(a, n) / log(2);
}

static double spread_wrong_no_zero(const real *a, int n)
{
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum -= (double)a[j] * log((double)a[j]);
    return sum;
}

static double entropy_right(Trial *t)
{
    static const real rows[][4] = {{1, 0, 0, 0}, {0.25, 0.25, 0.25, 0.25}, {0.5, 0.25, 0.25, 0}};
    const double expected[] = {0, log(4), 1.5 * log(2)};
    double worst = 0;
    for (int i = 0; i < 3; i++) {
        double e =
            TRIED(t, spread, spread_solved, spread_wrong_bits, spread_wrong_no_zero)(rows[i], 4);
        explain(t, "weights %g %g %g %g: %.4f, expected %.4f", (double)rows[i][0],
                (double)rows[i][1], (double)rows[i][2], (double)rows[i][3], e, expected[i]);
        worst = values_worst(worst, fabs(e - expected[i]));
    }
    return worst;
}

const Claim exercise_entropy =
    EXERCISE(17, "spread: the entropy of a row of weights", "V: Self-Attention",
             "max |spread - entropy| of three rows", 1e-6, "closed forms: 0, log 4, 1.5 log 2",
             entropy_right, {"bits", "in bits"}, {"no_zero", "0 log 0, which is not a number"});

/* ---- row 25: cut a head ---------------------------------------------------------------------------------------------- */

/* Now: sets the rows of head h to 0 in W_o (C, C), which maps the heads side by side to the output, y = x W_o^T. Change
 * it: what head h says reaches nobody. */
static void cut_head(Tensor *Wo, int h, int d)
{
    int64_t C = Wo->shape.dim[1];
    for (int64_t i = h * d; i < (h + 1) * d; i++)
        for (int64_t j = 0; j < C; j++)
            Wo->data[i * C + j] = 0;
}

static void cut_head_solved(Tensor *Wo, int h, int d)
{
    int64_t C = Wo->shape.dim[1];
    for (int64_t i = 0; i < C; i++)
        for (int64_t j = h * d; j < (h + 1) * d; j++)
            Wo->data[i * C + j] = 0;
}

static void cut_head_wrong_channel(Tensor *Wo, int h, int d)
{
    int64_t C = Wo->shape.dim[1];
    (void)d;
    for (int64_t i = 0; i < C; i++)
        Wo->data[i * C + h] = 0;
}

/* The heads side by side with head 1 replaced by zeros, through the whole W_o, and all heads through the cut one. */
static double head_is_silent(Trial *t)
{
    enum { HEADS = 4, D = 2, C = HEADS * D };
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 412};
    Tensor *heads = values_normal(tape, &rng, shape2(3, C), 1);
    Tensor *Wo = values_normal(tape, &rng, shape2(C, C), 1), *cut = ag_copy(Wo);
    Tensor *silent = ag_copy(heads);
    for (int i = 0; i < 3; i++)
        silent->data[i * C + D] = silent->data[i * C + D + 1] = 0;
    TRIED(t, cut_head, cut_head_solved, cut_head_wrong_channel)(cut, 1, D);
    double off = values_difference(ag_linear(heads, cut, NULL), ag_linear(silent, Wo, NULL));
    explain(t, "max |all heads through the cut W_o - without head 2| = %.2g", off);
    tape_free(tape);
    return off;
}

const Claim exercise_cut =
    EXERCISE(25, "cut_head: what the head says reaches nobody",
             "V: Attention: Attention from Different Heads", "max |cut W_o - heads without head 2|",
             1e-5, "the same sums without the products of two channels", head_is_silent,
             {"channel", "channel h instead of the d channels of head h"});

/* ---- row 16: a function of a set ---------------------------------------------------------------------------------------- */

/* Now: the last token's row of y (T, C), which moves when the tokens are permuted. Change it: one row (1, C) that
 * depends on every token and on no order. */
static Tensor *of_the_set(Tensor *y)
{
    int64_t T = y->shape.dim[0];
    return ag_slice(y, 0, T - 1, T);
}

static Tensor *of_the_set_solved(Tensor *y)
{
    return ag_mean_axis(y, 0, true);
}

static Tensor *of_the_set_wrong_first(Tensor *y)
{
    return ag_slice(y, 0, 0, 1);
}

static Tensor *of_the_set_wrong_constant(Tensor *y)
{
    return ag_scale(ag_mean_axis(y, 0, true), 0);
}

static double set_pooled(Trial *t)
{
    static const int order[] = {3, 0, 4, 1, 2};
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 413};
    Tensor *x = values_leaf(tape, &rng, shape2(5, 4), 1), *permuted = values_permuted(x, order);
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
    tape_free(tape);
    return least > 0 ? off : (double)NAN;
}

const Claim exercise_pool =
    EXERCISE(16, "of_the_set: one row that depends on all tokens and no order",
             "J: Capturing the Order of the Input",
             "max |f(Px) - f(x)|; NaN where a token has no part", 1e-5,
             "the same terms in another order: rounding", set_pooled, {"first", "the first token"},
             {"constant", "0 whatever the tokens are"});

/* ---- row 28: a causal window ---------------------------------------------------------------------------------------------- */

/* Now: token i sees keys at most w away, on both sides. Change it: the last w + 1 keys, itself among them. */
static bool sees(int i, int j, int w)
{
    return j >= i - w && j <= i + w;
}

static bool sees_solved(int i, int j, int w)
{
    return j >= i - w && j <= i;
}

static bool sees_wrong_w_keys(int i, int j, int w)
{
    return j > i - w && j <= i;
}

static bool sees_wrong_causal(int i, int j, int w)
{
    (void)w;
    return j <= i;
}

static double causal_window(Trial *t)
{
    enum { N = 12, W = 3 };
    real keep[N * N];
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 414};
    for (int i = 0; i < N * N; i++)
        keep[i] =
            TRIED(t, sees, sees_solved, sees_wrong_w_keys, sees_wrong_causal)(i / N, i % N, W);
    Tensor *scores = values_normal(tape, &rng, shape3(1, N, N), 1);
    Tensor *mine = ag_masked_softmax(scores, (Mask){.keep = tape_input(tape, keep, shape2(N, N))});
    double off =
        values_difference(mine, ag_masked_softmax(scores, (Mask){.causal = true, .window = W}));
    explain(t, "max |weights - those under causal and window %d| = %.2g", W, off);
    tape_free(tape);
    return off;
}

const Claim exercise_window =
    EXERCISE(28, "sees: a window to the left only", "J: Sparse Attention in Transformer",
             "max |weights - those under the library's causal window|", 1e-6,
             "the same softmax over the same keys", causal_window,
             {"w_keys", "w keys instead of w + 1"}, {"causal", "all keys up to its own"});
