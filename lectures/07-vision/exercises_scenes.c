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

static int pattern_of_wrong_constant(const Codebook *book, const real *patch)
{
    (void)book, (void)patch;
    return 0;
}

static int pattern_of_wrong_sum(const Codebook *book, const real *patch)
{
    real sum = 0, divided[PATCH_PIXELS];
    for (int i = 0; i < PATCH_PIXELS; i++)
        sum += patch[i];
    for (int i = 0; i < PATCH_PIXELS; i++)
        divided[i] = patch[i] / sum;
    return codebook_nearest(book, divided);
}

/* The patterns of the painted patches of one picture that are not the codebook's. */
static int wrong_patterns(const Codebook *book, const real *pixels,
                          int (*of)(const Codebook *, const real *), int *painted)
{
    real patches[PATCH_COUNT][PATCH_PIXELS];
    int codes[PICTURE_CODES], wrong = 0;
    scene_cut(pixels, patches);
    codebook_encode(book, pixels, codes);
    for (int n = 0; n < PATCH_COUNT; n++)
        if (codes[2 * n] > 0) {
            ++*painted;
            wrong += of(book, patches[n]) != codes[2 * n + 1] - LEVELS;
        }
    return wrong;
}

/* All drawings of objects in one quadrant, dark and white: painted patches whose pattern is not that of codebook_encode. */
static double patterns_by_shade(Trial *t)
{
    PictureGpt m;
    int painted = 0, wrong = 0;
    int (*of)(const Codebook *, const real *) =
        TRIED(t, pattern_of, pattern_of_solved, pattern_of_wrong_constant, pattern_of_wrong_sum);
    bool ok = picture_gpt_begin(&m, t->seed);
    for (int i = 0; ok && i < SIZES * FORMS * 4; i++)
        for (int white = 0; white < 2; white++) {
            real pixels[SCENE_PIXELS] = {0};
            Object object = {.value = {i / 4 % SIZES, white ? SHADES - 1 : 0, i / 4 / SIZES, 0, 0},
                             .dx = i % 2,
                             .dy = i / 2 % 2};
            object_paint(&object, pixels);
            wrong += wrong_patterns(&m.book, pixels, of, &painted);
        }
    explain(t, "%d painted patches of %d drawings, dark and white: %d patterns are wrong", painted,
            SIZES * FORMS * 4, wrong);
    picture_gpt_end(&m);
    return painted ? (double)wrong / painted : (double)NAN;
}

const Claim exercise_pattern =
    EXERCISE(51, "pattern_of: a patch's pattern does not depend on its brightness",
             "Z: Vision and language transformers",
             "share of patches whose pattern is not the codebook's", 0,
             "the codebook divides each patch by its largest pixel, too", patterns_by_shade,
             {"constant", "pattern 0 of every patch"}, {"sum", "divided by the sum of the pixels"});
