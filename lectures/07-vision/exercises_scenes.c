/* exercises_scenes.c: an exercise of row 51, pictures and words (see exercises.c). */
#include "lectures/07-vision/scenes.h"
#include "lectures/07-vision/vision.h"

/* ---- row 51: a code that does not depend on brightness ------------------------------------------------------- */

/* Now: the pattern that is nearest to the patch as it is. Change it: the one that is nearest to the patch divided by its
 * largest pixel, so that the pattern does not depend on how bright the patch is. */
static int pattern_of(const Codebook *book, const real *patch)
{
    return codebook_nearest(book, patch);
}

static int pattern_of_solved(const Codebook *book, const real *patch)
{
    real largest = patch[0], divided[PATCH_PIXELS];
    for (int i = 1; i < PATCH_PIXELS; i++)
        largest = patch[i] > largest ? patch[i] : largest;
    for (int i = 0; i < PATCH_PIXELS; i++)
        divided[i] = patch[i] / largest;
    return codebook_nearest(book, divided);
}

/* All drawings of objects in one quadrant, dark and white: painted patches whose two patterns differ. */
static double patterns_by_shade(Trial *t)
{
    PictureGpt m;
    int painted = 0, differ = 0;
    bool solved = broken(t, "solved"), ok = picture_gpt_begin(&m, t->seed);
    for (int i = 0; ok && i < SIZES * FORMS * 4; i++) {
        real patches[2][PATCH_COUNT][PATCH_PIXELS];
        for (int white = 0; white < 2; white++) {
            real pixels[SCENE_PIXELS] = {0};
            Object object = {.value = {i / 4 % SIZES, white ? SHADES - 1 : 0, i / 4 / SIZES, 0, 0},
                             .dx = i % 2,
                             .dy = i / 2 % 2};
            object_paint(&object, pixels);
            scene_cut(pixels, patches[white]);
        }
        for (int n = 0; n < PATCH_COUNT; n++) {
            int (*of)(const Codebook *, const real *) = solved ? pattern_of_solved : pattern_of;
            bool black = true;
            for (int j = 0; j < PATCH_PIXELS; j++)
                black = black && patches[0][n][j] == 0;
            painted += !black;
            differ += !black && of(&m.book, patches[0][n]) != of(&m.book, patches[1][n]);
        }
    }
    explain(t, "%d painted patches of %d drawings: %d have another pattern when dark than white",
            painted, SIZES * FORMS * 4, differ);
    picture_gpt_end(&m);
    return painted ? (double)differ / painted : (double)NAN;
}

const Claim exercise_pattern =
    EXERCISE(51, "pattern_of: a patch's pattern does not depend on its brightness",
             "Z: Vision and language transformers", "share of patches whose pattern differs", 0,
             "a patch divided by its largest pixel is the same for dark and white",
             patterns_by_shade);
