/* cross.c: queries from one sequence, keys and values from another (row 27).
 *
 *   Q = Y W_q,  K = X W_k,  V = X W_v        Y: the decoder's tokens, X: what the encoder made
 *                       V "Decoder Block: Attention Layers", H "Transformer Decoder in Seq2Seq", Z, J */
#include "lectures/04-attention/attention.h"

enum { T = 5, S = 7, C = 16, HEADS = 2 };

/* ---- by hand --------------------------------------------------------------------------------- */

/* One of the three projections of (1, L, C) as heads: (1, H, L, C / H). */
static Tensor *project(const MultiHeadAttention *a, Tensor *x, int part)
{
    Tensor *w = ag_slice(tape_param(x->tape, a->in_proj_weight), 0, part * C, (part + 1) * C);
    Tensor *b = ag_slice(tape_param(x->tape, a->in_proj_bias), 0, part * C, (part + 1) * C);
    Tensor *y = ag_reshape(ag_linear(x, w, b), shape4(1, x->shape.dim[1], HEADS, C / HEADS));
    return ag_transpose(y, 1, 2);
}

static Tensor *by_hand(const MultiHeadAttention *a, Tensor *decoder, Tensor *encoder)
{
    Tensor *q = project(a, decoder, 0), *k = project(a, encoder, 1), *v = project(a, encoder, 2);
    Tensor *y = ag_transpose(ag_attention(q, k, v, (Mask){0}, 0), 1, 2);
    return nn_linear(&a->out_proj, ag_reshape(y, shape3(1, decoder->shape.dim[1], C)));
}

static double cross_by_hand(Trial *t)
{
    Params *params = trial_params(t);
    MultiHeadAttention a;
    nn_attention_init(&a, params, "attention", C, HEADS, 0);
    Tensor *decoder = trial_normal(t, 270, shape3(1, T, C));
    Tensor *encoder = trial_normal(t, 270, shape3(1, S, C));
    Tensor *layer = nn_cross_attention(&a, decoder, encoder, (Mask){0});
    Tensor *hand = broken(t, "swapped")          ? ag_slice(by_hand(&a, encoder, decoder), 1, 0, T)
                   : broken(t, "self-attention") ? by_hand(&a, decoder, decoder)
                                                 : by_hand(&a, decoder, encoder);
    double off = values_difference(layer, hand);
    explain(t, "max |nn_cross_attention - by hand| = %.2g", off);
    return off;
}

/* ---- the query is of the same layer ---------------------------------------------------------- */

/* Two post-norm decoder layers. V's formula gives cross-attention the y^ of layer l - 1 for its
 * query and its residual path (V's words beside it are right: the query comes "from the previous
 * MSA"). For the first layer there is no such y^, so that it takes its own here; what layer l's own
 * masked self-attention computes is then read by the next layer only, and by none after the last.
 * |dL/dW| of each layer's masked self-attention into gradient[]. */
static bool self_attention_gradients(uint64_t seed, bool layer_before, double gradient[2])
{
    Params *params = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 271};
    DecoderBlock block[2];
    Tensor *y = values_normal(tape, &rng, shape3(1, T, C), 1), *before = NULL;
    Tensor *memory = values_normal(tape, &rng, shape3(1, S, C), 1);
    Tensor *wanted = values_normal(tape, &rng, shape3(1, T, C), 1);
    for (int l = 0; l < 2; l++) {
        DecoderBlock *b = &block[l];
        nn_decoder_block_init(b, params, params_path(params, "block.%d", l),
                              (BlockConfig){.channels = C, .heads = HEADS, .post_norm = true});
        Tensor *hat =
            nn_norm(&b->norm1, ag_add(y, nn_attention(&b->self_attn, y, (Mask){.causal = true})));
        Tensor *query = layer_before && before ? before : hat;
        Tensor *cross = nn_cross_attention(&b->cross_attn, query, memory, (Mask){0});
        Tensor *tilde = nn_norm(&b->norm2, ag_add(query, cross));
        y = nn_norm(&b->norm3, ag_add(tilde, nn_feedforward(&b->ff, tilde)));
        before = hat;
    }
    bool ok = ag_backward(ag_mse(y, wanted));
    for (int l = 0; l < 2; l++) {
        const Tensor *w = block[l].self_attn.in_proj_weight;
        gradient[l] = ok ? 0 : (double)NAN;
        for (int64_t i = 0; ok && i < tensor_size(w); i++)
            gradient[l] = values_worst(gradient[l], fabs((double)w->grad[i]));
    }
    tape_free(tape);
    params_free(params);
    return ok;
}

static double query_of_this_layer(Trial *t)
{
    double gradient[2];
    bool same = broken(t, "same-layer");
    if (!self_attention_gradients(t->seed, !same, gradient))
        return (double)NAN;
    explain(t,
            "query from layer %s: max |dL/dW| of the masked self-attention is %.2g in layer 1, "
            "%.2g in layer 2",
            same ? "l" : "l - 1", gradient[0], gradient[1]);
    return gradient[0] > 0 ? gradient[1] : (double)NAN;
}

const Claim cross_claims[] = {
    {27, cross_by_hand, "queries come from the decoder, keys and values from the encoder",
     .slides = {"V: Decoder Block: Attention Layers", "H: Transformer Decoder in Seq2Seq",
                "Z: Sequence-to-sequence transformers",
                "J: Transformer Decoder: Autoregressive Target Sequence Generation"},
     .quantity = "max |layer - by hand|",
     AT_MOST(1e-5, "the same sums; kernels may add them in another order"),
     .faults = {{"swapped", "queries from the encoder, keys and values from the decoder"},
                {"self-attention", "keys and values from the decoder too"}}},
    {27, query_of_this_layer,
     "with V's query, taken from layer l - 1, the last layer's self-attention gets no gradient",
     .slides = {"V: Decoder Block: Attention Layers"},
     .quantity = "max |dL/dW| of the last layer's masked self-attention; NaN if the first's is 0",
     EXACTLY(0, "no operation reads its result; with the query of layer l it has a gradient"),
     .faults = {{"same-layer", "the query is this layer's first sub-layer, as meant"}},
     .against = {MISPRINTED, "V: Decoder Block: Attention Layers",
                 "y_tilde(l) = LN(MCA(y_hat(l-1), x(N), x(N)) + y_hat(l-1)), where y_hat(l) is the "
                 "masked MSA's result; beside it \"query matrix from the previous MSA\""}},
    {0},
};
