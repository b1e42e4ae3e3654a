/* heads.c: several heads (rows 23 and 24).
 *
 *   H_h = attention(X W_h^q, X W_h^k, X W_h^v),  Y = [H_1 ... H_H] W_o,  d_k = d / H
 *                                   Z "Multi-Head Attention", V "Multi-Head Self-Attention (MSA)", J, H, B */
#include "lectures/04-attention/attention.h"

#include "examples/common/progress.h"
#include "lectures/runner/counting.h"

enum { B = 2, T = 10, C = 32, HEADS = 4, D = C / HEADS };

/* ---- row 23: a loop over the heads, and none ------------------------------------------------- */

/* The rows of W_q, W_k or W_v (part 0, 1, 2) that are head h's, with their bias: x (B, T, C) -> (B,
 * T, D). */
static Tensor *project(const MultiHeadAttention *a, Tensor *x, int part, int h)
{
    int from = part * C + h * D;
    Tensor *w = ag_slice(tape_param(x->tape, a->in_proj_weight), 0, from, from + D);
    Tensor *b = ag_slice(tape_param(x->tape, a->in_proj_bias), 0, from, from + D);
    return ag_linear(x, w, b);
}

/* The slides' algorithm: head after head, then side by side through W_o. order[i]: the i-th
 * head. */
static Tensor *head_loop(const MultiHeadAttention *a, Tensor *x, const int *order)
{
    Tensor *head[HEADS];
    for (int i = 0; i < HEADS; i++) {
        int h = order[i];
        head[i] = ag_attention(project(a, x, 0, h), project(a, x, 1, h), project(a, x, 2, h),
                               (Mask){0}, 0);
    }
    return ag_concat(head, HEADS, 2);
}

/* Milliseconds of a whole layer, loop or batched, W_o included, after a first run that is not
 * counted. */
static double milliseconds(Tape *tape, const MultiHeadAttention *a, uint64_t seed, const int *order)
{
    enum { TIMES = 50 };
    double began = 0;
    for (int i = -1; i < TIMES; i++) {
        Rng rng = {.seed = seed, .stream = 230};
        tape_reset(tape);
        Tensor *x = values_normal(tape, &rng, shape3(B, T, C), 1);
        began = i == 0 ? seconds() : began;
        if (order)
            nn_linear(&a->out_proj, head_loop(a, x, order));
        else
            nn_attention(a, x, (Mask){0});
    }
    return 1e3 * (seconds() - began) / TIMES;
}

static double loop_is_batched(Trial *t)
{
    static const int straight[] = {0, 1, 2, 3}, reversed[] = {3, 2, 1, 0};
    Params *params = trial_params(t);
    Tape *tape = trial_tape(t);
    MultiHeadAttention a;
    nn_attention_init(&a, params, "attention", C, HEADS, 0);
    Tensor *x = trial_normal(t, 230, shape3(B, T, C));
    Tensor *loop = head_loop(&a, x, broken(t, "heads-reversed") ? reversed : straight);
    if (!broken(t, "no-output"))
        loop = nn_linear(&a.out_proj, loop);
    double off = values_difference(loop, nn_attention(&a, x, (Mask){0}));
    explain(t, "%d heads of %d channels: max difference %.2g", HEADS, D, off);
    if (t->notes)
        explain(t, "the loop takes %.3f ms, all heads at once %.3f ms, W_o in both",
                milliseconds(tape, &a, t->seed, straight), milliseconds(tape, &a, t->seed, NULL));
    return off;
}

/* Multiply-adds of the layer with 1, 2, 4, 8 heads; with d_k = d / H, or each head as wide as the
 * model. */
static int64_t cost_of_heads(int heads, int width, uint64_t seed)
{
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 231};
    Tensor *x = values_normal(tape, &rng, shape2(T, C), 1);
    Tensor *head[8];
    counting_begin();
    for (int h = 0; h < heads; h++) {
        Tensor *qkv[3];
        for (int part = 0; part < 3; part++)
            qkv[part] = ag_linear(x, values_normal(tape, &rng, shape2(width, C), 0.1), NULL);
        head[h] = ag_attention(qkv[0], qkv[1], qkv[2], (Mask){0}, 0);
    }
    Tensor *all = ag_concat(head, heads, 1);
    ag_linear(all, values_normal(tape, &rng, shape2(C, heads * width), 0.1), NULL);
    int64_t done = counting_end();
    tape_free(tape);
    return done;
}

static double heads_cost_the_same(Trial *t)
{
    double one = 0, worst = 0;
    for (int heads = 1; heads <= 8; heads *= 2) {
        int width = broken(t, "full-width") ? C : C / heads;
        double done = (double)cost_of_heads(heads, width, t->seed);
        one = heads == 1 ? done : one;
        worst = values_worst(worst, fabs(done / one - 1));
        explain(t, "%d heads of %2d channels: %.0f multiply-adds, and %d exponentials", heads,
                width, done, heads * T * T);
    }
    return worst;
}

/* ---- V's shapes ------------------------------------------------------------------------------ */

static double projection_shapes(Trial *t)
{
    int d = 8, head = broken(t, "square") ? 8 : 2;
    Tape *tape = trial_tape(t);
    bool as_written = values_can_multiply(tape, shape2(d, head), shape2(d, T), NULL, 0);
    bool transposed = values_can_multiply(tape, shape2(head, d), shape2(d, T), NULL, 0);
    explain(t, "x is d x T = %d x %d; W of d x d_h = %d x %d: W x %s, W^T x %s", d, T, d, head,
            as_written ? "fits" : "does not fit", transposed ? "fits" : "does not fit");
    return transposed - as_written;
}

const Claim heads_claims[] = {
    {23, loop_is_batched, "heads as a further axis give what a loop over the heads gives",
     .slides = {"J: Finish Multi-head Attention without For Loops", "Z: Multi-Head Attention",
                "B: Self-Attention: Multi-Head", "V: Multi-Head Self-Attention (MSA)",
                "H: Multi-Head Self-Attention", "J: Multi-Head Self-Attention Summary"},
     .quantity = "max |loop, concat, W_o - nn_attention|",
     AT_MOST(1e-5, "the same sums; the kernels may add them in another order"),
     .faults = {{"heads-reversed", "the heads are put side by side from last to first"},
                {"no-output", "W_o is left out"}}},
    {23, heads_cost_the_same, "with d_k = d / H, any number of heads takes the same multiply-adds",
     .slides = {"J: Multi-Head Self-Attention Summary", "V: Multi-Head Self-Attention (MSA)",
                "H: Multi-Head Attention"},
     .quantity = "|counted / counted with one head - 1|, 1 to 8 heads",
     EXACTLY(0, "H heads of d / H channels: the same products, dealt out otherwise; counted, so "
                "exact"),
     .faults = {{"full-width", "each head has all d channels, as in Z's algorithm"}}},
    {23, projection_shapes,
     "W_i of d x d_h, as V has it, cannot stand left of x of d x T: it takes W_i^T x, or x with a "
     "token in each row",
     .slides = {"V: Multi-Head Self-Attention (MSA)"},
     .quantity = "products that exist: W^T x less W x",
     EXACTLY(1, "the inner lengths must agree: d_h against d"),
     .faults = {{"square", "a single head as wide as the model, where it makes no difference"}},
     .against =
         {MISPRINTED, "V: Multi-Head Self-Attention (MSA)",
          "Q_i = W_i x, which takes tokens as columns, with W_i in d x d_h; and [SA_1 ... SA_h] "
          "W_O, which takes them as rows"},
     HOLDS_POISONED("asks which products exist; no number is read")},
    {0},
};
