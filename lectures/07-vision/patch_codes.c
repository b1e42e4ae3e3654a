/* patch_codes.c: a picture as ids: each patch by the nearest of a few levels and the nearest of 96 patterns (row 51). See
 * scenes.h.
 *
 *   x_n (16): patch n;   g_n = max_i x_ni;   s_n = x_n / g_n        how bright, and which pixels
 *   l_n = argmin_l |g_n - level_l|,          p_n = argmin_p |s_n - pattern_p|^2
 *   x_n is drawn as level_(l_n) pattern_(p_n)
 *   fit: each level and pattern becomes the mean of those that are nearest to it, repeated (Lloyd's k-means) */
#include "lectures/07-vision/scenes.h"

#include <stdlib.h>
#include <string.h>

void scene_cut(const real *pixels, real patches[PATCH_COUNT][PATCH_PIXELS])
{
    for (int y = 0; y < SCENE_SIDE; y++)
        for (int x = 0; x < SCENE_SIDE; x++) {
            int patch = y / PATCH_SIDE * GRID + x / PATCH_SIDE;
            patches[patch][y % PATCH_SIDE * PATCH_SIDE + x % PATCH_SIDE] =
                pixels[y * SCENE_SIDE + x];
        }
}

int patch_quadrant(int patch)
{
    return patch / GRID / (GRID / 2) * COLUMNS + patch % GRID / (GRID / 2);
}

static real largest_pixel(const real *patch)
{
    real most = patch[0];
    for (int i = 1; i < PATCH_PIXELS; i++)
        most = patch[i] > most ? patch[i] : most;
    return most;
}

/* ---- k-means ------------------------------------------------------------------------------------------------------ */

static double squared_distance(const real *a, const real *b, int width)
{
    double sum = 0;
    for (int i = 0; i < width; i++)
        sum += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    return sum;
}

/* The nearest of K rows of e to x, both of this width. */
static int nearest(const real *e, int K, const real *x, int width, double *distance)
{
    int best = 0;
    *distance = squared_distance(x, e, width);
    for (int k = 1; k < K; k++) {
        double d = squared_distance(x, e + k * width, width);
        if (d < *distance) {
            *distance = d;
            best = k;
        }
    }
    return best;
}

/* The first rows: each a row of x (n, width), drawn with a probability in proportion to its squared distance from the
 * nearest row so far (k-means++, Arthur and Vassilvitskii 2007). */
static void first_rows(real *e, int K, const real *x, int n, int width, double *distance, Rng *rng)
{
    memcpy(e, x + rng_below(rng, n) * width, sizeof *e * (size_t)width);
    for (int k = 1; k < K; k++) {
        double sum = 0;
        int chosen = 0;
        for (int i = 0; i < n; i++) {
            double d = squared_distance(x + i * width, e + (k - 1) * width, width);
            distance[i] = k == 1 || d < distance[i] ? d : distance[i];
            sum += distance[i];
        }
        double at = sum * rng_uniform(rng);
        while (chosen < n - 1 && (at -= distance[chosen]) >= 0)
            chosen++;
        memcpy(e + k * width, x + chosen * width, sizeof *e * (size_t)width);
    }
}

/* One round of Lloyd's; returns the mean squared distance before it. A row that is nearest to none stays. */
static double lloyd_round(real *e, int K, const real *x, int n, int width)
{
    double sum[PATTERNS][PATCH_PIXELS] = {{0}}, total = 0;
    int members[PATTERNS] = {0};
    for (int i = 0; i < n; i++) {
        double distance;
        int k = nearest(e, K, x + i * width, width, &distance);
        total += distance / n;
        members[k]++;
        for (int j = 0; j < width; j++)
            sum[k][j] += (double)x[i * width + j];
    }
    for (int k = 0; k < K; k++)
        for (int j = 0; members[k] && j < width; j++)
            e[k * width + j] = (real)(sum[k][j] / members[k]);
    return total;
}

static int ascending(const void *a, const void *b)
{
    real x = *(const real *)a, y = *(const real *)b;
    return (x > y) - (x < y);
}

/* K rows fitted to x (n, width); error: of each round, or NULL. */
static void fit_rows(real *e, int K, const real *x, int n, int width, Rng *rng, int rounds,
                     double *distance, double *error)
{
    first_rows(e, K, x, n, width, distance, rng);
    for (int r = 0; r < rounds; r++) {
        double mean = lloyd_round(e, K, x, n, width);
        if (error)
            error[r] = mean;
    }
}

/* The painted patches, each divided by its largest pixel; returns how many there are. */
static int divided_patches(const Codebook *book, const real (*patches)[PATCH_PIXELS],
                           const real *level, int n, real (*shape)[PATCH_PIXELS])
{
    int painted = 0;
    for (int i = 0; i < n; i++) {
        double ignored;
        if (nearest(book->level, LEVELS, &level[i], 1, &ignored) == 0)
            continue;
        for (int j = 0; j < PATCH_PIXELS; j++)
            shape[painted][j] = patches[i][j] / level[i];
        painted++;
    }
    return painted;
}

bool codebook_fit(Codebook *book, const real (*patches)[PATCH_PIXELS], int n, Rng *rng, int rounds,
                  double *error)
{
    double *distance = calloc((size_t)n, sizeof *distance);
    real *level = calloc((size_t)n, sizeof *level);
    real(*shape)[PATCH_PIXELS] = calloc((size_t)n, sizeof *shape);
    bool ok = distance && level && shape;
    if (ok) {
        for (int i = 0; i < n; i++)
            level[i] = largest_pixel(patches[i]);
        fit_rows(book->level, LEVELS, level, n, 1, rng, rounds, distance, NULL);
        qsort(book->level, LEVELS, sizeof *book->level, ascending);
        memset(book->pattern, 0, sizeof book->pattern);
        int painted = divided_patches(book, patches, level, n, shape);
        fit_rows(book->pattern[1], PATTERNS - 1, shape[0], painted, PATCH_PIXELS, rng, rounds,
                 distance, error);
    }
    free(distance);
    free(level);
    free(shape);
    return ok;
}

/* ---- pictures as codes -------------------------------------------------------------------------------------------- */

int codebook_nearest(const Codebook *book, const real *shape)
{
    double distance;
    return 1 + nearest(book->pattern[1], PATTERNS - 1, shape, PATCH_PIXELS, &distance);
}

void codebook_encode(const Codebook *book, const real *pixels, int codes[PICTURE_CODES])
{
    real patches[PATCH_COUNT][PATCH_PIXELS];
    double distance;
    scene_cut(pixels, patches);
    for (int n = 0; n < PATCH_COUNT; n++) {
        real g = largest_pixel(patches[n]);
        int level = nearest(book->level, LEVELS, &g, 1, &distance), pattern = 0;
        for (int i = 0; level && i < PATCH_PIXELS; i++)
            patches[n][i] /= g;
        if (level)
            pattern = codebook_nearest(book, patches[n]);
        codes[2 * n] = level;
        codes[2 * n + 1] = LEVELS + pattern;
    }
}

bool codes_in_turn(const int codes[PICTURE_CODES])
{
    bool ok = true;
    for (int i = 0; i < PICTURE_CODES; i++)
        ok = ok && codes[i] >= (i % 2 ? LEVELS : 0) && codes[i] < (i % 2 ? CODES : LEVELS);
    return ok;
}

void codebook_decode(const Codebook *book, const int codes[PICTURE_CODES], real *pixels)
{
    for (int y = 0; y < SCENE_SIDE; y++)
        for (int x = 0; x < SCENE_SIDE; x++) {
            const int *code = codes + 2 * (y / PATCH_SIDE * GRID + x / PATCH_SIDE);
            const real *pattern = book->pattern[code[1] - LEVELS];
            pixels[y * SCENE_SIDE + x] =
                book->level[code[0]] * pattern[y % PATCH_SIDE * PATCH_SIDE + x % PATCH_SIDE];
        }
}
