/* algorithms_z.c: Z's algorithms (z.c) against the library, and their slips (row 39). */
#include "lectures/06-language/language.h"

/* max |lines - library|; NaN where the library's result is poison, or 0 throughout. */
static double z_layer(Trial *t)
{
    const BlockConfig config = {.channels = Z_D, .heads = Z_H, .post_norm = true};
    TransformerBlock block;
    double x[Z_N * Z_D], out[Z_N * Z_D];
    if (!nn_transformer_block_init(&block, trial_params(t), "block", config))
        return (double)NAN;
    Tensor *X = values_normal(trial_tape(t), trial_rng(t, 675), shape3(1, Z_N, Z_D), 1);
    for (int i = 0; i < Z_N * Z_D; i++)
        x[i] = (double)X->data[i];
    const ZPrinted z = {&block, broken(t, "root-of-d"), broken(t, "no-residual")};
    z_transformer_layer(&z, x, out);
    const Tensor *library = nn_transformer_block(&block, X, (Mask){0});
    double worst = values_largest(library) > 0 ? 0 : (double)NAN;
    for (int i = 0; !tensor_is_poison(library) && i < Z_N * Z_D; i++)
        worst = values_worst(worst, fabs(out[i] - (double)library->data[i]));
    explain(t, "a post-norm block: max |lines - nn_transformer_block| = %.2g", worst);
    return worst;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* The shapes that the slides print and that do not fit: with N, D, H, D_k, D_v all different. */
static double z_shapes(Trial *t)
{
    enum { N = 5, D = 12, H = 3, DV = 6 };
    Tape *tape = trial_tape(t);
    bool meant = broken(t, "as-meant");
    int wrong = 0;
    Tensor *x = tape_full(tape, 1, shape2(N, D)), *w = tape_full(tape, 1, shape2(D, DV));
    Tensor *V = ag_matmul(x, w);
    bool fits = shape_equal(V->shape, shape2(N, meant ? DV : D));
    explain(t, "V = X W_v with W_v (D, D_v) = (%d, %d) is %s; printed: N x D = (%d, %d)", D, DV,
            shape_str(V->shape), N, D);
    wrong += !fits;
    fits = values_can_multiply(tape, shape2(N, (meant ? H : N) * DV), shape2(H * DV, D), NULL, 0);
    explain(t, "Concat[H_1 ... H_%s] is (%d, %d), W_o is (H D_v, D) = (%d, %d): they %s",
            meant ? "H" : "N", N, (meant ? H : N) * DV, H * DV, D, fits ? "fit" : "do not fit");
    wrong += !fits;
    return wrong;
}

const Claim algorithms_z_claims[] = {
    {39, z_layer,
     "Z's transformer layer, with multi-head attention in it, line by line, is a post-norm block",
     .slides = {"Z: Transformer layer", "Z: Multi-Head Attention",
                "Z: Scaled dot-product self-attention layer"},
     .quantity = "max |lines in plain C - nn_transformer_block|",
     AT_MOST(1e-5, "the same sums in double and in float, numbers of size 3"),
     .faults = {{"no-residual", "without + X and + Z"},
                {"root-of-d", "sqrt(D) for sqrt(D_k), of heads of D / H columns"}}},
    {39, z_shapes,
     "in Z's algorithms V is N x D_v, not N x D, and the heads are concatenated up to H_H, not H_N",
     .slides = {"Z: Scaled dot-product self-attention layer", "Z: Multi-Head Attention"},
     .quantity = "printed shapes that do not fit, D_v other than D and N other than H",
     EXACTLY(2, "X W_v has W_v's columns; N D_v columns do not meet H D_v rows"),
     .faults = {{"as-meant", "N x D_v, and H_1 ... H_H"}},
     .against = {MISPRINTED, "Z: Scaled dot-product self-attention layer",
                 "line 3: \"compute values V in R^(N x D)\", where W^(v) is in R^(D x D_v); and on "
                 "\"Multi-Head Attention\" H = Concat[H_1, ..., H_N] of the heads h = 1 to H"},
     HOLDS_POISONED("compares shapes; no number is read")},
    {0},
};
