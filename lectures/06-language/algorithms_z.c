/* algorithms_z.c: Z's algorithms (z.c) against the library, and their slips (row 39). */
#include "lectures/06-language/language.h"

/* A post-norm block, tokens (1, N, D), and the same tokens in double. */
typedef struct {
    Params *params;
    Tape *tape;
    TransformerBlock block;
    Tensor *X;
    double x[Z_N * Z_D];
} ZSubject;

static bool z_begin(ZSubject *s, uint64_t seed)
{
    const BlockConfig config = {.channels = Z_D, .heads = Z_H, .post_norm = true};
    Rng rng = {.seed = seed, .stream = 675};
    *s = (ZSubject){.params = params_new(seed), .tape = tape_new(seed)};
    if (!s->params || !s->tape || !nn_transformer_block_init(&s->block, s->params, "block", config))
        return false;
    s->X = values_normal(s->tape, &rng, shape3(1, Z_N, Z_D), 1);
    for (int i = 0; i < Z_N * Z_D; i++)
        s->x[i] = (double)s->X->data[i];
    return true;
}

static void z_end(ZSubject *s)
{
    tape_free(s->tape);
    params_free(s->params);
}

/* max |lines - library|; NaN where the library's result is poison, or 0 throughout. */
static double apart(const double *lines, const Tensor *library)
{
    double worst = values_largest(library) > 0 ? 0 : (double)NAN;
    for (int64_t i = 0; !tensor_is_poison(library) && i < tensor_size(library); i++)
        worst = values_worst(worst, fabs(lines[i] - (double)library->data[i]));
    return tensor_is_poison(library) ? (double)NAN : worst;
}

/* One head of D_k columns with weights of its own, against ag_attention of the same products. */
static double z_attention_lines(Trial *t)
{
    ZSubject s;
    double off = (double)NAN, W[3][Z_D * Z_DK], Y[Z_N * Z_DK];
    if (z_begin(&s, t->seed)) {
        Rng rng = {.seed = t->seed, .stream = 676};
        const ZPrinted z = {.root_of_d = broken(t, "root-of-d")};
        Tensor *projected[3];
        for (int k = 0; k < 3; k++) {
            Tensor *w = values_normal(s.tape, &rng, shape2(Z_D, Z_DK), 0.5);
            for (int i = 0; i < Z_D * Z_DK; i++)
                W[k][i] = (double)w->data[i];
            projected[k] = ag_reshape(ag_matmul(ag_reshape(s.X, shape2(Z_N, Z_D)), w),
                                      shape4(1, 1, Z_N, Z_DK));
        }
        z_attention(&z, s.x, W[0], W[1], W[2], Y);
        off = apart(Y, ag_attention(projected[0], projected[1], projected[2], (Mask){0}, 0));
        explain(t, "N = %d, D = %d, D_k = D_v = %d: max |lines - ag_attention| = %.2g", Z_N, Z_D,
                Z_DK, off);
    }
    z_end(&s);
    return off;
}

static double z_layer(Trial *t)
{
    ZSubject s;
    double off = (double)NAN, out[Z_N * Z_D];
    if (z_begin(&s, t->seed)) {
        const ZPrinted z = {.block = &s.block, .no_residual = broken(t, "no-residual")};
        z_transformer_layer(&z, s.x, out);
        off = apart(out, nn_transformer_block(&s.block, s.X, (Mask){0}));
        explain(t, "a post-norm block: max |lines - nn_transformer_block| = %.2g", off);
    }
    z_end(&s);
    return off;
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
    {39, z_attention_lines, "Z's scaled dot-product attention, line by line, is ag_attention",
     .slides = {"Z: Scaled dot-product self-attention layer"},
     .quantity = "max |lines in plain C - ag_attention|",
     AT_MOST(1e-5, "the same sums in double and in float, numbers of size 5"),
     .faults = {{"root-of-d", "sqrt(D) for sqrt(D_k), of heads of D / H columns"}}},
    {39, z_layer,
     "Z's transformer layer, with multi-head attention in it, line by line, is a post-norm block",
     .slides = {"Z: Transformer layer", "Z: Multi-Head Attention"},
     .quantity = "max |lines in plain C - nn_transformer_block|",
     AT_MOST(1e-5, "the same sums in double and in float, numbers of size 3"),
     .faults = {{"no-residual", "without + X and + Z"}}},
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
