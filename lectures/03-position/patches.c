/* patches.c: what a vision transformer learns about the positions of its patches (row 15).
 *
 *   J "Transformer Encoder for Image Classification": positional encoding: 1-D is sufficient
 *
 * The model of examples/vit counts its 49 patches from 0 to 48 and learns a code for each. Nothing tells it that patch 8
 * lies right of patch 7 and above patch 15. Its weights were made by
 *   ./gradus example vit --patch 4 --channels 32 --layers 2 --epochs 12 --lr 4e-3 --shift 4 \
 *       --save lectures/03-position/patches.safetensors */
#include "lectures/03-position/position.h"

#include "data/corpora/corpora.h"
#include "examples/vit/model.h"

#include <stdlib.h>
#include <string.h>

enum { GRID = 7, PATCHES = GRID * GRID, WIDTH = 32, DIGITS = 400 };

typedef struct {
    Params *params;
    Tape *tape;
    Model model;
} Vit;

/* The trained model, or one with random first weights. */
static void vit_begin(Vit *v, bool trained, uint64_t seed)
{
    *v = (Vit){.params = params_new(seed), .tape = tape_new(seed)};
    vit_init(&v->model, v->params,
             (ModelConfig){.side = DATA_DIGIT_SIDE,
                           .colours = 1,
                           .patch = 4,
                           .channels = WIDTH,
                           .heads = 4,
                           .layers = 2,
                           .classes = 10,
                           .position = POSITION_LEARNED,
                           .pool = POOL_CLASS});
    if (trained)
        params_load(v->params, LECTURES_FOLDER "/03-position/patches.safetensors");
    v->tape->no_grad = true;
}

static void vit_end(Vit *v)
{
    tape_free(v->tape);
    params_free(v->params);
}

/* The codes of the patches without that of the class token, (PATCHES, WIDTH). */
static Tensor *patch_codes(Vit *v)
{
    return ag_slice(tape_param(v->tape, v->model.position.weight), 0, 1, 1 + PATCHES);
}

/* cos(c_i, c_j) of all patches, (PATCHES, PATCHES). */
static Tensor *cosines(Tensor *codes)
{
    Tensor *length = ag_sqrt(ag_sum_axis(ag_mul(codes, codes), 1, true));
    Tensor *unit = ag_div(codes, length);
    return ag_matmul(unit, ag_transpose(unit, 0, 1));
}

/* ---- neighbours ----------------------------------------------------------------------------------------------------- */

static bool are_neighbours(int i, int j)
{
    return abs(i / GRID - j / GRID) + abs(i % GRID - j % GRID) == 1;
}

/* The other patch whose code is most similar; -1 where no similarity is a number. */
static int most_similar(const Tensor *cosine, int i)
{
    int best = -1;
    for (int j = 0; j < PATCHES; j++) {
        const real *row = cosine->data + (int64_t)i * PATCHES;
        if (j != i && !isnan(row[j]) && (best < 0 || row[j] > row[best]))
            best = j;
    }
    return best;
}

static double patch_neighbours(Trial *t)
{
    Vit v;
    int found = 0;
    vit_begin(&v, !broken(t, "untrained"), t->seed);
    Tensor *cosine = cosines(patch_codes(&v));
    for (int row = 0; row < GRID; row++) {
        char line[GRID * 8 + 1] = "";
        for (int column = 0; column < GRID; column++) {
            int i = row * GRID + column, j = most_similar(cosine, i);
            bool right = j >= 0 && are_neighbours(i, j);
            found += right;
            snprintf(line + strlen(line), 8, " %2d:%2d%s", i, j, right ? " " : "!");
        }
        explain(t, "most similar code of each patch:%s", line);
    }
    bool any = values_largest(cosine) > 0;
    vit_end(&v);
    return any ? (double)found / PATCHES : (double)NAN;
}

const Claim claim_patch_neighbours = {
    .row = 15,
    .statement = "learned codes recover the grid: the most similar code is a neighbour's",
    .slides = {"J: Transformer Encoder for Image Classification"},
    .quantity = "share of 49 patches whose most similar code is that of one of 4 neighbours",
    AT_LEAST(0.8),
    .why = "by chance 0.07: 3.4 neighbours of 48 other patches; 0.8 are 39 of 49",
    .faults = {{"untrained", "random first weights"}},
    .measure = patch_neighbours,
};

/* ---- a row and a column ------------------------------------------------------------------------------------------------ */

/* The share of the codes' variance that a row and a column explain; `shuffled`: of codes in a random order. */
static double explained_share(Vit *v, uint64_t seed, bool shuffled)
{
    int order[PATCHES];
    Rng rng = {.seed = seed, .stream = 153};
    for (int i = 0; i < PATCHES; i++)
        order[i] = i;
    if (shuffled)
        rng_shuffle(&rng, order, PATCHES);
    Tensor *codes = values_permuted(patch_codes(v), order);
    Tensor *mean = code_part(codes, GRID, CODE_CONSTANT), *rest = ag_sub(codes, mean);
    Tensor *part = ag_sub(code_part(codes, GRID, CODE_ROW_COLUMN), mean);
    return (double)tensor_item(ag_mean(ag_mul(part, part))) /
           (double)tensor_item(ag_mean(ag_mul(rest, rest)));
}

static double row_column(Trial *t)
{
    Vit v;
    vit_begin(&v, !broken(t, "untrained"), t->seed);
    double share = explained_share(&v, t->seed, broken(t, "shuffled"));
    explain(
        t,
        "row and column explain %.3f of the variance of 49 codes; of codes at random 12/48 = 0.25",
        share);
    vit_end(&v);
    return share;
}

const Claim claim_row_column = {
    .row = 15,
    .statement =
        "learned 1-D codes become two-dimensional: row and column explain most of their variance",
    .slides = {"J: Transformer Encoder for Image Classification"},
    .quantity = "share of the variance of 49 codes that (row) + (column) explains",
    AT_LEAST(0.5),
    .why = "6 + 6 of 48 degrees of freedom explain 0.25 of random codes; 0.5 is twice that",
    .faults = {{"untrained", "random first weights"},
               {"shuffled", "the patches are numbered in a random order"}},
    .measure = row_column,
};

/* ---- figure ------------------------------------------------------------------------------------------------------------- */

/* The cosines of four patches' codes with all others, each as a picture of the grid. */
static bool draw_patches(const Sketch *s)
{
    static const int shown[] = {8, 12, 24, 38};
    static char titles[4][40];
    PlotHeatmap maps[4];
    Vit v;
    vit_begin(&v, true, s->seed);
    Tensor *cosine = cosines(patch_codes(&v));
    for (int k = 0; k < 4; k++) {
        int i = shown[k];
        snprintf(titles[k], sizeof titles[k], "patch %d: row %d, column %d", i, i / GRID, i % GRID);
        Tensor *row = ag_slice(cosine, 0, i, i + 1);
        maps[k] =
            (PlotHeatmap){.map = ag_reshape(row, shape2(GRID, GRID)),
                          .title = titles[k],
                          .row_name = "",
                          .column_name = "",
                          .pixels = true,
                          .scale = {.diverging = true, .high = 1, .name = "cosine of the codes"}};
    }
    bool ok = plot_heatmaps(s->stem, maps, 4, sketch_title(s, "Which learned codes are similar?"),
                            s->formats);
    vit_end(&v);
    return ok;
}

const Figure figure_patches = {
    .row = 15,
    .name = "patches",
    .what = "the learned code of a patch is most like those of its neighbours in the picture",
    .draw = draw_patches,
};
