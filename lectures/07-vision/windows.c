/* windows.c: attention within windows of a picture (row 50).
 * V "Next Two Lectures: Iterations of Transformers"
 *
 * Swin (Liu et al. 2021) lets a token attend to the tokens of its window alone, M x M of them:
 *
 *   odd layers     windows begin at rows and columns 0, M, 2M, ...
 *   even layers    at s, s + M, ... with s = M/2, so that neighbours on both sides of a border meet
 *
 * The second lot has windows of several sizes. A cyclic shift of the picture by s makes them M x M
 * again, and a mask keeps tokens apart that the shift brought together from opposite edges. */
#include "lectures/07-vision/vision.h"

/* ---- windows --------------------------------------------------------------------------------- */

int windows_band(Windows w, int i)
{
    return (i + w.window - w.shift) / w.window;
}

/* Do tokens i and j lie in one window? */
static bool windows_together(Windows w, int i, int j)
{
    return windows_band(w, i / w.side) == windows_band(w, j / w.side) &&
           windows_band(w, i % w.side) == windows_band(w, j % w.side);
}

/* The same as a mask of all pairs, (n, n) of 1 and 0 with n = side^2. */
static Tensor *windows_mask(Tape *tape, Windows w)
{
    int n = w.side * w.side;
    Tensor *keep = tape_full(tape, 0, shape2(n, n));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            keep->data[i * n + j] = windows_together(w, i, j);
    return keep;
}

/* side = g M: (B, g, M, g, M, C) -> (B, g, g, M, M, C) */
Tensor *windows_cut(Tensor *x, Windows w)
{
    int64_t B = x->shape.dim[0], C = x->shape.dim[2], M = w.window, g = w.side / M;
    Shape rows = SHAPE(B, g, M, g, M, C);
    Tensor *y = ag_permute(ag_reshape(x, rows), (int[]){0, 1, 3, 2, 4, 5});
    return ag_reshape(y, shape3(B * g * g, M * M, C));
}

/* And back. */
static Tensor *windows_join(Tensor *x, Windows w)
{
    int64_t C = x->shape.dim[2], M = w.window, g = w.side / M, B = x->shape.dim[0] / (g * g);
    Shape rows = SHAPE(B, g, g, M, M, C);
    Tensor *y = ag_permute(ag_reshape(x, rows), (int[]){0, 1, 3, 2, 4, 5});
    return ag_reshape(y, shape3(B, (int64_t)w.side * w.side, C));
}

/* The cyclic shift: row r and column c become r - by and c - by, modulo side. x (B, side^2, C) ->
 * the same shape. */
static Tensor *rolled(Tensor *x, int side, int by)
{
    Tensor *y = ag_reshape(x, shape4(-1, side, side, x->shape.dim[2]));
    by = (by + side) % side;
    for (int axis = 1; by && axis <= 2; axis++)
        y = ag_concat((Tensor *[]){ag_slice(y, axis, by, side), ag_slice(y, axis, 0, by)}, 2, axis);
    return ag_reshape(y, x->shape);
}

/* Where in the picture token p of window z lies, once the picture is shifted. */
static int token_of(Windows w, int z, int p)
{
    int g = w.side / w.window;
    int row = z / g * w.window + p / w.window, column = z % g * w.window + p % w.window;
    return (row + w.shift) % w.side * w.side + (column + w.shift) % w.side;
}

/* The mask of B pictures' shifted windows, (B windows, M^2, M^2): the pairs that lie in one window
 * of the picture itself, the same for every picture. */
static Tensor *shifted_mask(Tape *tape, Windows w, int64_t count)
{
    int g = w.side / w.window, m = w.window * w.window, all = g * g * m * m;
    Tensor *keep = tape_full(tape, 0, shape3(count, m, m));
    for (int at = 0; at < all; at++) {
        int z = at / (m * m), p = at / m % m, q = at % m;
        keep->data[at] = windows_together(w, token_of(w, z, p), token_of(w, z, q));
    }
    for (int64_t at = all; at < tensor_size(keep); at++)
        keep->data[at] = keep->data[at - all];
    return keep;
}

static Tensor *shift_and_cut(Tensor *x, Windows w)
{
    return windows_cut(rolled(x, w.side, w.shift), w);
}

static Tensor *join_and_shift_back(Tensor *y, Windows w)
{
    return rolled(windows_join(y, w), w.side, -w.shift);
}

static Mask mask_within(const Tensor *y, Windows w)
{
    return (Mask){.keep = w.shift ? shifted_mask(y->tape, w, y->shape.dim[0]) : NULL};
}

Tensor *swin_attention(const MultiHeadAttention *a, Tensor *x, Windows w)
{
    Tensor *y = shift_and_cut(x, w); /* (B windows, M^2, C) */
    return join_and_shift_back(nn_attention(a, y, mask_within(y, w)), w);
}

/* ---- one attention under a mask -------------------------------------------------------------- */

enum { SIDE = 8, WINDOW = 4, SHIFT = WINDOW / 2, C = 8, STREAM = 5000 };

static Tensor *inside(const Trial *t, const MultiHeadAttention *a, Tensor *x, Windows w)
{
    Tensor *y = shift_and_cut(x, w);
    if (broken(t, "no-mask"))
        return join_and_shift_back(nn_attention(a, y, (Mask){0}), w);
    if (broken(t, "not-back"))
        return windows_join(nn_attention(a, y, mask_within(y, w)), w);
    return swin_attention(a, x, w);
}

/* Both ways from the same tokens, with their gradients under the same upstream gradient. */
static double two_ways(Trial *t, const MultiHeadAttention *a, Windows w)
{
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = STREAM + (uint64_t)w.shift};
    Shape shape = shape3(2, SIDE * SIDE, C);
    Tensor *x1 = values_leaf(tape, &rng, shape, 1), *x2 = tape_leaf(tape, x1->data, shape);
    Tensor *up = values_normal(tape, &rng, shape, 1);
    Tensor *whole = nn_attention(a, x1, (Mask){.keep = windows_mask(tape, w)});
    Tensor *parts = inside(t, a, x2, w);
    ag_backward(ag_sum(ag_mul(up, ag_add(whole, parts))));
    double values = values_difference(whole, parts), slopes = (double)NAN;
    if (x1->grad && x2->grad)
        slopes =
            values_difference(tape_input(tape, x1->grad, shape), tape_input(tape, x2->grad, shape));
    explain(t, "shift %d: one attention of %d tokens under a mask, and %d windows of %d x %d:",
            w.shift, SIDE * SIDE, SIDE / WINDOW * SIDE / WINDOW, WINDOW, WINDOW);
    explain(t, "         outputs differ by %.2g, gradients by %.2g, of outputs up to %.2f", values,
            slopes, values_largest(whole));
    tape_free(tape);
    return values_worst(values, slopes);
}

static double as_masks(Trial *t)
{
    double worst = 0;
    Params *p = trial_params(t);
    MultiHeadAttention a;
    nn_attention_init(&a, p, "attention", C, 2, 0);
    for (int shift = 0; shift <= SHIFT; shift += SHIFT)
        worst = values_worst(worst, two_ways(t, &a, (Windows){SIDE, WINDOW, shift}));
    return worst;
}

const Claim vision_windows_claims[] = {
    {50, as_masks, "attention inside windows, shifted or not, is one attention under a mask",
     .slides = {"V: Next Two Lectures: Iterations of Transformers"},
     .quantity = "max |windows - mask|, of outputs and of gradients",
     AT_MOST(2e-5, "the same sums of numbers near 1 in another order: up to 100 roundings of 6e-8 "
                   "each"),
     .faults = {{"no-mask", "windows joined over the edges by the cyclic shift are not masked"},
                {"not-back", "the picture is not shifted back"}}},
    {0},
};

/* ---- figures --------------------------------------------------------------------------------- */

/* A number for each token's window, two or more apart in each row and column of windows, so that
 * their greys differ; after the cyclic shift where `moved`. */
static Tensor *numbered(Windows w, bool moved)
{
    static const int number[3][3] = {{1, 4, 7}, {6, 9, 3}, {8, 2, 5}};
    int first = windows_band(w, 0), by = moved ? w.shift : 0;
    Tensor *map = tensor_new(shape2(SIDE, SIDE));
    for (int i = 0; i < SIDE * SIDE; i++) {
        int r = (i / SIDE + by) % SIDE, c = (i % SIDE + by) % SIDE;
        map->data[i] = (real)number[windows_band(w, r) - first][windows_band(w, c) - first];
    }
    return map;
}

static bool draw_swin_windows(const Sketch *s)
{
    static const char *const titles[] = {"odd layers", "even layers", "shifted cyclically"};
    const Windows fixed = {SIDE, WINDOW, 0}, w = {SIDE, WINDOW, SHIFT};
    Tensor *map[] = {numbered(fixed, false), numbered(w, false), numbered(w, true)};
    PlotHeatmap maps[3];
    for (int k = 0; k < 3; k++) {
        maps[k] = sketch_picture(map[k], titles[k]);
        maps[k].scale.low = -3;
        maps[k].scale.high = 10;
    }
    bool ok = plot_heatmaps(s->stem, maps, 3,
                            sketch_title(s, "The windows of 8 x 8 tokens, a grey for each window"),
                            s->formats);
    for (int k = 0; k < 3; k++)
        tensor_free(map[k]);
    return ok;
}

const Figure vision_windows_figures[] = {
    {50, "swin_windows", draw_swin_windows,
     .what = "four windows; nine where they are shifted; four squares again after a cyclic shift"},
    {0},
};
