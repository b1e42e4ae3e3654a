/* patches.c: a picture as a sequence of patches (row 48).
 *
 *   patch i, a row of n = colours p^2 numbers -> token x_i = E patch_i + b,   E (C, n)
 *                                        J "Transformer Encoder for Image Classification": flattened RGB pixels
 *
 * The same numbers come from a convolution with kernels of p x p pixels and stride p: row c of E is
 * kernel c. */
#include "lectures/07-vision/digit_models.h"

enum { STREAM = 4800, B = 2, COLOURS = 3, SIDE = 16, PATCH = 4, C = 24 };
enum { GRID = SIDE / PATCH, NUMBERS = COLOURS * PATCH * PATCH };

/* ---- the patch embedding --------------------------------------------------------------------- */

/* Tokens (B, GRID^2, C) of pictures (B, COLOURS, SIDE, SIDE) by a convolution of stride PATCH, with
 * E (C, NUMBERS). */
static Tensor *embed_by_convolution(Tensor *pictures, Tensor *E, Tensor *bias)
{
    Tensor *kernels = ag_reshape(E, shape4(C, COLOURS, PATCH, PATCH));
    Tensor *y = ag_conv2d(pictures, kernels, bias, PATCH, 0); /* (B, C, GRID, GRID) */
    y = ag_reshape(y, shape3(B, C, GRID * GRID));
    return ag_transpose(y, 1, 2);
}

/* The numbers of each patch in another order: colours last, as many files store them; or columns
 * before rows. */
static Tensor *reordered(Tensor *patches, bool colours_last)
{
    static const int last[] = {0, 1, 3, 4, 2}, columns[] = {0, 1, 2, 4, 3};
    const Shape numbers = SHAPE(B, GRID * GRID, COLOURS, PATCH, PATCH);
    Tensor *x = ag_permute(ag_reshape(patches, numbers), colours_last ? last : columns);
    return ag_reshape(x, shape3(B, GRID * GRID, NUMBERS));
}

/* max |difference| of dL/dE and dL/dF for L = sum g (tokens of E + tokens of F), where E and F are
 * equal. */
static double gradients_apart(Tensor *of_E, Tensor *of_F, Tensor *E, Tensor *F, Tensor *g)
{
    Tape *tape = g->tape;
    if (!ag_backward(ag_sum(ag_mul(ag_add(of_E, of_F), g))))
        return (double)NAN;
    return values_difference(tape_input(tape, E->grad, E->shape),
                             tape_input(tape, F->grad, F->shape));
}

static double patch_convolution(Trial *t)
{
    Tape *tape = trial_tape(t);
    Rng *rng = trial_rng(t, STREAM);
    const Model cut = {.config = {.side = SIDE, .colours = COLOURS, .patch = PATCH}};
    Tensor *x = values_normal(tape, rng, shape4(B, COLOURS, SIDE, SIDE), 1);
    Tensor *E = values_leaf(tape, rng, shape2(C, NUMBERS), 0.1);
    Tensor *F = tape_leaf(tape, E->data, E->shape);
    Tensor *bias = values_normal(tape, rng, shape1(C), 1);
    Tensor *patches = vit_patches(&cut, x);
    if (broken(t, "colours-last") || broken(t, "columns-first"))
        patches = reordered(patches, broken(t, "colours-last"));
    Tensor *tokens = ag_linear(patches, E, bias), *same = embed_by_convolution(x, F, bias);
    double values = values_difference(tokens, same);
    Tensor *g = values_normal(tape, rng, tokens->shape, 1);
    double slopes = gradients_apart(tokens, same, E, F, g);
    explain(t, "%s pictures -> %d patches of %d numbers -> tokens", shape_str(x->shape),
            GRID * GRID, NUMBERS);
    explain(t, "a convolution with kernels (%d, %d, %d, %d) of stride %d: tokens differ by %.2g", C,
            COLOURS, PATCH, PATCH, PATCH, values);
    explain(t, "and the gradients with respect to E by %.2g", slopes);
    return values_worst(values, slopes);
}

/* ---- a ViT in numbers ------------------------------------------------------------------------ */

/* The weights of a ViT with so many layers, 768 channels, 1,000 classes, for pictures of 224 x 224
 * x 3; -1 on error. */
static int64_t weights_of(int patch, int layers, Pool pool, int *tokens)
{
    Model m;
    Params *p = params_new(1);
    p->only_run = true; /* draws no initial weights: they are counted, and not used */
    bool ok = vit_init(&m, p,
                       (ModelConfig){.side = 224,
                                     .colours = 3,
                                     .patch = patch,
                                     .channels = 768,
                                     .heads = 12,
                                     .layers = layers,
                                     .classes = 1000,
                                     .position = POSITION_LEARNED,
                                     .pool = pool});
    int64_t weights = ok ? params_size(p) : -1;
    *tokens = ok ? vit_tokens(&m) : -1;
    params_free(p);
    return weights;
}

static double base_weights(Trial *t)
{
    int patch = broken(t, "patch-32") ? 32 : 16, tokens;
    Pool pool = broken(t, "mean") ? POOL_MEAN : POOL_CLASS;
    int64_t none = weights_of(patch, 0, pool, &tokens), one = weights_of(patch, 1, pool, &tokens);
    int64_t embedding = ((int64_t)3 * patch * patch + 1) * 768;
    explain(t, "(224 / %d)^2 patches%s: %d tokens of 768 channels", patch,
            pool == POOL_CLASS ? " and [CLASS]" : "", tokens);
    explain(t, "patch embedding (3 %d^2 + 1) 768 = %lld", patch, (long long)embedding);
    explain(t, "positions%s, last norm, classes: %lld", pool == POOL_CLASS ? ", [CLASS]" : "",
            (long long)(none - embedding));
    explain(t, "a layer: %lld, of which there are 12; all weights: %lld", (long long)(one - none),
            (long long)(none + 12 * (one - none)));
    return (double)(none + 12 * (one - none));
}

const Claim vision_patches_claims[] = {
    {48, patch_convolution,
     "embedding flattened patches is a convolution whose stride is the patch's side",
     .slides = {"J: Transformer Encoder for Image Classification", "Z: Vision transformers"},
     .quantity = "max |difference| of the tokens, and of dL/dE, 16 patches of 4 x 4 x 3",
     AT_MOST(1e-4, "sums of 48 and of 32 products of size 1, each rounded by 6e-8 of it: some "
                   "1e-6, at most 1e-5"),
     .faults = {{"colours-last", "a patch is flattened as RGB RGB ..., the kernels are not"},
                {"columns-first", "a patch is flattened column by column"}}},
    {48, base_weights,
     "ViT-B/16 is 12 encoder blocks on 197 tokens; patches are 0.7 % of its weights",
     .slides = {"J: Transformer Encoder for Image Classification",
                "V: Next Two Lectures: Iterations of Transformers"},
     .quantity = "weights of examples/vit with 12 layers, 768 channels, patches of 16 x 16",
     EXACTLY(86567656, "the count that torchvision publishes for its vit_b_16"),
     .faults = {{"patch-32", "patches of 32 x 32"}, {"mean", "mean pooling: no [CLASS] token"}},
     HOLDS_POISONED("counts weights; no kernel is run")},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

/* A digit, 2 x 2 cells a pixel, with gaps between its patches, and these as rows of 49 numbers, 3
 * cells high. */
static bool draw_cut(const Sketch *s)
{
    enum { PIXELS = 7, ACROSS = DIGIT_SIDE / PIXELS, WIDE = 2 * DIGIT_SIDE + ACROSS - 1 };
    enum { TOKENS = ACROSS * ACROSS, LONG = PIXELS * PIXELS, TALL = 4 * TOKENS - 1 };
    static const Model cut = {.config = {.side = DIGIT_SIDE, .colours = 1, .patch = PIXELS}};
    real x[DIGIT_PIXELS], apart[WIDE * WIDE], rows[TALL * LONG];
    if (!pictures_test(digit_model_digits(s->seed), 0, 1, x, NULL))
        return false;
    for (int i = 0; i < WIDE * WIDE; i++)
        apart[i] = (real)NAN; /* drawn in grey */
    for (int i = 0; i < 4 * DIGIT_PIXELS; i++) {
        int row = i / (2 * DIGIT_SIDE), column = i % (2 * DIGIT_SIDE);
        apart[(row + row / (2 * PIXELS)) * WIDE + column + column / (2 * PIXELS)] =
            x[row / 2 * DIGIT_SIDE + column / 2];
    }
    Tape *tape = tape_new(s->seed);
    const Tensor *patches =
        vit_patches(&cut, tape_input(tape, x, shape4(1, 1, DIGIT_SIDE, DIGIT_SIDE)));
    for (int i = 0; i < TALL * LONG; i++)
        rows[i] = i / LONG % 4 == 3 ? (real)NAN : patches->data[i / LONG / 4 * LONG + i % LONG];
    PlotHeatmap maps[] = {sketch_picture(tape_input(tape, apart, shape2(WIDE, WIDE)),
                                         "28 x 28 pixels: patches of 7 x 7"),
                          sketch_picture(tape_input(tape, rows, shape2(TALL, LONG)),
                                         "16 tokens of 49 numbers")};
    maps[1].row_name = "16 patches";
    maps[1].column_name = "49 pixels of the patch";
    const char *title = sketch_title(s, "A picture as a sequence");
    bool ok = plot_heatmaps(s->stem, maps, 2, title, s->formats);
    tape_free(tape);
    return ok;
}

const Figure vision_patches_figures[] = {
    {48, "cut", draw_cut,
     .what = "a digit, and its patches of 7 x 7 pixels as a sequence of 16 rows of 49 numbers"},
    {0},
};
