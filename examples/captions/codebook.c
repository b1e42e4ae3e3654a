/* codebook.c: levels and patterns of patches. See codebook.h. */
#include "examples/captions/codebook.h"

#include "examples/common/example.h"
#include "examples/common/kmeans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool codebook_init(Codebook *book, Params *p)
{
    book->level = params_add(p, "codebook.levels", shape2(LEVELS, 1), nn_constant(0));
    book->pattern =
        params_add(p, "codebook.patterns", shape2(PATTERNS, PATCH_PIXELS), nn_constant(0));
    return book->level && book->pattern;
}

static void picture_cut(const real pixels[PIXELS], real patches[PATCHES][PATCH_PIXELS])
{
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            patches[y / PATCH_SIDE * GRID + x / PATCH_SIDE]
                   [y % PATCH_SIDE * PATCH_SIDE + x % PATCH_SIDE] = pixels[y * SIDE + x];
}

int patch_quadrant(int patch)
{
    return patch / GRID / (GRID / 2) * COLUMNS + patch % GRID / (GRID / 2);
}

/* ---- levels and patterns -------------------------------------------------------------------- */

static real largest_pixel(const real patch[PATCH_PIXELS])
{
    real most = patch[0];
    for (int i = 1; i < PATCH_PIXELS; i++)
        most = patch[i] > most ? patch[i] : most;
    return most;
}

static int ascending(const void *a, const void *b)
{
    real x = *(const real *)a, y = *(const real *)b;
    return (x > y) - (x < y);
}

bool codebook_fit(Codebook *book, Rng *rng)
{
    enum { PICTURES = 1000, N = PICTURES * PATCHES, ROUNDS = 20 };
    static Scene s;
    int painted = 0;
    real(*patch)[PATCH_PIXELS] = example_alloc(N * sizeof *patch);
    real *level = example_alloc(N * sizeof *level);
    bool ok = patch && level;
    for (int i = 0; ok && i < PICTURES; i++) {
        scene_draw(&s, rng, false);
        picture_cut(s.pixels, patch + i * PATCHES);
    }
    for (int i = 0; ok && i < N; i++)
        level[i] = largest_pixel(patch[i]);
    ok = ok && !isnan(kmeans(book->level->data, LEVELS, level, N, 1, ROUNDS, rng));
    if (ok) {
        qsort(book->level->data, LEVELS, sizeof(real), ascending);
        for (int i = 0; i < N; i++)
            if (kmeans_nearest(book->level->data, LEVELS, &level[i], 1) > 0) {
                for (int j = 0; j < PATCH_PIXELS; j++)
                    patch[painted][j] = patch[i][j] / level[i];
                painted++;
            }
        ok = !isnan(kmeans(book->pattern->data + PATCH_PIXELS, PATTERNS - 1, patch[0], painted,
                           PATCH_PIXELS, ROUNDS, rng));
    }
    free(level);
    free(patch);
    return ok;
}

/* ---- pictures as codes ---------------------------------------------------------------------- */

/* The pattern, from 1, that is nearest to this patch. */
static int codebook_nearest(const Codebook *book, const real patch[PATCH_PIXELS])
{
    return 1 +
           kmeans_nearest(book->pattern->data + PATCH_PIXELS, PATTERNS - 1, patch, PATCH_PIXELS);
}

void codebook_encode(const Codebook *book, const real pixels[PIXELS], int codes[PICTURE_CODES])
{
    real patches[PATCHES][PATCH_PIXELS];
    picture_cut(pixels, patches);
    for (int n = 0; n < PATCHES; n++) {
        real g = largest_pixel(patches[n]);
        int level = kmeans_nearest(book->level->data, LEVELS, &g, 1);
        for (int i = 0; level && i < PATCH_PIXELS; i++)
            patches[n][i] /= g;
        codes[2 * n] = level;
        codes[2 * n + 1] = LEVELS + (level ? codebook_nearest(book, patches[n]) : 0);
    }
}

bool codebook_decode(const Codebook *book, const int codes[PICTURE_CODES], real pixels[PIXELS])
{
    memset(pixels, 0, PIXELS * sizeof *pixels);
    for (int i = 0; i < PICTURE_CODES; i++)
        if (codes[i] < (i % 2 ? LEVELS : 0) || codes[i] >= (i % 2 ? CODES : LEVELS))
            return false;
    for (int i = 0; i < PIXELS; i++) {
        int x = i % SIDE, y = i / SIDE;
        const int *code = codes + 2 * (y / PATCH_SIDE * GRID + x / PATCH_SIDE);
        const real *pattern = book->pattern->data + (code[1] - LEVELS) * PATCH_PIXELS;
        pixels[i] =
            book->level->data[code[0]] * pattern[y % PATCH_SIDE * PATCH_SIDE + x % PATCH_SIDE];
    }
    return true;
}
