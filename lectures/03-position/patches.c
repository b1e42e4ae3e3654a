/* patches.c: what a vision transformer learns about the positions of its patches (row 15).
 *
 *   J "Transformer Encoder for Image Classification": positional encoding: 1-D is sufficient
 *
 * The model of examples/vit counts its 49 patches from 0 to 48 and learns a code for each. Nothing
 * tells it that patch 8 lies right of patch 7 and above patch 15. The codes of five trainings were
 * made beforehand (gather_codes.c), on pictures that are moved by up to 4 pixels at random: a
 * stroke is then seen in neighbouring patches. */
#include "lectures/03-position/position.h"

#include <stdlib.h>
#include <string.h>

enum { GRID = 7, PATCHES = GRID * GRID, WIDTH = 32, TRAININGS = 5 };

/* The codes of the patches after training 1 .. 5, (PATCHES, WIDTH); or random ones, as before
 * training. */
static Tensor *patch_codes(Tape *tape, int training, bool trained)
{
    Rng rng = {.seed = tape->seed, .stream = 153 + (uint64_t)training};
    Safetensors file;
    char name[16];
    Tensor *codes = values_normal(tape, &rng, shape2(PATCHES, WIDTH), 0.02);
    if (!trained || !safetensors_read(LECTURES_FOLDER "/03-position/patches.safetensors", &file))
        return codes;
    snprintf(name, sizeof name, "codes.%d", training);
    memcpy(codes->data, safetensors_find(&file, name)->data, sizeof(real) * PATCHES * WIDTH);
    safetensors_free(&file);
    return ag_add(codes, tape_full(tape, 0, codes->shape));
}

/* cos(c_i, c_j) of all patches, (PATCHES, PATCHES). */
static Tensor *cosines(Tensor *codes)
{
    Tensor *length = ag_sqrt(ag_sum_axis(ag_mul(codes, codes), 1, true));
    Tensor *unit = ag_div(codes, length);
    return ag_matmul(unit, ag_transpose(unit, 0, 1));
}

/* ---- neighbours ------------------------------------------------------------------------------ */

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

/* How many patches have a neighbour as the most similar; NaN where no similarity is a number. */
static double neighbours_found(Trial *t, const Tensor *cosine, int training)
{
    int found = 0;
    char others[PATCHES * 8] = "";
    for (int i = 0; i < PATCHES; i++) {
        int j = most_similar(cosine, i);
        bool right = j >= 0 && are_neighbours(i, j);
        found += right;
        if (!right)
            snprintf(others + strlen(others), 8, " %d:%d", i, j);
    }
    explain(t, "training %d: a neighbour's code for %d of 49; not%s", training, found, others);
    return values_largest(cosine) > 0 ? found : (double)NAN;
}

static double patch_neighbours(Trial *t)
{
    double least = INFINITY;
    Tape *tape = trial_tape(t);
    for (int k = 1; k <= TRAININGS; k++) {
        Tensor *cosine = cosines(patch_codes(tape, k, !broken(t, "untrained")));
        least = values_least(least, neighbours_found(t, cosine, k) / PATCHES);
        tape_reset(tape);
    }
    return least;
}

/* ---- a row and a column ---------------------------------------------------------------------- */

const Claim position_patches_claims[] = {
    {15, patch_neighbours,
     "trained on shifted pictures, learned codes recover the grid: the most similar code is a "
     "neighbour's",
     .slides = {"J: Transformer Encoder for Image Classification"},
     .quantity = "share of 49 patches whose most similar code is that of one of 4 neighbours, "
                 "least of 5 trainings",
     AT_LEAST(0.75, "by chance 0.07: 3.4 neighbours of 48 other patches; 0.75 leaves the edge "
                    "out, 12 of 49"),
     .faults = {{"untrained", "random first weights"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

/* The cosines of two patches' codes with all others, each as a picture of the grid. */
static bool draw_patches(const Sketch *s)
{
    enum { SHOWN = 2 };
    static const int shown[SHOWN] = {8, 24};
    static char titles[SHOWN][40];
    PlotHeatmap maps[SHOWN];
    Tape *tape = tape_new(s->seed);
    Tensor *cosine = cosines(patch_codes(tape, 1, true));
    for (int k = 0; k < SHOWN; k++) {
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
    bool ok = plot_heatmaps(s->stem, maps, SHOWN,
                            sketch_title(s, "Which learned codes are similar?"), s->formats);
    tape_free(tape);
    return ok;
}

const Figure position_patches_figures[] = {
    {15, "patches", draw_patches,
     .what = "the learned code of a patch is most like those of its neighbours in the picture"},
    {0},
};
